import { RunLauncher } from '@headrace/engine/threads';
import { DISTRIBUTED_YOUNG_MB, HEAP_MB } from './heap.ts';

let threads: RunLauncher | undefined;

/**
 * Returns the threads of the only run of this process. The first call creates them: one run thread and one pipeline
 * thread. A second pipeline thread starts for the second batch.
 * @param isDistributed whether the documents of the run are messages of Kafka
 */
export function runThreads(isDistributed = false): RunLauncher {
  if (threads === undefined) {
    const young = isDistributed ? { youngMb: DISTRIBUTED_YOUNG_MB } : {};
    threads = new RunLauncher({ heapMb: HEAP_MB, ...young, keepWarm: false, lanes: 1 });
    threads.prepare();
  }
  return threads;
}

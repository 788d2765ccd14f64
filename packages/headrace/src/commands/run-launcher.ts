import { limitHeaps, RunLauncher } from '@headrace/engine/threads';
import { DISTRIBUTED_THREADS, HEAP_MB } from './heap.ts';

/**
 * How the documents of a run are processed: in this process, in other processes (`--distributed`), or in this process
 * through Kafka (`--external`).
 */
export type RunMode = 'local' | 'distributed' | 'external';

let threads: RunLauncher | undefined;

/**
 * Returns the threads of the only run of this process. The first call creates them: one run thread and one pipeline
 * thread. A second pipeline thread starts for the second batch.
 */
export function runThreads(mode: RunMode = 'local'): RunLauncher {
  if (threads === undefined) {
    const isExternal = mode === 'external';
    if (mode !== 'local') limitHeaps(DISTRIBUTED_THREADS, isExternal);
    // With --external, two roles run in this process, and a thread for each would take 50 MiB.
    threads = new RunLauncher(
      mode === 'local'
        ? { heapMb: HEAP_MB, keepWarm: false, lanes: 1 }
        : { ...DISTRIBUTED_THREADS, isLocal: isExternal },
    );
    threads.prepare();
  }
  return threads;
}

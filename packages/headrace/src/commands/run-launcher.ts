import { RunLauncher } from '@headrace/engine/threads';
import { HEAP_MB } from './heap.ts';

let threads: RunLauncher | undefined;

/**
 * Returns the threads of the only run of this process. The first call creates them: one run thread and one pipeline
 * thread. A second pipeline thread starts for the second batch.
 */
export function runThreads(): RunLauncher {
  if (threads === undefined) {
    threads = new RunLauncher({ heapMb: HEAP_MB, keepWarm: false, lanes: 1 });
    threads.prepare();
  }
  return threads;
}

import { RunLauncher } from '@headrace/engine/threads';
import { HEAP_MB } from './heap.ts';

let threads: RunLauncher | undefined;

/**
 * The threads of the run of this process, made when they are asked for first, with one that is ready for it, and one
 * pipeline thread. A second pipeline thread starts when there is a second batch.
 */
export function runThreads(): RunLauncher {
  if (threads === undefined) {
    threads = new RunLauncher({ heapMb: HEAP_MB, keepWarm: false, lanes: 1 });
    threads.prepare();
  }
  return threads;
}

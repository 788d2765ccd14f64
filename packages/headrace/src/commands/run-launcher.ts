import { availableParallelism } from 'node:os';
import { RunLauncher } from '@headrace/engine/threads';
import { HEAP_MB } from './heap.ts';

let threads: RunLauncher | undefined;

/** Returns the threads for the run of this process. The first call creates them and prepares one of them. */
export function runThreads(): RunLauncher {
  if (threads === undefined) {
    threads = new RunLauncher({ heapMb: HEAP_MB, keepWarm: false, lanes: Math.min(2, availableParallelism()) });
    threads.prepare();
  }
  return threads;
}

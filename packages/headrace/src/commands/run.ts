import { availableParallelism } from 'node:os';
import { RunThreads } from '@headrace/engine/threads';
import { HEAP_MB } from './heap.ts';
import type { RunOptions } from './run-file.ts';

/**
 * `headrace run CONFIG`: runs it to its end, or to the first signal. Its threads start before this one loads what reads
 * configs: half of the start is loading, and each thread does its own.
 */
export async function run([file = '']: readonly (string | undefined)[], options: RunOptions): Promise<number> {
  const threads = new RunThreads({ heapMb: HEAP_MB, keepWarm: false, lanes: Math.min(2, availableParallelism()) });
  threads.prepare();
  try {
    const { runFile } = await import('./run-file.ts');
    return await runFile(threads, file, options);
  } finally {
    await threads.close();
  }
}

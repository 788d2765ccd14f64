import { setV8Flag } from './v8-flag.ts';

/**
 * The maximum growth of the old generation of a thread before a garbage collection, in percent of the live memory. By
 * default, V8 lets a small heap grow to four times its size. This takes 20 to 40 MiB more per thread and is not faster.
 */
const HEAP_GROWING_PERCENT = 100;

/** Tunes the garbage collector of all threads of the process for long runs. */
export function tuneCollector(heapGrowingPercent = HEAP_GROWING_PERCENT): void {
  setV8Flag(`--heap-growing-percent=${heapGrowingPercent}`);
  // Runs use all processors, so parallel garbage collection would only take CPU time from them.
  setV8Flag('--no-parallel-scavenge');
  // If most lists of a few groups of documents survive a collection, V8 creates all later lists of that place in the
  // code in the old generation, where they are garbage soon: the heap of a thread grew from 38 to 107 MiB, or did not,
  // by chance.
  setV8Flag('--no-allocation-site-pretenuring');
}

/**
 * The maximum growth of the old generation of a thread before a garbage collection, in percent of the live memory. By
 * default, V8 lets a small heap grow to four times its size. This takes 20 to 40 MiB more per thread and is not faster.
 */
const HEAP_GROWING_PERCENT = 100;
/** The share of its limit at which V8 starts to collect an old generation, in percent. */
const LATE_PERCENT = 90;

/**
 * Lets the old generations of all threads of the process grow up to their limits. By default, V8 collects each thread
 * after a quarter of a second, when it has loaded its code: its limit then is only 8 MiB above the size. This takes 5 to
 * 9 % of the processor time of a run of less than a second. Call this only when all threads have loaded their code.
 * With a changed flag, V8 rejects compiled code.
 */
export function collectLate(): void {
  setFlag(`--incremental-marking-hard-trigger=${LATE_PERCENT}`);
}

/** Ends the effect of `collectLate`. */
export function collectAsUsual(): void {
  setFlag('--incremental-marking-hard-trigger=0');
}

/** Tunes the garbage collector of all threads of the process for long runs. */
export function tuneCollector(heapGrowingPercent = HEAP_GROWING_PERCENT): void {
  setFlag(`--heap-growing-percent=${heapGrowingPercent}`);
  // Runs use all processors, so parallel garbage collection would only take CPU time from them.
  setFlag('--no-parallel-scavenge');
  // If most lists of a few groups of documents survive a collection, V8 creates all later lists of that place in the
  // code in the old generation, where they are garbage soon: the heap of a thread grew from 38 to 107 MiB, or did not,
  // by chance.
  setFlag('--no-allocation-site-pretenuring');
}

function setFlag(flag: string): void {
  process.getBuiltinModule('node:v8').setFlagsFromString(flag);
}

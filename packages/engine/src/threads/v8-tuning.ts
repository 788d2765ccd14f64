// The flags of V8 that make runs faster or smaller. They apply to all threads of the process. So a run sets them only if it is the only
// one of its process; a service gets its flags when it starts. bench/data-path.md has measurements.

/**
 * The maximum growth of the old generation of a thread before a garbage collection, in percent of the live memory. By
 * default, V8 lets a small heap grow to four times its size. This takes 20 to 40 MiB more per thread and is not faster.
 */
const HEAP_GROWING_PERCENT = 100;

/** For the threads of long runs. */
const LONG_RUN_FLAGS = [
  // Runs use all processors, so parallel garbage collection would only take CPU time from them.
  '--no-parallel-scavenge',
  // If most lists of a few groups of documents survive a collection, V8 creates all later lists of that place in the
  // code in the old generation, where they are garbage soon: the heap of a thread grew from 38 to 107 MiB, or did not,
  // by chance.
  '--no-allocation-site-pretenuring',
];

/** The flags with which a service starts. */
export const SERVICE_FLAGS: readonly string[] = [`--heap-growing-percent=${HEAP_GROWING_PERCENT}`, ...LONG_RUN_FLAGS];

/**
 * The time after which a run is long enough for the collector to be tuned, and the number of open pipeline threads from
 * which a run will be. With a changed flag, V8 rejects the compiled code of Node's own modules, so that each thread that
 * starts later compiles them: 5 ms of a thread.
 */
const LONG_RUN_MILLIS = 1500;
const LONG_RUN_LANES = 2;

/** The share of its limit at which V8 starts to collect an old generation in a short run, in percent. */
const LATE_PERCENT = 90;

/**
 * Tunes V8 for the only run of a process: first for a run of about a second, later for a long one.
 *
 * In a short run:
 * - The old generations may grow up to their limits. By default, V8 collects each thread after a quarter of a second,
 *   when it has loaded its code: its limit then is only 8 MiB above the size. This takes 5 to 9 % of the processor time.
 * - If there are several pipeline threads, Maglev compiles the frequent functions, and TurboFan none. In a run of 0.7
 *   seconds, TurboFan takes 12 to 20 % of the processor time, because each thread compiles the same functions. Its code
 *   gains less than that in a second.
 */
export class OnlyRunTuning {
  readonly #heapGrowingPercent: number;
  readonly #timer: NodeJS.Timeout;
  #mayBeShort: boolean;

  /** @param heapGrowingPercent as in `limitHeaps`, if it was called: such a run is never tuned as a short one */
  constructor(heapGrowingPercent?: number) {
    this.#mayBeShort = heapGrowingPercent === undefined;
    this.#heapGrowingPercent = heapGrowingPercent ?? HEAP_GROWING_PERCENT;
    this.#timer = setTimeout(() => {
      this.#expectAnyRun();
      this.#expectLongRun();
    }, LONG_RUN_MILLIS).unref();
  }

  /** Call this when a pipeline thread has opened, with the number of open ones. */
  opened(lanes: number): void {
    if (lanes === LONG_RUN_LANES) this.#expectLongRun();
  }

  /** Call this when all threads have loaded their code, with the number of open pipeline threads. */
  loaded(lanes: number): void {
    if (!this.#mayBeShort) return;
    setFlag(`--incremental-marking-hard-trigger=${LATE_PERCENT}`);
    if (lanes === 1) return;
    // Otherwise Maglev's code does not count its calls, and TurboFan would never compile these functions.
    setFlag('--force-emit-interrupt-budget-checks');
    setFlag('--no-turbofan');
  }

  /** Ends the tuning for a short run. */
  end(): void {
    clearTimeout(this.#timer);
    this.#expectAnyRun();
  }

  /** TurboFan compiles the functions that are frequent. Threads that load later do not make the run a short one. */
  #expectAnyRun(): void {
    this.#mayBeShort = false;
    setFlag('--incremental-marking-hard-trigger=0');
    setFlag('--turbofan');
  }

  #expectLongRun(): void {
    setFlag(`--heap-growing-percent=${this.#heapGrowingPercent}`);
    for (const flag of LONG_RUN_FLAGS) setFlag(flag);
  }
}

function setFlag(flag: string): void {
  process.getBuiltinModule('node:v8').setFlagsFromString(flag);
}

/** The size at which a heap of a distributed run is collected for the first time, in MiB. */
const FIRST_COLLECTION_MB = 14;

/**
 * Limits the heaps of the threads that start later. The chunks of a distributed run are in memory outside the heaps, and
 * are freed immediately. So the heaps grow slowly. By default, V8 lets each one grow to 40 MiB before it collects it for
 * the first time, and most of that is garbage.
 * @param heapGrowingPercent the maximum growth before a collection, in percent of the live memory
 * @param youngMb the size of a young generation, in MiB. V8 divides it into three equal parts
 * @param isLocal whether a run uses the main thread, whose young generation then must not grow to 32 MiB
 */
export function limitHeaps(
  { heapGrowingPercent, youngMb }: Readonly<{ heapGrowingPercent: number; youngMb: number }>,
  isLocal = false,
): void {
  setFlag(`--initial-old-space-size=${FIRST_COLLECTION_MB}`);
  setFlag(`--heap-growing-percent=${heapGrowingPercent}`);
  if (!isLocal) return;
  // The main thread has no separate limit. All young generations keep the size with which they start.
  // From here on, this only makes V8 collect heaps that have grown by 2 MiB, instead of 8.
  setFlag('--optimize-for-size');
  setFlag('--semi-space-growth-factor=1');
  setFlag(`--min-semi-space-size=${youngMb / 3}`);
}

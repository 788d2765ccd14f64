import { setV8Flag } from './v8-flag.ts';

/** The share of its limit at which V8 starts to collect an old generation, in percent. */
const LATE_PERCENT = 90;

/**
 * Tunes V8 in all threads of the process for a run of about a second. Call this only when all threads have loaded their
 * code, because V8 rejects compiled code after a change of a flag.
 *
 * - The old generations may grow up to their limits. By default, V8 collects each thread after a quarter of a second,
 *   when it has loaded its code: its limit then is only 8 MiB above the size. This takes 5 to 9 % of the processor time.
 * - If there are several pipeline threads, Maglev compiles the frequent functions, and TurboFan none. In a run of 0.7
 *   seconds, TurboFan takes 12 to 20 % of the processor time, because each thread compiles the same functions. Its code
 *   gains less than that in a second.
 *
 * @param threads the number of pipeline threads of the run
 */
export function expectShortRun(threads: number): void {
  setV8Flag(`--incremental-marking-hard-trigger=${LATE_PERCENT}`);
  if (threads === 1) return;
  // Otherwise Maglev's code does not count its calls, and TurboFan would never compile these functions.
  setV8Flag('--force-emit-interrupt-budget-checks');
  setV8Flag('--no-turbofan');
}

/** Ends the effect of `expectShortRun`. TurboFan then compiles the functions that are frequent. */
export function expectAnyRun(): void {
  setV8Flag('--incremental-marking-hard-trigger=0');
  setV8Flag('--turbofan');
}

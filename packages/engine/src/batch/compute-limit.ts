import { availableParallelism, loadavg } from 'node:os';
import { runGuarded } from './compute-guard.ts';

/** A document counts as overdue when it has used this part of its time. The guard itself uses the rest. */
const USED_UP = 0.9;
/** How many times its limit a document may take on the clock if the thread gets no processor time. */
const MAX_STRETCH = 16;
/** The same for work that cannot be repeated. */
const MAX_STRETCH_ONCE = 4;
/** After documents that used up the limit, further documents get at least this part of it. */
const LEAST_PART = 1 / 4;
/** An overdue document is forgotten after this many limits on the clock without another overdue document. */
const FORGOTTEN_AFTER = 10;

/**
 * The result of the work for a document. `starved`: the machine is busy, and the work was ended before it had used its
 * processor time. Repeat it from the beginning.
 */
export type ComputeOutcome = 'done' | 'overdue' | 'starved';

/**
 * Enforces the time that stages may compute on one document (`worker.maxProcessingSecs`). V8 measures a time limit on
 * the clock, so the processor time is checked after V8 has ended the work.
 * Documents that compute without end are rarely alone: the same pattern meets similar texts. So after one document has
 * used up the limit, the next document gets half of it and all others a quarter, but at least twice the time of the
 * slowest document that finished. Ten limits after the last overdue document, documents get the whole limit again.
 */
export class ComputeLimit {
  /** `worker.maxProcessingSecs` in milliseconds. */
  readonly millis: number;
  #overdue = 0;
  #lastOverdue = 0;
  #longest = 0;
  /** For the document that starved last. */
  #stretch = 1;

  readonly #now: () => number;

  /** @param now a clock, in milliseconds */
  constructor(millis: number, now: () => number = () => performance.now()) {
    this.millis = millis;
    this.#now = now;
  }

  /** Processor time in milliseconds that the next document may use. */
  get current(): number {
    const part = this.#isForgotten() ? 1 : Math.max(LEAST_PART, 1 / 2 ** this.#overdue);
    return Math.min(this.millis, Math.max(part * this.millis, 2 * this.#longest));
  }

  /** Runs work for one document. The work can be repeated from the beginning. */
  run(work: () => void): ComputeOutcome {
    const limit = this.current;
    const before = processorMillis();
    const inTime = runGuarded(work, limit * this.#stretch);
    const used = processorMillis() - before;
    if (inTime) {
      this.#longest = Math.max(this.#longest, used);
      this.#stretch = 1;
      return 'done';
    }
    if (used < USED_UP * limit && this.#stretch < MAX_STRETCH) {
      // A quarter more than it takes at the share of a processor that it got.
      const share = used / (limit * this.#stretch);
      this.#stretch = Math.min(MAX_STRETCH, Math.max(2 * this.#stretch, 1.25 / share));
      return 'starved';
    }
    this.#stretch = 1;
    this.#countOverdue();
    return 'overdue';
  }

  /**
   * Runs work for one document that cannot be repeated. Returns false if the work was ended because it took too long.
   * @param moreMillis how much longer than the limit it may take
   */
  runOnce(work: () => void, moreMillis = 0): boolean {
    // The limit on the clock must be set before the work starts. It depends on how many threads compete for each
    // processor.
    const wanted = (loadavg()[0] as number) / availableParallelism();
    const millis = (this.current + moreMillis) * Math.min(MAX_STRETCH_ONCE, Math.max(1, wanted));
    if (runGuarded(work, millis)) return true;
    this.#countOverdue();
    return false;
  }

  #countOverdue(): void {
    this.#overdue = this.#isForgotten() ? 1 : this.#overdue + 1;
    this.#lastOverdue = this.#now();
  }

  #isForgotten(): boolean {
    return this.#now() - this.#lastOverdue > FORGOTTEN_AFTER * this.millis;
  }
}

/** Processor time of this thread in milliseconds, or the time on the clock if the system does not report it. */
export const processorMillis: () => number = threadTimeIsKnown()
  ? () => {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1000;
    }
  : () => performance.now();

function threadTimeIsKnown(): boolean {
  try {
    process.threadCpuUsage();
    return true;
  } catch {
    return false;
  }
}

import { availableParallelism, loadavg } from 'node:os';
import { runGuarded } from './guard.ts';

/**
 * Most work takes less than this part of the time limit of a document. Work on several documents at a time gets no more:
 * if it takes longer, the documents are processed alone, each with its full limit. So a document that uses its full
 * limit costs little more than the limit.
 */
export const SHORT_PART = 1 / 16;
/** A document is overdue if it has used this fraction of its time. The guard itself uses the rest. */
const USED_UP = 0.9;
/** The maximum time on the clock, as a multiple of the limit, if the thread gets no processor time. */
const MAX_STRETCH = 16;
/** The same maximum for work that cannot be repeated. */
const MAX_STRETCH_ONCE = 4;
/** The minimum time of documents after overdue documents, as a fraction of the limit. */
const LEAST_PART = 1 / 4;
/** An overdue document is forgotten after this time without another overdue document, as a multiple of the limit. */
const FORGOTTEN_AFTER = 10;

/**
 * The result of the work for a document. `starved`: the machine is busy, and the work was interrupted before it had
 * used its processor time. Repeat the work from the beginning.
 */
export type DeadlineOutcome = 'done' | 'overdue' | 'starved';

/**
 * Enforces the time limit of the stages for one document (`worker.maxProcessingSecs`). V8 measures time on the clock,
 * so the processor time is checked after V8 has interrupted the work.
 * There is often more than one document that computes endlessly, because a slow pattern meets many similar texts. So
 * the document after an overdue document gets half of the limit, and later documents a quarter. All of them get at
 * least twice the time of the slowest finished document. After a time of ten limits without another overdue document,
 * documents get the full limit again.
 */
export class Deadline {
  /** The value of `worker.maxProcessingSecs` in milliseconds. */
  readonly millis: number;
  #overdue = 0;
  #lastOverdue = 0;
  #longest = 0;
  /** The factor for the time of the document that starved last. */
  #stretch = 1;

  readonly #now: () => number;

  /** @param now returns the current time in milliseconds */
  constructor(millis: number, now: () => number = () => performance.now()) {
    this.millis = millis;
    this.#now = now;
  }

  /** The processor time in milliseconds that the next document may use. */
  get current(): number {
    const part = this.#isForgotten() ? 1 : Math.max(LEAST_PART, 1 / 2 ** this.#overdue);
    return Math.min(this.millis, Math.max(part * this.millis, 2 * this.#longest));
  }

  /** Runs work for one document. The caller must be able to repeat the work from the beginning. */
  run(work: () => void): DeadlineOutcome {
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
      // 25 % more than the work needs with the share of a processor that it got.
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

/**
 * Returns the processor time of this thread in milliseconds, or the time on the clock if the system does not report it.
 */
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

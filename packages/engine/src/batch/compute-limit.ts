import { availableParallelism, loadavg } from 'node:os';
import { runGuarded } from './compute-guard.ts';

/** A document counts as overdue when it has used this part of its time: the rest is the guard's own. */
const USED_UP = 0.9;
/** How many times as long as its limit a document may take where the thread gets no processor. */
const MAX_STRETCH = 16;
/** The same for work that cannot be done a second time. */
const MAX_STRETCH_ONCE = 4;
/** After documents that used up the limit, further ones get this part of it, at least. */
const LEAST_PART = 1 / 4;
/** An overdue document is forgotten when the thread has had no other one for so many limits, on the clock. */
const FORGOTTEN_AFTER = 10;

/**
 * What became of the work for a document. `starved`: it was ended before it had used its processor time, because the
 * machine is busy; do it again from its beginning.
 */
export type ComputeOutcome = 'done' | 'overdue' | 'starved';

/**
 * Holds documents to the time that stages may compute on one of them (`worker.maxProcessingSecs`). V8 can end work only
 * after a time on the clock, so the processor time is looked at then.
 *
 * Documents that compute without end seldom come alone: the same pattern meets the same kind of text. So after one has
 * used up the limit, the next gets half of it and all others a quarter, but at least twice what the longest document
 * took that finished. Ten limits after the last one, documents have the whole limit again.
 */
export class ComputeLimit {
  /** `worker.maxProcessingSecs` in milliseconds. */
  readonly millis: number;
  #overdue = 0;
  #lastOverdue = 0;
  #longest = 0;
  /** For the document that was starved last. */
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

  /** Runs work for one document, which can be done again from its beginning. */
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
      // A quarter more than it takes at the share of a processor that it has had.
      const share = used / (limit * this.#stretch);
      this.#stretch = Math.min(MAX_STRETCH, Math.max(2 * this.#stretch, 1.25 / share));
      return 'starved';
    }
    this.#stretch = 1;
    this.#countOverdue();
    return 'overdue';
  }

  /** Runs work for one document that cannot be done again. False: it was ended because it took too long. */
  runOnce(work: () => void): boolean {
    // How long it may take on the clock has to be known before: by how many want each processor.
    const wanted = (loadavg()[0] as number) / availableParallelism();
    if (runGuarded(work, this.current * Math.min(MAX_STRETCH_ONCE, Math.max(1, wanted)))) return true;
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

/** Processor time of this thread, in milliseconds; where the system does not tell, the time on the clock. */
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

import type { Step } from './step.ts';

/**
 * A copy of the counts of a pipeline, so that work that is interrupted and repeated is counted once. It is set before
 * every document and every group of documents. Times are not restored: they are the mean of a sample, which a repeated
 * call does not distort.
 */
export class StatisticsMark {
  readonly #steps: readonly Step[];
  readonly #counts: Float64Array;

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
    this.#counts = new Float64Array(4 * steps.length);
  }

  set(): void {
    const steps = this.#steps;
    const counts = this.#counts;
    for (let i = 0; i < steps.length; i++) {
      const { statistics } = steps[i] as Step;
      counts[4 * i] = statistics.processed;
      counts[4 * i + 1] = statistics.skipped;
      counts[4 * i + 2] = statistics.failed;
      counts[4 * i + 3] = statistics.children;
    }
  }

  /**
   * Subtracts the last documents of a table that passed through the first stages without a result. They pass through
   * these stages again, or not at all.
   */
  uncount(stages: number, documents: number): void {
    for (const { statistics, lastTable } of this.#steps.slice(0, stages)) {
      const first = lastTable.count - documents;
      const called = lastTable.rows?.filter((row) => row >= first).length ?? documents;
      statistics.processed -= called;
      statistics.skipped -= documents - called;
    }
  }

  /** Restores the counts. */
  restore(): void {
    for (const [i, { statistics }] of this.#steps.entries()) {
      statistics.processed = this.#counts[4 * i] as number;
      statistics.skipped = this.#counts[4 * i + 1] as number;
      statistics.failed = this.#counts[4 * i + 2] as number;
      statistics.children = this.#counts[4 * i + 3] as number;
    }
  }
}

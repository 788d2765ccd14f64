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
    this.#counts = new Float64Array(3 * steps.length);
  }

  set(): void {
    const steps = this.#steps;
    const counts = this.#counts;
    for (let i = 0; i < steps.length; i++) {
      const { statistics } = steps[i] as Step;
      counts[3 * i] = statistics.processed;
      counts[3 * i + 1] = statistics.children;
      counts[3 * i + 2] = statistics.errors;
    }
  }

  /**
   * Subtracts documents of a table that passed through the first stages without a result. They pass through these
   * stages again, or not at all.
   */
  uncount(stages: number, documents: number): void {
    for (const { statistics } of this.#steps.slice(0, stages)) statistics.processed -= documents;
  }

  /** Restores the counts. */
  restore(): void {
    for (const [i, { statistics }] of this.#steps.entries()) {
      statistics.processed = this.#counts[3 * i] as number;
      statistics.children = this.#counts[3 * i + 1] as number;
      statistics.errors = this.#counts[3 * i + 2] as number;
    }
  }
}

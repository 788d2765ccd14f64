import type { Step } from './step.ts';

/**
 * A copy of the counts of a pipeline, so that work that is ended in the middle and repeated counts once. It is set
 * before every document and every group of documents. (Times are not restored:
 * they come from a sample, and a repeated call adds to both sides of the mean.)
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
   * This many documents of a table went through the first stages without a result: they go through them again, or not
   * at all.
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

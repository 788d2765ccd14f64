import type { Step } from './step.ts';

/**
 * How far the counts of a pipeline were, so that work that is ended in the middle and done again counts once. Set
 * before every document and every table: it keeps only what such work can have changed. (Times do not matter: they
 * are of a sample, and what was timed twice weighs twice on both sides of the mean.)
 */
export class StatisticsMark {
  readonly #steps: readonly Step[];
  readonly #counts: Float64Array;

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
    this.#counts = new Float64Array(2 * steps.length);
  }

  set(): void {
    const steps = this.#steps;
    const counts = this.#counts;
    for (let i = 0; i < steps.length; i++) {
      const { statistics } = steps[i] as Step;
      counts[2 * i] = statistics.processed;
      counts[2 * i + 1] = statistics.children;
    }
  }

  /** So many documents of a table went through the first stages for nothing: they will go through them again, or never. */
  uncount(stages: number, documents: number): void {
    for (const { statistics } of this.#steps.slice(0, stages)) statistics.processed -= documents;
  }

  /** Takes the counts back to where they were. */
  restore(): void {
    for (const [i, { statistics }] of this.#steps.entries()) {
      statistics.processed = this.#counts[2 * i] as number;
      statistics.children = this.#counts[2 * i + 1] as number;
    }
  }
}

import type { Undo } from './undo.ts';

/** The counts of a stage, and the times of a sample of its calls. */
export interface StageStatistics {
  name: string;
  processed: number;
  children: number;
  errors: number;
  /** The number of timed calls, and their total time in milliseconds. */
  timed: number;
  timedMillis: number;
  /** The lookups in the cache of the stage that found a value, and the others. */
  hits: number;
  misses: number;
}

/** Returns the statistics of a stage without any calls. */
export function newStatistics(name: string): StageStatistics {
  return { name, processed: 0, children: 0, errors: 0, timed: 0, timedMillis: 0, hits: 0, misses: 0 };
}

/**
 * Marks the counts of the stages of a pipeline before every document and every group of documents, so that work that is
 * interrupted and repeated is counted once. Times are not restored: they are the mean of a sample, which a repeated
 * call does not distort.
 */
export class StatisticsMark {
  readonly #stages: readonly StageStatistics[];
  /** The counts at the last two marks. V8 may interrupt a mark, and then the mark before it is still complete. */
  readonly #counts: readonly [Float64Array, Float64Array];
  readonly #undo: readonly [Undo, Undo] = [() => this.#restore(0), () => this.#restore(1)];
  #last: 0 | 1 = 0;

  constructor(stages: readonly StageStatistics[]) {
    this.#stages = stages;
    this.#counts = [new Float64Array(3 * stages.length), new Float64Array(3 * stages.length)];
  }

  mark(): Undo {
    const next = this.#last === 0 ? 1 : 0;
    const counts = this.#counts[next];
    for (let i = 0; i < this.#stages.length; i++) {
      const { processed, children, errors } = this.#stages[i] as StageStatistics;
      counts[3 * i] = processed;
      counts[3 * i + 1] = children;
      counts[3 * i + 2] = errors;
    }
    this.#last = next;
    return this.#undo[next];
  }

  /**
   * Subtracts documents of a table that passed through the first stages without a result. They pass through these
   * stages again, or not at all.
   */
  uncount(stages: number, documents: number): void {
    for (const statistics of this.#stages.slice(0, stages)) statistics.processed -= documents;
  }

  #restore(mark: 0 | 1): void {
    const counts = this.#counts[mark];
    for (const [i, statistics] of this.#stages.entries()) {
      statistics.processed = counts[3 * i] as number;
      statistics.children = counts[3 * i + 1] as number;
      statistics.errors = counts[3 * i + 2] as number;
    }
  }
}

import { type Counts, noCounts, STAGE_COUNTERS } from '../counters/counters.ts';
import type { Undo } from './undo.ts';

/** The counts of a stage, and the times of a sample of its calls. */
export interface StageStatistics extends Counts<typeof STAGE_COUNTERS> {
  name: string;
  /** The number of timed calls, and their total time in milliseconds. */
  timed: number;
  timedMillis: number;
  /** The number of rows of the last table, and those that met the condition. Undefined: all. */
  lastTable: { readonly count: number; readonly rows: readonly number[] | undefined };
}

/** Returns the statistics of a stage without any calls. */
export function newStatistics(name: string): StageStatistics {
  return { name, ...noCounts(STAGE_COUNTERS), timed: 0, timedMillis: 0, lastTable: { count: 0, rows: undefined } };
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
    this.#counts = [new Float64Array(4 * stages.length), new Float64Array(4 * stages.length)];
  }

  mark(): Undo {
    const next = this.#last === 0 ? 1 : 0;
    const counts = this.#counts[next];
    for (let i = 0; i < this.#stages.length; i++) {
      const { processed, children, failed, skipped } = this.#stages[i] as StageStatistics;
      counts[4 * i] = processed;
      counts[4 * i + 1] = children;
      counts[4 * i + 2] = failed;
      counts[4 * i + 3] = skipped;
    }
    this.#last = next;
    return this.#undo[next];
  }

  /**
   * Subtracts the last documents of a table that passed through the first stages without a result. They pass through these
   * stages again, or not at all.
   */
  uncount(stages: number, documents: number): void {
    for (const statistics of this.#stages.slice(0, stages)) {
      const { count, rows } = statistics.lastTable;
      const called = rows?.filter((row) => row >= count - documents).length ?? documents;
      statistics.processed -= called;
      statistics.skipped -= documents - called;
    }
  }

  #restore(mark: 0 | 1): void {
    const counts = this.#counts[mark];
    for (const [i, statistics] of this.#stages.entries()) {
      statistics.processed = counts[4 * i] as number;
      statistics.children = counts[4 * i + 1] as number;
      statistics.failed = counts[4 * i + 2] as number;
      statistics.skipped = counts[4 * i + 3] as number;
    }
  }
}

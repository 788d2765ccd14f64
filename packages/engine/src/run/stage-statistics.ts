import { type Counts, namesOf, noCounts, STAGE_COUNTERS } from '../counters/counters.ts';
import { SharedRows } from '../counters/shared-rows.ts';
import type { StageStatistics } from '../execution/stage-statistics.ts';

/** The statistics of a stage in the pipeline of a connector. */
export interface StageProgress extends Counts<typeof STAGE_COUNTERS> {
  connector: string;
  pipeline: string;
  stage: string;
  /** The class name of the stage. */
  class: string;
  /** The mean time per document in milliseconds, including waiting, measured with a sample. */
  meanMillis: number;
}

/** The name of a stage in a run, and its class. */
export interface StageName {
  readonly name: string;
  readonly class: string;
}

const COUNTERS = namesOf(STAGE_COUNTERS);
const CELLS = [...COUNTERS, 'timed', 'timedMillis'] as const;

/**
 * The statistics of the stages in one pipeline thread, which the thread shares with the run and the service. Only the
 * pipeline thread writes them, whenever it posts a part.
 */
export class SharedStatistics {
  readonly #rows: SharedRows<(typeof CELLS)[number]>;

  constructor(stages: number | SharedArrayBuffer) {
    this.#rows = new SharedRows(CELLS, stages);
  }

  get buffer(): SharedArrayBuffer {
    return this.#rows.buffer;
  }

  /** @param statistics the statistics of all stages, in the order of the pipeline */
  write(statistics: readonly StageStatistics[]): void {
    for (const [i, stage] of statistics.entries()) this.#rows.write(stage, i);
  }

  /** Adds up the statistics of a stage in several threads. */
  static sum(threads: readonly SharedStatistics[], stage: number): Omit<StageStatistics, 'name' | 'lastTable'> {
    const sum = { ...noCounts(STAGE_COUNTERS), timed: 0, timedMillis: 0 };
    for (const thread of threads) {
      const counts = thread.#rows.read(stage);
      for (const cell of CELLS) sum[cell] += counts[cell];
    }
    return sum;
  }
}

/** The stages of the pipeline of one connector, and the threads that execute them. */
export class ConnectorStages {
  readonly #connector: string;
  readonly #pipeline: string;
  readonly #stages: readonly StageName[];
  readonly #threads: SharedStatistics[] = [];

  constructor(connector: string, pipeline: string, stages: readonly StageName[]) {
    this.#connector = connector;
    this.#pipeline = pipeline;
    this.#stages = stages;
  }

  add(thread: SharedStatistics): void {
    this.#threads.push(thread);
  }

  progress(): StageProgress[] {
    const connector = this.#connector;
    const pipeline = this.#pipeline;
    return this.#stages.map(({ name, class: className }, i) => {
      const { timed, timedMillis, ...counts } = SharedStatistics.sum(this.#threads, i);
      const meanMillis = timed === 0 ? 0 : Math.round((timedMillis / timed) * 1e6) / 1e6;
      return { connector, pipeline, stage: name, class: className, ...counts, meanMillis };
    });
  }
}

import type { StageStatistics } from '../execution/stage-statistics.ts';

/** The statistics of a stage in the pipeline of a connector. */
export interface StageProgress {
  connector: string;
  pipeline: string;
  stage: string;
  /** The class name of the stage. */
  class: string;
  /** The number of documents that the stage processed. */
  processed: number;
  failed: number;
  /** The number of children that the stage emitted. */
  children: number;
  /** The mean time per document in milliseconds, including waiting, measured with a sample. */
  meanMillis: number;
  /** For a stage with a cache: how many lookups found a value, and how many did not. Otherwise both are 0. */
  cacheHits: number;
  cacheMisses: number;
}

/** The name of a stage in a run, and its class. */
export interface StageName {
  readonly name: string;
  readonly class: string;
}

const FIELDS = ['processed', 'errors', 'children', 'timed', 'timedMillis', 'hits', 'misses'] as const;

/** The statistics of a stage without its name. */
type StageCounts = Record<(typeof FIELDS)[number], number>;

/**
 * The statistics of the stages in one pipeline thread, in memory that the thread shares with the run and the service.
 * They are read without a message, even after the thread has ended. Only the pipeline thread writes them, whenever it
 * posts a part.
 */
export class SharedStatistics {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Float64Array;

  constructor(stages: number | SharedArrayBuffer) {
    this.buffer =
      typeof stages === 'number'
        ? new SharedArrayBuffer(stages * FIELDS.length * Float64Array.BYTES_PER_ELEMENT)
        : stages;
    this.#cells = new Float64Array(this.buffer);
  }

  /** @param statistics the statistics of all stages, in the order of the pipeline */
  write(statistics: readonly StageStatistics[]): void {
    let at = 0;
    for (const stage of statistics) for (const field of FIELDS) this.#cells[at++] = stage[field];
  }

  #read(stage: number): StageCounts {
    const counts = noCounts();
    for (const [i, field] of FIELDS.entries()) counts[field] = this.#cells[stage * FIELDS.length + i] ?? 0;
    return counts;
  }

  /** Adds up the statistics of several threads, for each stage. */
  static sums(threads: readonly SharedStatistics[], stages: number): StageCounts[] {
    return Array.from({ length: stages }, (_, stage) => {
      const sum = noCounts();
      for (const thread of threads) {
        const counts = thread.#read(stage);
        for (const field of FIELDS) sum[field] += counts[field];
      }
      return sum;
    });
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
    const sums = SharedStatistics.sums(this.#threads, this.#stages.length);
    return this.#stages.map(({ name, class: className }, i) => {
      const { processed, errors: failed, children, timed, timedMillis, hits, misses } = sums[i] as StageCounts;
      const meanMillis = timed === 0 ? 0 : Math.round((timedMillis / timed) * 1e6) / 1e6;
      const cached = { cacheHits: hits, cacheMisses: misses };
      return { connector, pipeline, stage: name, class: className, processed, failed, children, meanMillis, ...cached };
    });
  }
}

function noCounts(): StageCounts {
  return { processed: 0, errors: 0, children: 0, timed: 0, timedMillis: 0, hits: 0, misses: 0 };
}

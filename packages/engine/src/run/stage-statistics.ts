import type { StageStatistics } from '../pipeline/step.ts';

/** Statistics of a stage in the pipeline of a connector. */
export interface StageProgress {
  connector: string;
  pipeline: string;
  stage: string;
  /** The name of its class. */
  class: string;
  /** The number of documents that it was called with. */
  processed: number;
  failed: number;
  /** The number of children that it emitted. */
  children: number;
  /** The mean time per document, waiting included, measured on a sample. */
  meanMillis: number;
}

/** The statistics of a stage with the name that its run uses. */
export interface StageName {
  readonly name: string;
  readonly class: string;
}

const FIELDS = ['processed', 'errors', 'children', 'timed', 'timedMillis'] as const;

/** The statistics of a stage without its name. */
type StageCounts = Record<(typeof FIELDS)[number], number>;

/**
 * The statistics of the stages of one pipeline thread, in memory that the thread shares with the run and the service.
 * They are read without a message, also after the thread is gone. Only that thread writes them, each time it posts a
 * part.
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

  /** @param statistics of all stages, in pipeline order */
  write(statistics: readonly StageStatistics[]): void {
    let at = 0;
    for (const stage of statistics) for (const field of FIELDS) this.#cells[at++] = stage[field];
  }

  #read(stage: number): StageCounts {
    const counts = noCounts();
    for (const [i, field] of FIELDS.entries()) counts[field] = this.#cells[stage * FIELDS.length + i] ?? 0;
    return counts;
  }

  /** Adds up the statistics of several threads, for each of the stages. */
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

/** The stages of the pipeline of one connector, and the threads that work for it. */
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
      const { processed, errors, children, timed, timedMillis } = sums[i] as StageCounts;
      const meanMillis = timed === 0 ? 0 : Math.round((timedMillis / timed) * 1e6) / 1e6;
      return { connector, pipeline, stage: name, class: className, processed, failed: errors, children, meanMillis };
    });
  }
}

function noCounts(): StageCounts {
  return { processed: 0, errors: 0, children: 0, timed: 0, timedMillis: 0 };
}

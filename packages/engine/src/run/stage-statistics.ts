import type { StageStatistics } from '../pipeline/step.ts';

/** What a stage of a connector's pipeline has done so far. */
export interface StageProgress {
  connector: string;
  pipeline: string;
  stage: string;
  /** The name of its class. */
  class: string;
  /** Documents that it was called with. */
  processed: number;
  failed: number;
  /** Children that it emitted. */
  children: number;
  /** How long it takes for a document on the average, by a sample; waiting included. */
  meanMillis: number;
}

/** A stage as its run names it. */
export interface StageName {
  readonly name: string;
  readonly class: string;
}

const FIELDS = ['processed', 'errors', 'children', 'timed', 'timedMillis'] as const;

/** Counts of a stage without its name. */
type StageCounts = Record<(typeof FIELDS)[number], number>;

/**
 * The statistics of the stages of one pipeline thread, in memory that it shares with the run and the service: read
 * without a message, and still there when the thread is gone. Written by that thread alone, whenever it posts a part.
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

  /** @param statistics of all stages, in the order of the pipeline */
  write(statistics: readonly StageStatistics[]): void {
    let at = 0;
    for (const stage of statistics) for (const field of FIELDS) this.#cells[at++] = stage[field];
  }

  #read(stage: number): StageCounts {
    const counts = noCounts();
    for (const [i, field] of FIELDS.entries()) counts[field] = this.#cells[stage * FIELDS.length + i] ?? 0;
    return counts;
  }

  /** The sums over threads, for each of so many stages. */
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

/** The stages of one connector's pipeline, and the threads that work for it. */
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

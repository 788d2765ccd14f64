/** The statistics of the indexer of a run. */
export interface IndexingProgress {
  /** The type of the indexer. Undefined before the config is checked. */
  indexer: string | undefined;
  /** The number of sent batches, and of batches in flight. */
  batches: number;
  inFlight: number;
  /** The number of documents in the sent batches, and how many of them failed. */
  documents: number;
  failed: number;
  /** The number of documents that were sent again. Each attempt counts. */
  retries: number;
  /** The number of documents that were not sent, because the destination has them. They count as succeeded. */
  unchanged: number;
  /** The total time of all sends. Times of concurrent batches are added. */
  seconds: number;
}

const FIELDS = ['batches', 'inFlight', 'documents', 'failed', 'retries', 'unchanged', 'seconds'] as const;

type Field = (typeof FIELDS)[number];

export function noIndexing(): IndexingProgress {
  return { indexer: undefined, batches: 0, inFlight: 0, documents: 0, failed: 0, retries: 0, unchanged: 0, seconds: 0 };
}

/**
 * The statistics of an indexer, in memory that the run shares with the service. Only the thread of the run writes them.
 */
export class SharedIndexing {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Float64Array;

  constructor(buffer = new SharedArrayBuffer(FIELDS.length * Float64Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#cells = new Float64Array(buffer);
  }

  began(): void {
    this.#add('inFlight', 1);
  }

  /** Counts a sent batch. */
  ended(documents: number, failed: number, seconds: number): void {
    this.#add('inFlight', -1);
    this.#add('batches', 1);
    this.#add('documents', documents);
    this.#add('failed', failed);
    this.#add('seconds', seconds);
  }

  retried(documents: number): void {
    this.#add('retries', documents);
  }

  unchanged(documents: number): void {
    this.#add('unchanged', documents);
  }

  read(indexer: string | undefined): IndexingProgress {
    const progress = { ...noIndexing(), indexer };
    for (const [i, field] of FIELDS.entries()) progress[field] = this.#cells[i] as number;
    return progress;
  }

  #add(field: Field, amount: number): void {
    (this.#cells[FIELDS.indexOf(field)] as number) += amount;
  }
}

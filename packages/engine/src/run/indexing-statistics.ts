/** What the indexer of a run has done so far. */
export interface IndexingProgress {
  /** Its type; undefined before the config is checked. */
  indexer: string | undefined;
  /** Batches that it has sent, and how many it is sending. */
  batches: number;
  inFlight: number;
  /** Documents in them, and those that failed of these. */
  documents: number;
  failed: number;
  /** Documents that were sent again, counted each time. */
  retries: number;
  /** How long sending took, the batches that were sent at the same time counted one by one. */
  seconds: number;
}

const FIELDS = ['batches', 'inFlight', 'documents', 'failed', 'retries', 'seconds'] as const;

type Field = (typeof FIELDS)[number];

export function noIndexing(): IndexingProgress {
  return { indexer: undefined, batches: 0, inFlight: 0, documents: 0, failed: 0, retries: 0, seconds: 0 };
}

/** What an indexer does, in memory that the run shares with the service, as its counts are. Written by the run's thread alone. */
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

  /** A batch that was begun has been sent. */
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

  read(indexer: string | undefined): IndexingProgress {
    const progress = { ...noIndexing(), indexer };
    for (const [i, field] of FIELDS.entries()) progress[field] = this.#cells[i] as number;
    return progress;
  }

  #add(field: Field, amount: number): void {
    (this.#cells[FIELDS.indexOf(field)] as number) += amount;
  }
}

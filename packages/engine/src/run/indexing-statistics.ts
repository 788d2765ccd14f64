import { type Counts, INDEXER_COUNTERS, namesOf } from '../counters/counters.ts';
import { SharedRows } from '../counters/shared-rows.ts';

type IndexerCounts = Counts<typeof INDEXER_COUNTERS>;

/** The statistics of the indexer of a run. */
export interface IndexingProgress extends IndexerCounts {
  /** The type of the indexer. Undefined before the config is checked. */
  indexer: string | undefined;
}

/** The statistics of an indexer, which the run shares with the service. Only the thread of the run writes them. */
export class SharedIndexing {
  readonly #rows: SharedRows<keyof IndexerCounts>;

  constructor(memory: number | SharedArrayBuffer = 1) {
    this.#rows = new SharedRows(namesOf(INDEXER_COUNTERS), memory);
  }

  get buffer(): SharedArrayBuffer {
    return this.#rows.buffer;
  }

  began(): void {
    this.#rows.add('inFlight', 1);
  }

  /** Counts a sent batch. */
  ended(documents: number, failed: number, seconds: number): void {
    this.#rows.add('inFlight', -1);
    this.#rows.add('batches', 1);
    this.#rows.add('documents', documents);
    this.#rows.add('failed', failed);
    this.#rows.add('seconds', seconds);
  }

  retried(documents: number): void {
    this.#rows.add('retries', documents);
  }

  unchanged(documents: number): void {
    this.#rows.add('unchanged', documents);
  }

  read(indexer: string | undefined): IndexingProgress {
    return { indexer, ...this.#rows.read() };
  }
}

import { type Counts, namesOf, noCounts, RUN_COUNTERS } from '../counters/counters.ts';
import { SharedRows } from '../counters/shared-rows.ts';

/** The document counts of a run, or of a connector. */
export type DocumentCounts = Counts<typeof RUN_COUNTERS>;

const NAMES = namesOf(RUN_COUNTERS);

export function noDocuments(): DocumentCounts {
  return noCounts(RUN_COUNTERS);
}

/** Returns the number of unfinished documents: not succeeded, failed or dropped. */
export function pendingDocuments(counts: DocumentCounts): number {
  return counts.published + counts.created - counts.succeeded - counts.failed - counts.dropped;
}

/** The counts of a run, which the thread of the run shares with the service. Only the thread of the run writes them. */
export class SharedCounts {
  readonly #rows: SharedRows<keyof DocumentCounts>;
  /**
   * The number of documents that were sent to an output that is not complete (see `Indexer.completesAtFinish`). Only
   * the thread of the run knows it. For others, these documents are unfinished.
   */
  held = 0;

  constructor(memory: number | SharedArrayBuffer = 1) {
    this.#rows = new SharedRows(NAMES, memory);
  }

  get buffer(): SharedArrayBuffer {
    return this.#rows.buffer;
  }

  add(field: keyof DocumentCounts, amount: number): void {
    this.#rows.add(field, amount);
  }

  /** Returns the counts as they will be if the output can be completed. */
  readWithHeld(): DocumentCounts {
    const counts = this.read();
    counts.succeeded += this.held;
    return counts;
  }

  read(): DocumentCounts {
    return this.#rows.read();
  }
}

/** The document counts of a run. In a finished run, published + created = succeeded + failed + dropped. */
export interface DocumentCounts {
  /** The number of records from the connectors after collapsing, including unreadable records. */
  published: number;
  /** The number of children that stages emitted. */
  created: number;
  succeeded: number;
  failed: number;
  dropped: number;
}

const FIELDS = ['published', 'created', 'succeeded', 'failed', 'dropped'] as const;

export function noDocuments(): DocumentCounts {
  return { published: 0, created: 0, succeeded: 0, failed: 0, dropped: 0 };
}

/** Returns the number of unfinished documents: not succeeded, failed or dropped. */
export function pendingDocuments(counts: DocumentCounts): number {
  return counts.published + counts.created - counts.succeeded - counts.failed - counts.dropped;
}

/**
 * The counts of a run in memory that its thread shares with the service. The service reads them without a message, even
 * after the thread has ended. Only the thread of the run writes them. They are doubles, because counts can exceed 2^32.
 */
export class SharedCounts {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Float64Array;
  /**
   * The number of documents that were sent to an output that is not complete (see `Indexer.completesAtFinish`). Only
   * the thread of the run knows it. For others, these documents are unfinished.
   */
  held = 0;

  constructor(buffer = new SharedArrayBuffer(FIELDS.length * Float64Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#cells = new Float64Array(buffer);
  }

  add(field: keyof DocumentCounts, amount: number): void {
    (this.#cells[FIELDS.indexOf(field)] as number) += amount;
  }

  /** Returns the counts as they will be if the output can be completed. */
  readWithHeld(): DocumentCounts {
    const counts = this.read();
    counts.succeeded += this.held;
    return counts;
  }

  read(): DocumentCounts {
    const counts = noDocuments();
    for (const [i, field] of FIELDS.entries()) counts[field] = this.#cells[i] as number;
    return counts;
  }
}

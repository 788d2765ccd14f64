import type { Confirmation, FailedInChunk } from '@headrace/engine';
import type { DocumentEvent } from '../queue/document-events.ts';

/** A batch of the publisher, with the results of its documents so far. */
interface OpenBatch {
  unfinished: number;
  created: number;
  succeeded: number;
  failed: number;
  dropped: number;
  readonly failures: FailedInChunk[];
  readonly resolve: (confirmation: Confirmation) => void;
  readonly reject: (error: Error) => void;
}

/** The maximum number of failures that are listed for a batch. */
const MAX_FAILURES = 100;

/**
 * The accounting of a run in Lucille's format, which reports about single documents. An id may be published several
 * times; each event finishes one of them. Events may come before the event that created their document.
 */
export class DocumentLedger {
  /** The batches with unfinished documents, by document id. */
  readonly #pending = new Map<string, OpenBatch[]>();
  /** Events that arrived before their document was created. */
  readonly #early = new Map<string, DocumentEvent[]>();
  /** The open batches, in the order in which they were published. */
  readonly #open = new Set<OpenBatch>();

  get size(): number {
    return this.#open.size;
  }

  /** Adds a batch of documents. Must be called before they are written. */
  add(ids: readonly string[]): Promise<Confirmation> {
    const none = { created: 0, succeeded: 0, failed: 0, dropped: 0, failures: [] };
    // A batch without documents gets no event that would finish it.
    if (ids.length === 0) return Promise.resolve(none);
    const { promise, resolve, reject } = Promise.withResolvers<Confirmation>();
    const batch: OpenBatch = { unfinished: ids.length, ...none, resolve, reject };
    this.#open.add(batch);
    for (const id of ids) this.#expect(id, batch);
    return promise;
  }

  /** Marks a document that could not be written. */
  refused(id: string, message: string): void {
    this.report({ type: 'FAIL', documentId: id, message });
  }

  /** Adds an event. Returns true if the event finished a batch. */
  report(event: DocumentEvent): boolean {
    const { type, documentId } = event;
    if (type === 'CREATE') return this.#create(documentId);
    const batches = this.#pending.get(documentId);
    const batch = batches?.shift();
    if (batch === undefined) {
      // The event is a duplicate, or belongs to a child whose creation is not reported yet.
      this.#early.getOrInsertComputed(documentId, () => []).push(event);
      return false;
    }
    if (batches?.length === 0) this.#pending.delete(documentId);
    return this.#finish(batch, event);
  }

  /** Rejects all open batches. */
  rejectAll(error: Error): void {
    for (const { reject } of this.#open) reject(error);
    this.#open.clear();
    this.#pending.clear();
  }

  /** A child is counted in the oldest open batch. Events do not name its parent, and only the totals matter. */
  #create(id: string): boolean {
    const [batch] = this.#open;
    if (batch === undefined) return false;
    batch.created++;
    batch.unfinished++;
    this.#expect(id, batch);
    const early = this.#early.get(id)?.shift();
    return early === undefined ? false : this.report(early);
  }

  #expect(id: string, batch: OpenBatch): void {
    this.#pending.getOrInsertComputed(id, () => []).push(batch);
  }

  #finish(batch: OpenBatch, { type, documentId, message = '' }: DocumentEvent): boolean {
    batch.unfinished--;
    if (type === 'FINISH') batch.succeeded++;
    else if (type === 'DROP') batch.dropped++;
    else {
      batch.failed++;
      const at = message.startsWith('FAILED: ') ? 'indexer' : 'worker';
      const failure = {
        id: documentId,
        at,
        code: 'HR_STAGE_FAILED',
        message: message.replace(/^FAILED: /, ''),
      } as const;
      if (batch.failures.length < MAX_FAILURES) batch.failures.push(failure);
    }
    if (batch.unfinished > 0) return false;
    this.#open.delete(batch);
    const { created, succeeded, failed, dropped, failures } = batch;
    batch.resolve({ created, succeeded, failed, dropped, failures });
    return true;
  }
}

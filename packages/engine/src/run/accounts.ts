import type { RejectedRecord } from '../component/connector.ts';
import type { Logger } from '../component/logger.ts';
import type { Failure } from '../errors/headrace-error.ts';
import type { OutcomePart } from '../transport/messages.ts';
import { Signal } from '../transport/signal.ts';
import { type DocumentCounts, noDocuments, pendingDocuments, type SharedCounts } from './counters.ts';
import { type FailedDocument, MAX_KEPT_FAILURES } from './run-result.ts';

/**
 * The books of one connector: every document that is entered gets exactly one end. Documents are entered when
 * they are handed to the pipeline threads, as far as their number is known then; those of a piece of bytes when
 * they have been decoded.
 */
export class Accounts {
  readonly counts: DocumentCounts = noDocuments();
  private readonly connector: string;
  private readonly shared: SharedCounts;
  private readonly failures: FailedDocument[];
  private readonly logger: Logger;
  private readonly changed = new Signal();
  /** For each batch of known size that is under way: how many of its documents no part has told of. */
  private readonly open = new Map<number, number>();

  /** @param failures the list of the run, to which the first failures are added */
  constructor(connector: string, shared: SharedCounts, failures: FailedDocument[], logger: Logger) {
    this.connector = connector;
    this.shared = shared;
    this.failures = failures;
    this.logger = logger;
  }

  /** Resolves when no more than so many documents are on their way, or when it makes no sense to wait any more. */
  async waitForPending(most: number, givenUp: () => boolean): Promise<void> {
    while (pendingDocuments(this.counts) > most && !givenUp()) await this.changed.wait();
  }

  /** A batch of so many documents goes to the pipeline threads. */
  entered(sequence: number, documents: number): void {
    this.open.set(sequence, documents);
    this.add('published', documents);
  }

  /** A part of what became of a batch has had its turn. */
  settled(part: OutcomePart): void {
    const known = this.open.get(part.sequence);
    // Upwards first: at no moment do the counts tell of more ends than beginnings.
    if (known === undefined) this.add('published', part.published);
    else this.open.set(part.sequence, known - part.published);
    this.add('created', part.created);
    this.add('dropped', part.dropped);
    this.add('failed', part.failed);
    for (const { id, at, failure } of part.failures) this.keep(id, at, failure);
    if (part.last) this.close(part.sequence, STOPPED);
    this.changed.notify();
  }

  succeeded(documents: number): void {
    this.add('succeeded', documents);
    this.changed.notify();
  }

  /** Documents that were on their way to the indexer failed; their ids, or those of the first of them. */
  failed(count: number, ids: readonly string[], failure: Failure): void {
    this.add('failed', count);
    for (const id of ids) this.keep(id, 'indexer', failure);
    this.changed.notify();
  }

  /** A record could not be read. */
  rejected({ place, message, id }: RejectedRecord): void {
    this.add('published', 1);
    this.add('failed', 1);
    this.keep(id ?? place, 'connector', { code: 'HR_RECORD_UNREADABLE', message: `${place}: ${message}` });
  }

  /** Whatever is under way in pipeline threads is lost, and so are documents that were published and not yet handed over. */
  lost(notHandedOver: number, failure: Failure): void {
    this.add('published', notHandedOver);
    this.failTogether(notHandedOver, failure);
    for (const sequence of [...this.open.keys()]) this.close(sequence, failure);
    this.changed.notify();
  }

  private close(sequence: number, failure: Failure): void {
    this.failTogether(this.open.get(sequence) ?? 0, failure);
    this.open.delete(sequence);
  }

  private failTogether(documents: number, failure: Failure): void {
    if (documents === 0) return;
    this.add('failed', documents);
    this.keep(documents === 1 ? '1 document' : `${documents} documents`, 'pipeline', failure);
  }

  private add(field: keyof DocumentCounts, amount: number): void {
    if (amount === 0) return;
    this.counts[field] += amount;
    this.shared.add(field, amount);
  }

  private keep(id: string, at: string, failure: Failure): void {
    if (this.failures.length >= MAX_KEPT_FAILURES) return;
    this.failures.push({ id, connector: this.connector, at, failure });
    const what =
      at === 'connector'
        ? `Record could not be read: ${id}`
        : `Document FAILED during ${at === 'indexer' ? 'indexing' : 'pipeline processing'}: ${id}`;
    this.logger.error(what, { id, at, code: failure.code, reason: failure.message });
    if (this.failures.length === MAX_KEPT_FAILURES) {
      this.logger.error(`These were ${MAX_KEPT_FAILURES} failures; further ones are counted, but not told one by one`);
    }
  }
}

const STOPPED: Failure = { code: 'HR_RUN_CANCELLED', message: 'The run was stopped before the document was processed' };

import type { OutcomePart } from '../batch/pipeline-messages.ts';
import type { RejectedRecord } from '../component/connector.ts';
import type { Logger } from '../component/logger.ts';
import { counted } from '../errors/counted.ts';
import type { Failure } from '../errors/headrace-error.ts';
import type { EncodedDocuments } from '../failures/encoded-documents.ts';
import type { FailureReports } from '../failures/failure-reports.ts';
import { type Content, MAX_KEPT_FAILURES } from '../failures/kept-failure.ts';
import { Signal } from '../transport/signal.ts';
import { type DocumentCounts, noDocuments, pendingDocuments, type SharedCounts } from './counters.ts';
import type { FailureLimit } from './failure-limit.ts';

/** Documents on their way to the indexer that failed together: `count` of them, from one on. */
export interface FailedAtIndexer {
  readonly documents: EncodedDocuments;
  readonly from: number;
  readonly count: number;
  /** How they are encoded. */
  readonly encoding: string;
  readonly failure: Failure;
  readonly status?: number | undefined;
}

/**
 * The books of one connector: every document that is entered gets exactly one end. Documents are entered when
 * they are handed to the pipeline threads, as far as their number is known then; those of a piece of bytes when
 * they have been decoded.
 */
export class Accounts {
  readonly counts: DocumentCounts = noDocuments();
  readonly #connector: string;
  readonly #pipeline: string | undefined;
  readonly #shared: SharedCounts;
  readonly #reports: FailureReports;
  readonly #limit: FailureLimit;
  readonly #logger: Logger;
  readonly #changed = new Signal();
  /** For each batch of known size that is under way: how many of its documents no part has told of. */
  readonly #open = new Map<number, number>();

  /**
   * @param reports of the run, which take the first failures
   * @param limit how many documents of the run may fail
   */
  constructor(
    { name, pipeline }: { readonly name: string; readonly pipeline?: string | undefined },
    shared: SharedCounts,
    reports: FailureReports,
    limit: FailureLimit,
    logger: Logger,
  ) {
    this.#connector = name;
    this.#pipeline = pipeline;
    this.#shared = shared;
    this.#reports = reports;
    this.#limit = limit;
    this.#logger = logger;
  }

  /** Resolves when no more than so many documents are on their way, or when it makes no sense to wait any more. */
  async waitForPending(most: number, givenUp: () => boolean): Promise<void> {
    while (pendingDocuments(this.counts) > most && !givenUp()) await this.#changed.wait();
  }

  /** A batch of so many documents goes to the pipeline threads. */
  entered(sequence: number, documents: number): void {
    this.#open.set(sequence, documents);
    this.#add('published', documents);
  }

  /** A part of what became of a batch has had its turn. */
  settled(part: OutcomePart): void {
    const known = this.#open.get(part.sequence);
    // Upwards first: at no moment do the counts tell of more ends than beginnings.
    if (known === undefined) this.#add('published', part.published);
    else this.#open.set(part.sequence, known - part.published);
    this.#add('created', part.created);
    this.#add('dropped', part.dropped);
    this.#add('failed', part.failed);
    for (const { id, at, failure, content } of part.failures) this.#keep(id, at, failure, content);
    this.#reports.leaveOut(part.failed - part.failures.length);
    if (part.last) this.#close(part.sequence, STOPPED);
    this.#changed.notify();
  }

  succeeded(documents: number): void {
    this.#add('succeeded', documents);
    this.#changed.notify();
  }

  /** Documents that were on their way to the indexer failed. */
  failed({ documents, from, count, encoding, failure, status }: FailedAtIndexer): void {
    this.#add('failed', count);
    const reports = this.#reports;
    let i = from;
    for (; i < from + count && !reports.full; i++) {
      const id = documents.ids[i];
      // Of a stream only the first are known.
      if (id === undefined) break;
      const content = reports.budget.closed ? undefined : documents.content(i, encoding, reports.budget);
      this.#keep(id, 'indexer', failure, content, status);
    }
    reports.leaveOut(from + count - i);
    this.#changed.notify();
  }

  /** A record could not be read. */
  rejected({ place, message, id }: RejectedRecord): void {
    this.#add('published', 1);
    this.#add('failed', 1);
    this.#keep(id ?? place, 'connector', { code: 'HR_RECORD_UNREADABLE', message: `${place}: ${message}` });
  }

  /** Whatever is under way in pipeline threads is lost, and so are documents that were published and not yet handed over. */
  lost(notHandedOver: number, failure: Failure): void {
    this.#add('published', notHandedOver);
    this.#failTogether(notHandedOver, failure);
    for (const sequence of [...this.#open.keys()]) this.#close(sequence, failure);
    this.#changed.notify();
  }

  #close(sequence: number, failure: Failure): void {
    this.#failTogether(this.#open.get(sequence) ?? 0, failure);
    this.#open.delete(sequence);
  }

  #failTogether(documents: number, failure: Failure): void {
    if (documents === 0) return;
    this.#add('failed', documents);
    this.#keep(counted(documents, 'document'), 'pipeline', failure, { omitted: LOST });
  }

  #add(field: keyof DocumentCounts, amount: number): void {
    if (amount === 0) return;
    this.counts[field] += amount;
    this.#shared.add(field, amount);
    if (field === 'failed') this.#limit.check(this.#shared.read());
  }

  #keep(id: string, at: string, failure: Failure, content?: Content, status?: number): void {
    const connector = this.#connector;
    const pipeline = this.#pipeline;
    const reports = this.#reports;
    if (reports.full) {
      reports.leaveOut(1);
      return;
    }
    const isLogged = !reports.toldEnough;
    reports.add({
      id,
      connector,
      at,
      failure,
      ...(pipeline === undefined ? {} : { pipeline }),
      ...(status === undefined ? {} : { status }),
      ...content,
    });
    if (!isLogged) return;
    const what =
      at === 'connector'
        ? `Record could not be read: ${id}`
        : `Document FAILED during ${at === 'indexer' ? 'indexing' : 'pipeline processing'}: ${id}`;
    this.#logger.error(what, { id, at, code: failure.code, reason: failure.message });
    if (reports.toldEnough) {
      this.#logger.error(`These were ${MAX_KEPT_FAILURES} failures; further ones are counted, but not told one by one`);
    }
  }
}

/** Why there is nothing of documents that were under way. */
const LOST = 'They were under way, and nobody knows any more which they were';
const STOPPED: Failure = { code: 'HR_RUN_CANCELLED', message: 'The run was stopped before the document was processed' };

import type { OutcomePart } from '../batch/pipeline-messages.ts';
import type { RejectedRecord } from '../component/connector.ts';
import type { Confirmation } from '../component/indexer.ts';
import type { Logger } from '../component/logger.ts';
import { counted } from '../errors/counted.ts';
import type { Failure } from '../errors/headrace-error.ts';
import type { EncodedDocuments } from '../failures/encoded-documents.ts';
import type { FailureReports } from '../failures/failure-reports.ts';
import { type Content, MAX_LISTED_FAILURES } from '../failures/kept-failure.ts';
import { Signal } from '../transport/signal.ts';
import { type DocumentCounts, noDocuments, pendingDocuments, type SharedCounts } from './counters.ts';
import type { FailureLimit } from './failure-limit.ts';

/** Documents that failed together on their way to the indexer: `count` documents, from index `from` on. */
export interface FailedAtIndexer {
  readonly documents: EncodedDocuments;
  readonly from: number;
  readonly count: number;
  /** The encoding of the documents. */
  readonly encoding: string;
  readonly failure: Failure;
  readonly status?: number | undefined;
}

/**
 * Counts the documents of one connector. Each published document succeeds, fails or is dropped exactly once. Documents
 * count as published when a pipeline thread receives them, if their number is already known. Documents in a chunk of
 * bytes count when they are decoded.
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
  /** For each unfinished batch of known size: the number of its documents that are not yet reported. */
  readonly #open = new Map<number, number>();
  /** The reasons why batches could not be decoded completely, until their last part arrives. */
  readonly #broken = new Map<number, Failure>();
  /** The number of documents that were sent to an output that is not complete. */
  #held = 0;

  /**
   * @param reports the failure reports of the run, which store the first failures
   * @param limit stops the run if too many documents fail
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

  /** Resolves when at most `most` documents are pending, or when `givenUp` returns true. */
  async waitForPending(most: number, givenUp: () => boolean): Promise<void> {
    while (this.pending > most && !givenUp()) await this.#changed.wait();
  }

  /** The number of documents that are being processed or sent. Held documents do not belong to them. */
  get pending(): number {
    return pendingDocuments(this.counts) - this.#held;
  }

  /** Counts a batch of known size that was handed to the pipeline threads. */
  entered(sequence: number, documents: number): void {
    this.#open.set(sequence, documents);
    this.#add('published', documents);
  }

  /** Counts one part of the result of a batch. Parts arrive in the order of their batches. */
  settled(part: OutcomePart): void {
    const known = this.#open.get(part.sequence);
    // Published documents are counted first: the counts must never show more finished documents than published ones. A
    // decoder may return more documents than its connector has published, which also fails the connector.
    this.#add('published', Math.max(0, part.published - (known ?? 0)));
    if (known !== undefined) this.#open.set(part.sequence, Math.max(0, known - part.published));
    this.#add('created', part.created);
    this.#add('dropped', part.dropped);
    this.#add('failed', part.failed);
    for (const { id, at, failure, content } of part.failures) this.#keep(id, at, failure, content);
    this.#reports.leaveOut(part.failed - part.failures.length);
    if (part.last) this.#close(part.sequence, this.#broken.get(part.sequence) ?? STOPPED);
    this.#changed.notify();
  }

  /** Notes why a batch could not be decoded completely. Call it before `settled` with the last part of the batch. */
  broken(sequence: number, failure: Failure): void {
    this.#broken.set(sequence, failure);
  }

  succeeded(documents: number): void {
    this.#add('succeeded', documents);
    this.#changed.notify();
  }

  /**
   * Keeps the number of documents that were sent to an output that is not complete. They count when the run ends, by
   * `complete` or `incomplete`.
   */
  hold(documents: number): void {
    this.#held += documents;
    this.#shared.held += documents;
    this.#changed.notify();
  }

  /** Counts the held documents as succeeded: the output is complete. */
  complete(): void {
    this.#add('succeeded', this.#release());
  }

  /** Counts the held documents as failed: the output does not exist. */
  incomplete(failure: Failure): void {
    this.#failTogether(this.#release(), failure, NOT_STORED);
  }

  /** Counts documents that failed on their way to the indexer. */
  failed({ documents, from, count, encoding, failure, status }: FailedAtIndexer): void {
    this.#limit.stopIfGone(failure);
    this.#add('failed', count);
    const reports = this.#reports;
    let i = from;
    for (; i < from + count && !reports.full; i++) {
      const id = documents.ids[i];
      // For a streaming indexer, only the first ids are known.
      if (id === undefined) break;
      const content = reports.budget.closed ? undefined : documents.content(i, encoding, reports.budget);
      this.#keep(id, 'indexer', failure, content, status);
    }
    reports.leaveOut(from + count - i);
    this.#changed.notify();
  }

  /** Counts a batch that the destination has confirmed later. */
  confirmed({ created, succeeded, failed, dropped, failures }: Confirmation): void {
    this.#add('created', created);
    this.#add('dropped', dropped);
    this.#add('succeeded', succeeded);
    this.#add('failed', failed);
    for (const { id, at, code, message } of failures) this.#keep(id, at, { code, message }, { omitted: ELSEWHERE });
    this.#reports.leaveOut(failed - failures.length);
    this.#changed.notify();
  }

  /** Counts documents that the destination has not confirmed. */
  unconfirmed(documents: number, failure: Failure): void {
    this.#failTogether(documents, failure);
    this.#changed.notify();
  }

  /** Counts a record that could not be read, with all its documents. */
  rejected({ place, message, id, count = 1 }: RejectedRecord): void {
    this.#add('published', count);
    this.#add('failed', count);
    this.#keep(id ?? place, 'connector', { code: 'HR_RECORD_UNREADABLE', message: `${place}: ${message}` });
  }

  /**
   * Counts all unfinished documents of the pipeline threads as failed. Also counts published documents that no pipeline
   * thread has received.
   */
  lost(notHandedOver: number, failure: Failure): void {
    this.#add('published', notHandedOver);
    this.#failTogether(notHandedOver, failure);
    for (const sequence of [...this.#open.keys()]) this.#close(sequence, failure);
    this.#changed.notify();
  }

  #close(sequence: number, failure: Failure): void {
    this.#failTogether(this.#open.get(sequence) ?? 0, failure);
    this.#open.delete(sequence);
    this.#broken.delete(sequence);
  }

  #release(): number {
    const held = this.#held;
    this.#held = 0;
    this.#shared.held -= held;
    return held;
  }

  #failTogether(documents: number, failure: Failure, omitted = LOST): void {
    if (documents === 0) return;
    this.#add('failed', documents);
    this.#keep(counted(documents, 'document'), 'pipeline', failure, { omitted });
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
    const isLogged = !reports.listFull;
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
    if (reports.listFull) {
      this.#logger.error(
        `The log lists the first ${MAX_LISTED_FAILURES} failures of a run. Later failures are only counted`,
      );
    }
  }
}

/** The reason why the content of documents that failed in another process is not stored. */
const ELSEWHERE = 'The document failed in another process, which does not send its content';
/** The reason why the content of unfinished documents is not stored. */
const LOST = 'The documents were being processed, and their ids and contents are lost';
/** The reason why the content of documents of an incomplete output is not stored. */
const NOT_STORED = 'The documents were sent, and their ids and contents are not stored. Run the config again';
const STOPPED: Failure = { code: 'HR_RUN_CANCELLED', message: 'The run was stopped before the document was processed' };

import type { OutcomePart } from '../batch/pipeline-messages.ts';
import type { EncodedBatch, Indexer, SendAnswer } from '../component/indexer.ts';
import type { IndexerSettings } from '../component/indexer-settings.ts';
import { type Failure, HeadraceError, toFailure } from '../errors/headrace-error.ts';
import { EncodedDocuments } from '../failures/encoded-documents.ts';
import type { FlowControl } from '../transport/flow-control.ts';
import { release } from '../transport/release.ts';
import { Signal } from '../transport/signal.ts';
import type { BatchTracks } from './batch-tracks.ts';
import { countOf, encodedBatch, type Slice, sizeOf } from './encoded-batch.ts';
import type { IndexingListener } from './indexing-listener.ts';
import { checkAnswer, isLater } from './send-answer.ts';
import { UnconfirmedBatches } from './unconfirmed.ts';

/** The number of documents in a batch if the config sets neither a number nor a size. */
const DEFAULT_BATCH_SIZE = 100;

/** A batch that the indexer is writing. */
interface Sending {
  readonly batch: EncodedBatch;
  readonly documents: EncodedDocuments;
  /** The number of the first source batch with documents in this batch. */
  readonly from: number;
  /** What counts as waiting for the indexer: the documents, and bytes that are not those of the slices. */
  waiting: number;
  keptBytes?: number;
}

/**
 * Sorts parts into the order of their source batches, cuts them into batches for the indexer, and sends the batches in
 * order. Sends one batch at a time, or as many in parallel as the indexer allows. In parallel, the indexer must keep
 * the versions of a document in order.
 */
export class Indexing {
  readonly #indexer: Indexer | undefined;
  readonly #settings: IndexerSettings;
  readonly #capacity: number;
  readonly #flow: FlowControl;
  readonly #listener: IndexingListener;
  readonly #pipeline: string;
  readonly #tracks: BatchTracks;
  readonly #unconfirmed: UnconfirmedBatches;
  readonly #early = new Map<number, OutcomePart[]>();
  readonly #progress = new Signal();
  /** The number of documents that failed because the destination was unavailable, not because of their content. */
  undelivered = 0;
  #head = 0;
  /** For each delivered part, the number of its unsent documents. */
  readonly #unsent = new Map<OutcomePart, number>();
  #heldBytes = 0;
  #queuedBytes = 0;
  #queuedDocuments = 0;
  /** Full batches that are ready to be sent, and the batch that is being filled. */
  #ready: Slice[][] = [];
  #filling: Slice[] = [];
  #fillingCount = 0;
  #fillingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The batches in flight, in the order in which their sends started. */
  readonly #inFlight = new Set<Sending>();
  readonly #givenUp = new AbortController();
  #aborted: Failure | undefined;
  /** The number of the first batch that is incomplete because the run was stopped. */
  #cutAt = Number.POSITIVE_INFINITY;
  #isThreadLost = false;
  /** The source waits for batches with lower numbers. */
  #awaited = 0;

  /**
   * @param indexer undefined means that nothing is sent and every document succeeds
   * @param capacity no new batch is started while this many documents wait for the indexer
   * @param pipeline the name of the pipeline
   * @param tracks the chunks that the connector tracks
   */
  constructor(
    indexer: Indexer | undefined,
    settings: IndexerSettings,
    capacity: number,
    flow: FlowControl,
    listener: IndexingListener,
    pipeline: string,
    tracks: BatchTracks,
  ) {
    this.#indexer = indexer;
    this.#capacity = capacity;
    this.#settings = settings;
    this.#flow = flow;
    this.#listener = listener;
    this.#pipeline = pipeline;
    this.#tracks = tracks;
    this.#unconfirmed = new UnconfirmedBatches({
      onConfirmed: (confirmation) => listener.onConfirmed(confirmation),
      onUnconfirmed: (documents, failure) => listener.onUnconfirmed(documents, failure),
      onProgress: () => this.#progress.notify(),
    });
  }

  /** Accepts a part of the result of a batch. Parts may arrive in any order. */
  accept(part: OutcomePart): void {
    if (this.#aborted !== undefined) return;
    if (part.cut === true) this.#cutAt = Math.min(this.#cutAt, part.sequence);
    if (part.sequence !== this.#head) {
      const waiting = this.#early.get(part.sequence);
      if (waiting === undefined) this.#early.set(part.sequence, [part]);
      else waiting.push(part);
      this.#heldBytes += sizeOf(part);
    } else {
      this.#deliver(part);
      // Delivers the parts that arrived early, up to the first unfinished batch.
      for (let last = part.last; last; ) {
        this.#head++;
        const waiting = this.#early.get(this.#head) ?? [];
        this.#early.delete(this.#head);
        for (const next of waiting) {
          this.#heldBytes -= sizeOf(next);
          this.#deliver(next);
        }
        last = waiting.at(-1)?.last ?? false;
      }
    }
    this.#updateFlow();
    this.#relieve();
    this.#send();
    this.#progress.notify();
  }

  /**
   * Resolves when all source batches with a lower number are processed and sent, or a thread was lost. Rejects if the
   * run ends before. If the run is stopped, batches that finished before count as settled.
   */
  async settled(sequence: number): Promise<void> {
    for (;;) {
      if (this.#cutAt < sequence) {
        throw new HeadraceError('HR_RUN_CANCELLED', 'The run ended before these documents were finished');
      }
      if (this.#firstOpen() >= sequence || this.#isThreadLost) return;
      await this.#progress.wait();
    }
  }

  /** The source publishes nothing more before some of the batches with a lower number are finished. */
  hurry(sequence: number): void {
    this.#awaited = sequence;
    this.#relieve();
    this.#send();
  }

  /** A pipeline thread was lost, and its batches will never settle. Ends all waiting of `settled`. */
  threadLost(): void {
    this.#isThreadLost = true;
    this.#progress.notify();
  }

  /** The number of the first unfinished batch. */
  #firstOpen(): number {
    const [oldest] = this.#inFlight;
    const unsent = (this.#ready[0]?.[0] ?? this.#filling[0])?.part.sequence ?? this.#head;
    return Math.min(oldest?.from ?? unsent, this.#unconfirmed.first);
  }

  /** Sends the remaining documents. Resolves when all accepted documents have been sent and confirmed. */
  async flush(): Promise<void> {
    this.#finishBatch();
    this.#send();
    while (this.#inFlight.size > 0 || this.#ready.length > 0 || this.#unconfirmed.size > 0) await this.#progress.wait();
  }

  /**
   * Stops sending. Waiting documents fail with this reason. Active requests may finish within `graceMillis`. After that
   * time, their documents count as failed, even if the requests succeed later.
   */
  async abort(failure: Failure, graceMillis: number): Promise<void> {
    this.#aborted = failure;
    this.#givenUp.abort();
    this.#progress.notify();
    this.#finishBatch();
    const waiting = this.#ready.flat();
    this.#ready = [];
    this.#cutAt = Math.min(
      this.#cutAt,
      this.#head,
      this.#unconfirmed.first,
      ...waiting.map(({ part }) => part.sequence),
    );
    this.#unconfirmed.abandon(failure);
    this.#progress.notify();
    // Parts that finished early are processed: they count as processed first, and then fail here.
    for (const parts of this.#early.values()) {
      for (const part of parts) {
        this.#listener.onPart(part);
        this.#failAll([{ part, from: 0, to: part.count, bytes: part.bytes }], failure);
      }
    }
    this.#early.clear();
    this.#failAll(waiting, failure);
    clearTimeout(this.#timer);
    const timer = setTimeout(() => {
      for (const { batch, documents, from } of this.#inFlight) {
        this.#cutAt = Math.min(this.#cutAt, from);
        this.#listener.onFailed({ documents, from: 0, count: batch.count, failure });
      }
      this.#inFlight.clear();
      this.#progress.notify();
    }, graceMillis);
    while (this.#inFlight.size > 0) await this.#progress.wait();
    clearTimeout(timer);
  }

  #failAll(slices: readonly Slice[], failure: Failure): void {
    if (slices.length === 0) return;
    this.#listener.onFailed({ documents: new EncodedDocuments(slices), from: 0, count: countOf(slices), failure });
  }

  #deliver(part: OutcomePart): void {
    this.#listener.onPart(part);
    this.#tracks.processed(part);
    if (part.count === 0) return;
    if (this.#indexer === undefined) {
      this.#listener.onSucceeded(part.count);
      this.#tracks.sent(part.sequence, part.count, []);
      return;
    }
    this.#queuedBytes += part.bytes.byteLength;
    this.#queuedDocuments += part.count;
    this.#unsent.set(part, part.count);
    if (this.#indexer.streaming) {
      this.#filling.push({ part, from: 0, to: part.count, bytes: part.bytes });
      this.#fillingBytes += part.bytes.byteLength;
      this.#fillingCount += part.count;
      // While a batch is sent, there must be space for the next documents.
      const isFull = this.#fillingCount >= this.#capacity * 0.75;
      if (isFull || this.#fillingBytes >= (this.#indexer.batchBytes ?? 0)) this.#finishBatch();
      else if (this.#filling.length === 1) this.#startTimer();
      return;
    }
    this.#cut(part);
    if (this.#filling.length > 0) this.#startTimer();
  }

  /**
   * Adds the documents of a part to batches. A batch is full if it has the maximum number of documents, or if the next
   * document would exceed its size.
   */
  #cut(part: OutcomePart): void {
    const { batchByteSize, batchSize = batchByteSize === undefined ? DEFAULT_BATCH_SIZE : Number.POSITIVE_INFINITY } =
      this.#settings;
    const lengths = part.lengths as Uint32Array;
    let from = 0;
    let start = 0;
    let end = 0;
    const take = (to: number) => {
      if (to > from) this.#filling.push({ part, from, to, bytes: part.bytes.subarray(start, end) });
      from = to;
      start = end;
    };
    for (let i = 0; i < part.count; i++) {
      const length = lengths[i] as number;
      const full =
        this.#fillingCount >= batchSize ||
        (this.#fillingCount > 0 && this.#fillingBytes + length > (batchByteSize ?? Infinity));
      if (full) {
        take(i);
        this.#finishBatch();
      }
      this.#fillingCount++;
      this.#fillingBytes += length;
      end += length;
    }
    take(part.count);
  }

  #finishBatch(): void {
    clearTimeout(this.#timer);
    if (this.#filling.length === 0) return;
    this.#ready.push(this.#filling);
    this.#filling = [];
    this.#fillingCount = 0;
    this.#fillingBytes = 0;
  }

  /** Sends an incomplete batch if no more documents can arrive. Otherwise the batch would wait forever. */
  #relieve(): void {
    if (this.#inFlight.size > 0 || this.#ready.length > 0) return;
    const first = this.#filling[0]?.part.sequence ?? this.#awaited;
    if (this.#flow.full || (first < this.#awaited && this.#head >= this.#awaited)) this.#finishBatch();
  }

  #startTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#finishBatch();
      this.#send();
    }, this.#settings.batchTimeout);
  }

  #send(): void {
    // A custom indexer may extend an older base class without `maxInFlight`. It gets one batch at a time.
    const most = this.#indexer?.maxInFlight ?? 1;
    while (this.#inFlight.size < most) {
      const slices = this.#takeReady();
      if (slices === undefined) return;
      void this.#sendBatch(slices);
    }
  }

  async #sendBatch(slices: readonly Slice[]): Promise<void> {
    const documents = new EncodedDocuments(slices);
    const origin = (sequence: number) => this.#tracks.origin(sequence);
    const keep = (positions: readonly number[]) => this.#keep(sending, slices, positions);
    const batch = encodedBatch(slices, documents, this.#pipeline, origin, keep);
    const { sequence } = (slices[0] as Slice).part;
    const sending: Sending = { batch, documents, from: sequence, waiting: batch.count };
    this.#inFlight.add(sending);
    const { statistics } = this.#listener;
    statistics?.began();
    const start = performance.now();
    const answer = await this.#attempt(batch);
    const failed = 'code' in answer ? batch.count : isLater(answer) ? 0 : answer.length;
    statistics?.ended(batch.count, failed, (performance.now() - start) / 1000);
    // An abandoned batch has already been counted.
    if (!this.#inFlight.delete(sending)) return;
    this.#report(sending, slices, answer);
    if (sending.keptBytes === undefined) for (const slice of slices) this.#settle(slice);
    this.#queuedBytes -= sending.keptBytes ?? 0;
    this.#queuedDocuments -= sending.waiting;
    this.#updateFlow();
    this.#relieve();
    this.#send();
    this.#progress.notify();
    this.#listener.onSpace();
  }

  /** Frees the memory of a batch, except of some of its documents. */
  #keep(sending: Sending, slices: readonly Slice[], positions: readonly number[]): void {
    if (sending.keptBytes !== undefined || !this.#inFlight.has(sending)) return;
    sending.keptBytes = sending.documents.keep(positions);
    for (const slice of slices) this.#settle(slice);
    this.#queuedBytes += sending.keptBytes;
    this.#queuedDocuments -= sending.waiting - positions.length;
    sending.waiting = positions.length;
    this.#updateFlow();
    this.#listener.onSpace();
  }

  /** Frees the memory of a part after all its documents are sent. */
  #settle({ part, from, to, bytes }: Slice): void {
    this.#queuedBytes -= bytes.byteLength;
    const left = (this.#unsent.get(part) ?? 0) - (to - from);
    if (left > 0) this.#unsent.set(part, left);
    else {
      this.#unsent.delete(part);
      release(part.bytes);
    }
  }

  #takeReady(): Slice[] | undefined {
    // A streaming indexer gets all waiting documents together.
    if (this.#indexer?.streaming !== true) return this.#ready.shift();
    const all = this.#ready.flat();
    this.#ready = [];
    return all.length === 0 ? undefined : all;
  }

  async #attempt(batch: EncodedBatch): Promise<SendAnswer | Failure> {
    try {
      const answer = await (this.#indexer as Indexer).send(batch, this.#givenUp.signal);
      checkAnswer(answer, batch.count);
      return answer;
    } catch (error) {
      return toFailure(error, 'HR_INDEXER_FAILED');
    }
  }

  #report({ batch, documents, from }: Sending, slices: readonly Slice[], answer: SendAnswer | Failure): void {
    if ('code' in answer) {
      this.undelivered += batch.count;
      this.#listener.onFailed({ documents, from: 0, count: batch.count, failure: answer });
      this.#tracks.written(slices, documents, (index) => ({ index, message: answer.message, undelivered: true }));
      return;
    }
    if (isLater(answer)) {
      this.#unconfirmed.add(batch.count, from, answer.confirmed);
      return;
    }
    for (const { index, message, status, undelivered } of answer) {
      if (undelivered === true) this.undelivered++;
      const failure: Failure = { code: 'HR_INDEXER_FAILED', message: message ?? 'The indexer gave no reason' };
      this.#listener.onFailed({ documents, from: index, count: 1, failure, status });
    }
    this.#listener.onSucceeded(batch.count - answer.length);
    const failed = new Map(answer.map((failure) => [failure.index, failure]));
    this.#tracks.written(slices, documents, (index) => failed.get(index));
  }

  #updateFlow(): void {
    const tooMany = this.#queuedDocuments >= this.#capacity;
    this.#flow.set(this.#head, this.#heldBytes, this.#queuedBytes, tooMany);
  }
}

import { bytesOf } from '../batch/chunk-marks.ts';
import { Decoders, decodeChecked } from '../batch/decoders.ts';
import type { EncodedInput, SourceBatch } from '../batch/pipeline-messages.ts';
import type { Publisher, RecordChunk, RecordNotice, RejectedRecord, TrackedChunk } from '../component/connector.ts';
import type { Logger } from '../component/logger.ts';
import { PublisherCalls } from '../component/published.ts';
import type { Document } from '../document/document.ts';
import type { Value } from '../document/value.ts';
import { counted } from '../errors/counted.ts';
import { HeadraceError } from '../errors/headrace-error.ts';
import type { Notices } from '../notices/notice.ts';
import type { NoticeCode } from '../notices/notice-table.ts';
import { encodeDocuments } from '../transport/document-wire.ts';
import { Signal } from '../transport/signal.ts';

/** The limits of a batch of documents that a connector creates itself: documents, and approximate characters. */
const BATCH_DOCUMENTS = 1000;
const BATCH_CHARACTERS = 256 * 1024;
/**
 * The number of documents of the first batch. Each following batch has up to twice as many, until the limit. Otherwise a
 * few hundred documents would be one batch, and a slow stage would process all of them in one thread.
 */
const FIRST_BATCH_DOCUMENTS = 4;
/** The maximum time that a document of a slow source waits before its batch is sent. */
const BATCH_MILLIS = 10;
/**
 * A smaller chunk waits for more chunks, up to this many bytes together. A batch costs about a millisecond of both
 * threads, so a batch for each small file would take longer than reading it.
 */
const SMALL_CHUNK_BYTES = 32 * 1024;
const BATCH_BYTES = 256 * 1024;
/** Both limits for an indexer that prefers large chunks: two pieces of a file together. */
const LARGE_BATCH_BYTES = 768 * 1024;

export interface BatchingPublisherOptions {
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** The notices of the connector. */
  readonly notices: Notices;
  /** True to merge consecutive documents with the same id. */
  readonly collapse: boolean;
  /** The maximum number of pending documents. Publishing waits when it is reached. Undefined means no limit. */
  readonly maxPending: number | undefined;
  /** True if the indexer prefers large chunks. */
  readonly largeChunks?: boolean | undefined;
  /** Waits until there is capacity for a batch. Rejects when no more batches are accepted. */
  readonly waitForSpace: (bytes: number) => Promise<void>;
  /** Passes a batch to the pipeline threads. Throws if no more batches are accepted. */
  readonly submit: (batch: SourceBatch, tracked?: TrackedChunk) => void;
  /** Waits until at most this many documents are pending. */
  readonly waitForPending: (most: number) => Promise<void>;
  /** Waits until all batches that were passed on so far are finished. Rejects if the run fails first. */
  readonly settled: () => Promise<void>;
  /** Sends the documents of all batches that were passed on so far, without a wait for a full batch. */
  readonly hurry: () => void;
  /** Waits until the failed documents so far are stored, or could not be stored. */
  readonly failuresStored: () => Promise<void>;
  /** The numbers of failed documents so far that do not count as read. */
  readonly unread: () => UnreadDocuments;
  /** True if documents count as read only when the output of the run is complete. */
  readonly readAtEnd?: boolean | undefined;
  readonly onReject: (record: RejectedRecord) => void;
}

/** The failed documents that do not count as read. */
export interface UnreadDocuments {
  /** The number of documents that failed because the destination accepted none. */
  readonly undelivered: number;
  /** The number of documents that are not kept where they can be run again. */
  readonly unkept: number;
}

/** Collects the documents that a connector publishes into numbered batches. */
export class BatchingPublisher implements Publisher {
  readonly signal: AbortSignal;
  /**
   * The number of documents that the connector published one at a time, before collapsing. Documents in chunks are
   * counted when they are decoded.
   */
  received = 0;
  readonly #options: BatchingPublisherOptions;
  /** The maximum number of documents in a batch. */
  readonly batchDocuments: number;
  /** A chunk of fewer bytes waits for more chunks. */
  readonly #smallBytes: number;
  /** The number of bytes at which the waiting chunks are sent. */
  readonly #batchBytes: number;
  readonly #decoders = new Decoders();
  #documents: Document[] = [];
  /** The number of documents at which they are sent. */
  #fullBatch: number;
  #characters = 0;
  /** Small chunks that wait for more. If there are any, there are no documents in `#documents`. */
  #chunks: RecordChunk[] = [];
  #chunkBytes = 0;
  #held: Document | undefined;
  readonly #released = new Signal();
  #notHandedOver = 0;
  /** The unread documents at the last call of `settled`. */
  #unread: UnreadDocuments;
  #timer: NodeJS.Timeout | undefined;
  #submitting: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | undefined;
  readonly #calls = new PublisherCalls();
  /** The calls of `publishChunk` that the connector may not have awaited. */
  readonly #open = new Set<Promise<void>>();

  constructor(options: BatchingPublisherOptions) {
    this.#options = options;
    this.signal = options.signal;
    this.#unread = options.unread();
    const isLarge = options.largeChunks === true;
    this.#smallBytes = isLarge ? LARGE_BATCH_BYTES : SMALL_CHUNK_BYTES;
    this.#batchBytes = isLarge ? LARGE_BATCH_BYTES : BATCH_BYTES;
    this.batchDocuments = Math.min(BATCH_DOCUMENTS, options.maxPending ?? BATCH_DOCUMENTS);
    this.#fullBatch = Math.min(FIRST_BATCH_DOCUMENTS, this.batchDocuments);
  }

  publish(document: Document): Promise<void> | undefined {
    this.#calls.publish(document);
    this.#check();
    this.received++;
    if (this.#options.collapse) {
      if (this.#held !== undefined && this.#held.id === document.id) {
        this.#held.setOrAddAll(document);
        return undefined;
      }
      const held = this.#held;
      this.#held = document;
      if (held === undefined) return undefined;
      this.#released.notify();
      return this.#add(held);
    }
    return this.#add(document);
  }

  async publishChunk(chunk: RecordChunk, tracked?: TrackedChunk): Promise<void> {
    this.#calls.publishChunk(chunk);
    const call = this.#publishChunk(chunk, tracked);
    this.#open.add(call);
    try {
      await call;
    } finally {
      this.#open.delete(call);
    }
  }

  async #publishChunk(chunk: RecordChunk, tracked?: TrackedChunk): Promise<void> {
    this.#check();
    const isPlain = tracked === undefined;
    // This limit counts single documents, so their number must be known here.
    if (isPlain && (this.#options.collapse || this.#options.maxPending !== undefined)) return this.#decodeHere(chunk);
    if (isPlain && mayWait(chunk) && chunk.bytes.length < this.#smallBytes) return this.#addChunk(chunk);
    await this.#sendCollected();
    await this.#enqueue({ kind: 'records', chunks: [chunk] }, tracked);
  }

  /** Publishes documents that are already encoded for the indexer. */
  async publishEncoded(batch: EncodedInput): Promise<void> {
    this.#check();
    this.received += batch.count;
    await this.#sendCollected();
    this.#notHandedOver += batch.count;
    await this.#enqueue(batch);
  }

  reject(record: RejectedRecord): Promise<void> | undefined {
    this.#calls.reject(record);
    this.#options.onReject(record);
    return undefined;
  }

  async settled(): Promise<void> {
    this.#check();
    const held = this.#held;
    while (held !== undefined && this.#held === held && this.#failure === undefined) await this.#released.wait();
    // These are also documents of this call that failed earlier, but not before the previous call.
    const before = this.#unread;
    this.#unread = this.#options.unread();
    await this.#sendCollected();
    await this.#options.settled();
    await this.#options.failuresStored();
    const now = this.#options.unread();
    const undelivered = now.undelivered - before.undelivered;
    if (undelivered > 0) {
      throw new HeadraceError('HR_INDEXER_UNDELIVERED', `${counted(undelivered, 'document')} could not be delivered`);
    }
    const unkept = now.unkept - before.unkept;
    if (unkept > 0) {
      const what = unkept === 1 ? 'is not kept where it can be run again' : 'are not kept where they can be run again';
      throw new HeadraceError('HR_RUN_FAILURES_NOT_KEPT', `${counted(unkept, 'failed document')} ${what}`);
    }
  }

  get collapses(): boolean {
    return this.#options.collapse;
  }

  get readAtEnd(): boolean {
    return this.#options.readAtEnd === true;
  }

  hurry(): void {
    this.#options.hurry();
  }

  /** Sends the collected documents. */
  async flush(): Promise<void> {
    await Promise.all(this.#open);
    if (this.#held !== undefined) {
      const held = this.#held;
      this.#held = undefined;
      this.#released.notify();
      await this.#add(held);
    }
    await this.#sendCollected();
    await this.#submitting;
    this.#check();
  }

  /** Accepts no more calls of the connector, which has ended: their documents would be lost. */
  close(): void {
    this.#calls.close();
  }

  /** Throws if the connector called the publisher after its end. */
  checkLate(): void {
    this.#calls.checkLate();
  }

  /** Accepts no more documents. Returns the number of published documents that no pipeline thread has received. */
  abandon(): number {
    clearTimeout(this.#timer);
    this.#failure ??= { error: new Error('The connector was abandoned') };
    this.#released.notify();
    const held = this.#held === undefined ? 0 : 1;
    this.#held = undefined;
    return this.#notHandedOver + held;
  }

  #add(document: Document): Promise<void> | undefined {
    if (this.#chunks.length > 0) this.#sendLater();
    this.#notHandedOver++;
    this.#documents.push(document);
    this.#characters += estimate(document);
    if (this.#documents.length >= this.#fullBatch || this.#characters >= BATCH_CHARACTERS) return this.#sendCollected();
    this.#timer ??= setTimeout(() => this.#sendLater(), BATCH_MILLIS);
    return undefined;
  }

  async #addChunk(chunk: RecordChunk): Promise<void> {
    if (this.#documents.length > 0) this.#sendLater();
    // The bytes may be a small part of a large buffer, and a connector could overwrite bytes that wait.
    const bytes = new Uint8Array(chunk.bytes);
    this.#chunks.push({ ...chunk, bytes });
    this.#chunkBytes += bytes.length;
    if (this.#chunkBytes >= this.#batchBytes || this.#chunks.length >= BATCH_DOCUMENTS) return this.#sendCollected();
    this.#timer ??= setTimeout(() => this.#sendLater(), BATCH_MILLIS);
  }

  /** Sends the collected documents or chunks. The next call reports its error, as in the reference. */
  #sendLater(): void {
    this.#sendCollected().catch(() => undefined);
  }

  #sendCollected(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [first, ...more] = this.#chunks;
    if (first !== undefined) {
      this.#chunks = [];
      this.#chunkBytes = 0;
      return this.#enqueue({ kind: 'records', chunks: [first, ...more] });
    }
    if (this.#documents.length === 0) return this.#submitting;
    const documents = this.#documents;
    this.#documents = [];
    this.#characters = 0;
    this.#fullBatch = Math.min(this.#fullBatch * 2, this.batchDocuments);
    return this.#enqueue({ kind: 'documents', bytes: encodeDocuments(documents), count: documents.length });
  }

  /** Sends batches one at a time, each when there is capacity for it. */
  #enqueue(batch: SourceBatch, tracked?: TrackedChunk): Promise<void> {
    const { maxPending, waitForSpace, submit, waitForPending } = this.#options;
    this.#submitting = this.#submitting
      .then(async () => {
        const documents = batch.kind === 'records' ? 0 : batch.count;
        if (maxPending !== undefined) await waitForPending(maxPending - documents);
        await waitForSpace(bytesIn(batch));
        // There is no `await` in this block: at every moment, each document must be in exactly one of the two places.
        submit(batch, tracked);
        this.#notHandedOver -= documents;
      })
      .catch((error) => {
        this.#failure ??= { error };
        throw error;
      });
    return this.#submitting;
  }

  /** Decodes a chunk in this thread, because collapsing needs all documents in order in one place. */
  async #decodeHere(chunk: RecordChunk): Promise<void> {
    const decoder = await this.#decoders.get(chunk.decoder);
    const waits: Promise<void>[] = [];
    decodeChecked(decoder, chunk, {
      document: (document) => {
        const wait = this.publish(document);
        if (wait !== undefined) waits.push(wait);
      },
      reject: (record) => void this.reject(record),
      warn: (message) => this.#options.log.warn(message),
      notice: (code: string, details?: RecordNotice) => this.#options.notices.report(code as NoticeCode, details),
    });
    await Promise.all(waits);
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

function bytesIn(batch: SourceBatch): number {
  return bytesOf(batch).reduce((sum, { length }) => sum + length, 0);
}

/** Returns whether a chunk may share a batch with other chunks. */
function mayWait({ documents, keepsRunIds, listsIds }: RecordChunk): boolean {
  return documents === undefined && !keepsRunIds && !listsIds;
}

/** Estimates the number of characters of a document without serializing it. */
function estimate(document: Document): number {
  let characters = 0;
  for (const value of document.fieldValues) characters += charactersOf(value);
  return characters;
}

function charactersOf(value: Value): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 10;
  if (value instanceof Uint8Array) return value.byteLength * 1.4;
  let characters = 10;
  // A list of numbers is short. Only texts, bytes and objects in a list may be large.
  if (Array.isArray(value)) for (const one of value) characters += typeof one === 'number' ? 10 : charactersOf(one);
  else if (value instanceof Map) for (const [name, one] of value) characters += name.length + charactersOf(one);
  return characters;
}

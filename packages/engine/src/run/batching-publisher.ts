import { Decoders } from '../batch/decoders.ts';
import type { EncodedInput, SourceBatch } from '../batch/pipeline-messages.ts';
import type { Publisher, RecordChunk, RecordSink, RejectedRecord, TrackedChunk } from '../component/connector.ts';
import type { Logger } from '../component/logger.ts';
import type { Document } from '../document/document.ts';
import { counted } from '../errors/counted.ts';
import { HeadraceError } from '../errors/headrace-error.ts';
import { encodeDocuments } from '../transport/document-wire.ts';
import { Signal } from '../transport/signal.ts';

/**
 * Documents that a connector creates itself are sent in batches of at most this many documents, or of about this many
 * characters.
 */
const BATCH_DOCUMENTS = 1000;
const BATCH_CHARACTERS = 256 * 1024;
/** Documents of a slow source wait at most this long until their batch is sent. */
const BATCH_MILLIS = 10;

export interface BatchingPublisherOptions {
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Merge consecutive documents that have the same id. */
  readonly collapse: boolean;
  /** Publishing waits while this many documents are pending. Undefined means no limit. */
  readonly maxPending: number | undefined;
  /** Waits until there is capacity for a batch. Rejects when no more batches are accepted. */
  readonly waitForSpace: () => Promise<void>;
  /** Hands over a batch. Throws if no more batches are accepted. */
  readonly submit: (batch: SourceBatch, tracked?: TrackedChunk) => void;
  /** Waits until at most this many documents are pending. */
  readonly waitForPending: (most: number) => Promise<void>;
  /** Waits until all batches that were handed over so far are finished. Rejects if the run gives up first. */
  readonly settled: () => Promise<void>;
  /** The number of documents that failed so far because the destination accepted none. */
  readonly undelivered: () => number;
  readonly onReject: (record: RejectedRecord) => void;
}

/** Collects the documents that a connector publishes into numbered batches. */
export class BatchingPublisher implements Publisher {
  readonly signal: AbortSignal;
  /**
   * Documents that the connector published one by one, before collapsing. Documents in chunks are counted where they
   * are decoded.
   */
  received = 0;
  readonly #options: BatchingPublisherOptions;
  /** The maximum number of documents in a batch. */
  readonly batchDocuments: number;
  readonly #decoders = new Decoders();
  #documents: Document[] = [];
  #characters = 0;
  #held: Document | undefined;
  readonly #released = new Signal();
  #notHandedOver = 0;
  /** The number of undeliverable documents at the last call of `settled`. */
  #undelivered = 0;
  #timer: NodeJS.Timeout | undefined;
  #submitting: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | undefined;

  constructor(options: BatchingPublisherOptions) {
    this.#options = options;
    this.signal = options.signal;
    this.batchDocuments = Math.min(BATCH_DOCUMENTS, options.maxPending ?? BATCH_DOCUMENTS);
  }

  publish(document: Document): Promise<void> | undefined {
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
    this.#check();
    const isPlain = tracked === undefined;
    // This limit counts single documents, so their number must be known here.
    if (isPlain && (this.#options.collapse || this.#options.maxPending !== undefined)) return this.#decodeHere(chunk);
    await this.#sendDocuments();
    await this.#enqueue({ kind: 'records', chunk }, tracked);
  }

  /** Documents that are already encoded for the indexer. */
  async publishEncoded(batch: EncodedInput): Promise<void> {
    this.#check();
    this.received += batch.count;
    await this.#sendDocuments();
    this.#notHandedOver += batch.count;
    await this.#enqueue(batch);
  }

  reject(record: RejectedRecord): Promise<void> | undefined {
    this.#options.onReject(record);
    return undefined;
  }

  async settled(): Promise<void> {
    this.#check();
    const held = this.#held;
    while (held !== undefined && this.#held === held && this.#failure === undefined) await this.#released.wait();
    // Documents of this call may have failed earlier, but not before the last call.
    const before = this.#undelivered;
    this.#undelivered = this.#options.undelivered();
    await this.#sendDocuments();
    await this.#options.settled();
    const count = this.#options.undelivered() - before;
    if (count === 0) return;
    throw new HeadraceError('HR_INDEXER_UNDELIVERED', `${counted(count, 'document')} could not be delivered`);
  }

  /** Sends the documents that are held back. */
  async flush(): Promise<void> {
    if (this.#held !== undefined) {
      const held = this.#held;
      this.#held = undefined;
      this.#released.notify();
      await this.#add(held);
    }
    await this.#sendDocuments();
    await this.#submitting;
    this.#check();
  }

  /** Accepts no more documents. Returns the number of published documents that no pipeline thread has received. */
  abandon(): number {
    clearTimeout(this.#timer);
    this.#failure ??= { error: new Error('The connector was given up') };
    this.#released.notify();
    const held = this.#held === undefined ? 0 : 1;
    this.#held = undefined;
    return this.#notHandedOver + held;
  }

  #add(document: Document): Promise<void> | undefined {
    this.#notHandedOver++;
    this.#documents.push(document);
    this.#characters += estimate(document);
    if (this.#documents.length >= this.batchDocuments || this.#characters >= BATCH_CHARACTERS)
      return this.#sendDocuments();
    // No caller awaits the timer's batch. An error shows at the next call, like with the asynchronous sends of the
    // reference.
    this.#timer ??= setTimeout(() => void this.#sendDocuments().catch(() => undefined), BATCH_MILLIS);
    return undefined;
  }

  #sendDocuments(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#documents.length === 0) return this.#submitting;
    const documents = this.#documents;
    this.#documents = [];
    this.#characters = 0;
    return this.#enqueue({ kind: 'documents', bytes: encodeDocuments(documents), count: documents.length });
  }

  /** Sends batches one at a time, each when there is capacity for it. */
  #enqueue(batch: SourceBatch, tracked?: TrackedChunk): Promise<void> {
    const { maxPending, waitForSpace, submit, waitForPending } = this.#options;
    this.#submitting = this.#submitting
      .then(async () => {
        const documents = batch.kind === 'records' ? 0 : batch.count;
        if (maxPending !== undefined) await waitForPending(maxPending - documents);
        await waitForSpace();
        // No await in here: at every moment each document must be in exactly one of the two places.
        submit(batch, tracked);
        this.#notHandedOver -= documents;
      })
      .catch((error) => {
        this.#failure ??= { error };
        throw error;
      });
    return this.#submitting;
  }

  /** Collapsing needs all documents in one place and in order. */
  async #decodeHere({ bytes, decoder: reference, position }: RecordChunk): Promise<void> {
    const decoder = await this.#decoders.get(reference);
    const waits: Promise<void>[] = [];
    const sink: RecordSink = {
      document: (document) => {
        const wait = this.publish(document);
        if (wait !== undefined) waits.push(wait);
      },
      reject: (record) => this.#options.onReject(record),
      warn: (message) => this.#options.log.warn(message),
    };
    decoder.decode(bytes, position, sink);
    await Promise.all(waits);
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Estimates the number of characters of a document without serializing it. */
function estimate(document: Document): number {
  let characters = 0;
  for (const value of document.fieldValues) {
    if (typeof value === 'string') characters += value.length;
    else if (value instanceof Uint8Array) characters += value.byteLength * 1.4;
    else characters += typeof value === 'object' && value !== null ? 200 : 10;
  }
  return characters;
}

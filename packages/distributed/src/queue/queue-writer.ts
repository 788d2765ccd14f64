import { type EncodedBatch, Indexer, type IndexFailure, type ModuleReference, Type } from '@headrace/engine';
import { kafkaSettings } from '../settings/kafka-settings.ts';
import { prepareTopics } from '../settings/prepare-topics.ts';
import { destTopic } from '../settings/topics.ts';
import { BatchEncoder } from '../wire/batch-encoder.ts';
import { QueuedDocumentEncoder } from '../wire/document-encoder.ts';
import { partitionOf } from '../wire/murmur2.ts';
import { failuresOf, type PartitionBatch, unpack } from '../wire/packed-batches.ts';
import { eventJson } from './document-events.ts';
import type { DocumentSources } from './document-sources.ts';
import { EventWriter } from './event-writer.ts';
import { type BatchHeader, toHeaders } from './headers.ts';
import { explainWrite, isTooLarge, PartitionWriter } from './partition-writer.ts';
import type { QueueOrigin } from './queue-origin.ts';

const parameters = Type.Object({
  settings: kafkaSettings,
  /** The pipeline. */
  pipeline: Type.String(),
});

const MAX_IN_FLIGHT = 8;

/** Sends processed documents to the topic that indexers read. It replaces the indexer in a worker. */
export class QueueWriter extends Indexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'queueWriter';
  static readonly type = 'QueueWriter';
  readonly #settings = this.params.settings;
  /** A batch is sent in one message. In Lucille's format each document has its own message, with its id as the key. */
  override readonly streaming = this.#settings.format === 'headrace';
  override readonly maxInFlight = MAX_IN_FLIGHT;
  readonly #topic = destTopic(this.#settings, this.params.pipeline);
  /** The number of partitions of the topic. */
  #partitions = 1;
  #writer: PartitionWriter | undefined;
  /** The parents' messages, which children in Lucille's format need. */
  #events: EventWriter | undefined;

  override async prepare(signal: AbortSignal): Promise<void> {
    const partitions = await prepareTopics(this.#settings, [this.params.pipeline], this.context.log, signal);
    this.#partitions = partitions.get(this.#topic) ?? 1;
  }

  override encoder(): ModuleReference {
    const partitions = this.#partitions;
    const { maxRequestSize: maxBytes } = this.#settings;
    return this.streaming ? BatchEncoder.reference({ partitions, maxBytes }) : QueuedDocumentEncoder.reference;
  }

  override async connect(): Promise<void> {
    this.#writer = await PartitionWriter.open(this.#settings, 'headrace-worker', this.context.log);
  }

  override async send(batch: EncodedBatch): Promise<readonly IndexFailure[]> {
    const failures = await Promise.all(this.streaming ? this.#sendBatches(batch) : this.#sendDocuments(batch));
    return failures.flat().sort((a, b) => a.index - b.index);
  }

  override async close(): Promise<void> {
    await this.#writer?.close();
  }

  #sendBatches({ pieces, origins }: EncodedBatch): Promise<IndexFailure[]>[] {
    const writes: Promise<IndexFailure[]>[] = [];
    const sources = origins();
    let first = 0;
    for (const [i, piece] of pieces.entries()) {
      const origin = sources[i] as QueueOrigin | undefined;
      for (const part of unpack(piece, first)) {
        first += part.count;
        writes.push(
          origin === undefined ? Promise.resolve(undelivered(failuresOf(part, CUT))) : this.#sendPart(part, origin),
        );
      }
    }
    return writes;
  }

  async #sendPart(part: PartitionBatch, origin: QueueOrigin): Promise<IndexFailure[]> {
    const { identity } = this.#settings;
    const { header = { run: '', batch: 0, count: 0, bytes: 0, config: identity }, attempt } = origin;
    // Counts the message before it is written, because an indexer may report it before the broker has answered.
    const number = origin.parts++;
    const headers: BatchHeader = {
      ...header,
      pieces: undefined,
      attempt,
      part: number,
      count: part.count,
      bytes: part.bytes,
    };
    try {
      const topic = this.#topic;
      const { partition, value } = part;
      await (this.#writer as PartitionWriter).write({ topic, partition, value, headers: toHeaders(headers) });
      return [];
    } catch (error) {
      origin.parts--;
      return this.#failures(error, (message) => failuresOf(part, message));
    }
  }

  #sendDocuments(batch: EncodedBatch): Promise<IndexFailure[]>[] {
    const bytes = Buffer.concat(batch.pieces);
    const lengths = batch.lengths();
    const origins = batch.origins();
    let piece = 0;
    let pieceEnd = batch.pieces[0]?.length ?? 0;
    let at = 0;
    return batch.ids().map((id, index) => {
      while (at >= pieceEnd) pieceEnd += batch.pieces[++piece]?.length ?? 1;
      const value = bytes.subarray(at, at + (lengths[index] as number));
      at += value.length;
      const origin = origins[piece] as QueueOrigin | undefined;
      if (origin === undefined) return Promise.resolve(undelivered([{ index, message: CUT }]));
      return this.#sendDocument(id, index, value, origin.documents, batch.pipeline);
    });
  }

  async #sendDocument(
    id: string,
    index: number,
    value: Buffer,
    documents: DocumentSources | undefined,
    pipeline: string,
  ): Promise<IndexFailure[]> {
    const topic = this.#topic;
    const writer = this.#writer as PartitionWriter;
    const key = Buffer.from(id);
    try {
      const runId = documents?.runIdOf(id);
      // The creation of a child must be reported before the child can finish.
      if (this.#settings.events && documents?.has(id) === false && runId !== undefined) {
        this.#events ??= new EventWriter(writer, this.#settings, pipeline, this.context.log);
        const events = this.#events.topicOf(runId);
        const value = Buffer.from(eventJson({ type: 'CREATE', documentId: id }, runId, topic));
        if (events !== undefined) await this.#events.write(events, { key, value });
      }
      await writer.write({ topic, partition: partitionOf(id, this.#partitions), key, value });
      return [];
    } catch (error) {
      return this.#failures(error, (message) => [{ index, message }]);
    }
  }

  /** Documents that are too large fail. For any other error, the brokers accept nothing. */
  #failures(error: unknown, failed: (message: string) => IndexFailure[]): IndexFailure[] {
    const failures = failed(explainWrite(this.#settings, this.#topic, error));
    return isTooLarge(error) ? failures : undelivered(failures);
  }
}

/** The failure of documents whose message was abandoned because the worker was stopped before it was complete. */
const CUT = 'the worker was stopped before it had processed all documents of the message, which is processed again';

function undelivered(failures: readonly IndexFailure[]): IndexFailure[] {
  return failures.map((failure) => ({ ...failure, undelivered: true }));
}

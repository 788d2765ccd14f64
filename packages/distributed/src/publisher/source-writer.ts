import { kafkaError } from '@headrace/components/kafka';
import {
  type Confirmation,
  type EncodedBatch,
  HeadraceError,
  Indexer,
  type LaterAnswer,
  type ModuleReference,
  Type,
} from '@headrace/engine';
import { ConsumerLag, healthOf } from '../health/consumer-lag.ts';
import { HealthAnswers } from '../health/health-channel.ts';
import { type BatchHeader, toHeaders } from '../queue/headers.ts';
import { explainWrite, type OutgoingMessage, PartitionWriter } from '../queue/partition-writer.ts';
import { kafkaSettings } from '../settings/kafka-settings.ts';
import { prepareTopics } from '../settings/prepare-topics.ts';
import { TopicAdmin } from '../settings/topic-admin.ts';
import { eventTopic, sourceTopic } from '../settings/topics.ts';
import { idsOf } from '../wire/batch-decoder.ts';
import { BatchEncoder } from '../wire/batch-encoder.ts';
import { QueuedDocumentEncoder } from '../wire/document-encoder.ts';
import { partitionOf } from '../wire/murmur2.ts';
import { joinBatches, type PartitionBatch, unpack } from '../wire/packed-batches.ts';
import { BatchLedger, sumOf } from './batch-ledger.ts';
import { DocumentLedger } from './document-ledger.ts';
import { EventReader } from './event-reader.ts';
import { RunProgressWatch } from './run-progress-watch.ts';

const parameters = Type.Object({
  settings: kafkaSettings,
  /** The pipelines that the connectors feed. */
  pipelines: Type.Array(Type.String()),
  /** The pipelines whose workers and indexers are in this process. */
  served: Type.Array(Type.String()),
});

/**
 * The number of requests in progress. A batch needs one request for each partition. With 8 requests, a run with four
 * partitions and workers takes 8 % more processor time, because its messages are smaller.
 */
const MAX_REQUESTS = 4;
/**
 * The size of a message for which documents wait, after their compression. A message takes one to two milliseconds in
 * each process, as long as a thousand documents. If workers are in this process, documents do not wait: the process
 * would take 20 MiB more, and exceed 200 MiB.
 */
const MESSAGE_BYTES = 256 * 1024;
/** Documents for more partitions than this do not wait longer. */
const MAX_WAITING_PARTITIONS = 16;
/** The maximum number of listed failures of a message. */
const MAX_FAILURES = 100;
/**
 * How long a stopped run waits for the results of its documents. Then it has time to delete its event topic, before its
 * threads are terminated (10 seconds after the stop).
 */
const LAST_RESULTS_MS = 5000;

/** The state of the publisher for one pipeline. */
interface PipelineQueue {
  readonly topic: string;
  readonly events: string;
  readonly batches: BatchLedger;
  readonly documents: DocumentLedger;
  readonly reader: EventReader;
  readonly watch: RunProgressWatch;
  /** The number of messages that the brokers have not stored yet. */
  unwritten: number;
}

/**
 * Sends documents to the topic that workers read. Confirms them when workers and indexers have reported their results.
 * It replaces the indexer in the process that publishes.
 */
export class SourceWriter extends Indexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'sourceWriter';
  static readonly type = 'SourceWriter';
  readonly #settings = this.params.settings;
  /** The number of partitions of each topic. */
  #partitions: ReadonlyMap<string, number> = new Map();
  override readonly streaming = this.#settings.format === 'headrace';
  /**
   * Each message takes one to two milliseconds in each process, also a small one. If workers are in this process, large
   * chunks take 10 MiB more, and are not faster: V8 then collects the heap of their common thread more often.
   */
  override readonly prefersLargeChunks = this.streaming && this.params.served.length === 0;
  /** With many partitions, batches wait for each other, so that fewer and larger messages are written. */
  override maxInFlight = MAX_REQUESTS;
  override batchBytes = 0;
  #writer: PartitionWriter | undefined;
  readonly #queues = new Map<string, Promise<PipelineQueue>>();
  readonly #watches: RunProgressWatch[] = [];
  #stalled: Error | undefined;
  /** Ends the wait for results after a stop. */
  #lastResults: NodeJS.Timeout | undefined;
  #health: HealthAnswers | undefined;
  readonly #lags = this.params.pipelines.map(
    (pipeline) => new ConsumerLag(this.#settings, sourceTopic(this.#settings, pipeline)),
  );

  override async prepare(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => {
      this.#lastResults = setTimeout(() => void this.#abandon(), LAST_RESULTS_MS);
    });
    this.#health = new HealthAnswers(this.context.runId, () => healthOf(this.#lags, this.#work()));
    this.#partitions = await prepareTopics(this.#settings, this.params.pipelines, this.context.log, signal);
    // One indexer serves all pipelines of the run. Their topics differ only if somebody created them with another number
    // of partitions. Documents for fewer partitions then wait longer than they need to, at most 100 ms.
    const most = Math.max(1, ...this.params.pipelines.map((pipeline) => this.#partitionsOf(pipeline)));
    if (!this.streaming) return;
    this.maxInFlight = Math.max(1, Math.floor(MAX_REQUESTS / most));
    if (most > 1 && this.params.served.length === 0)
      this.batchBytes = Math.min(MAX_WAITING_PARTITIONS, most) * MESSAGE_BYTES;
  }

  override encoder(pipeline?: string): ModuleReference {
    const partitions = this.#partitionsOf(pipeline ?? '');
    const { maxRequestSize: maxBytes } = this.#settings;
    return this.streaming ? BatchEncoder.reference({ partitions, maxBytes }) : QueuedDocumentEncoder.reference;
  }

  override async connect(): Promise<void> {
    this.#writer = await PartitionWriter.open(this.#settings, 'headrace-publisher', this.context.log);
    this.#health?.ready();
  }

  override async send(batch: EncodedBatch): Promise<LaterAnswer> {
    if (this.#stalled !== undefined) throw this.#stalled;
    const queue = await this.#queues.getOrInsertComputed(batch.pipeline, () => this.#open(batch.pipeline));
    return this.streaming ? this.#sendBatches(batch, queue) : this.#sendDocuments(batch, queue);
  }

  override async close(): Promise<void> {
    clearTimeout(this.#lastResults);
    this.#health?.close();
    const lags = Promise.all(this.#lags.map((lag) => lag.close()));
    await Promise.all(Array.from(this.#queues.values(), (opening) => this.#close(opening)));
    await lags;
    await this.#writer?.close();
  }

  async #close(opening: Promise<PipelineQueue>): Promise<void> {
    const queue = await opening.catch(() => undefined);
    if (queue === undefined) return;
    await Promise.all([queue.watch.close(), queue.reader.close()]);
    if (this.#settings.eventTopic === undefined) await this.#deleteTopic(queue.events);
  }

  /** Counts the documents whose results are still missing as failed. */
  async #abandon(): Promise<void> {
    const error = new HeadraceError('HR_RUN_CANCELLED', 'The run was stopped before these documents had finished');
    for (const opening of this.#queues.values()) {
      const queue = await opening.catch(() => undefined);
      if (queue === undefined || queue.batches.size + queue.documents.size === 0) continue;
      this.context.log.warn(
        `The run was stopped before all its documents had finished. The unfinished ones count as failed. They are in the topic ${queue.topic}: workers and indexers still process them`,
      );
      queue.batches.rejectAll(error);
      queue.documents.rejectAll(error);
    }
  }

  /** What the publisher does, for the health endpoint: it publishes, or waits, for example for a worker. */
  #work(): string {
    const problems = this.#watches.flatMap(({ problem }) => problem ?? []);
    return problems.length === 0 ? 'publishes documents' : problems.join(' ');
  }

  #partitionsOf(pipeline: string): number {
    return this.#partitions.get(sourceTopic(this.#settings, pipeline)) ?? 1;
  }

  async #open(pipeline: string): Promise<PipelineQueue> {
    const settings = this.#settings;
    const { runId, log } = this.context;
    const events = eventTopic(settings, pipeline, runId);
    const admin = await TopicAdmin.open(settings, log);
    try {
      await admin.ensure([{ topic: events, partitions: 1 }]);
    } finally {
      await admin.close();
    }
    const batches = new BatchLedger();
    const documents = new DocumentLedger();
    const fail = (error: Error) => {
      this.#stalled = error;
      batches.rejectAll(error);
      documents.rejectAll(error);
    };
    const unfinished = () => batches.size + documents.size;
    const isExternal = this.params.served.includes(pipeline);
    const watch = await RunProgressWatch.open({
      settings,
      pipeline,
      log,
      isExternal,
      unfinished,
      unwritten: () => queue.unwritten,
      hasAllEvents: () => reader.isAtEnd(),
      onStalled: fail,
    });
    this.#watches.push(watch);
    const progressed = (hasFinished: boolean) => hasFinished && watch.progressed();
    const reader = await EventReader.open(
      settings,
      events,
      runId,
      {
        onReport: (report) => progressed(batches.report(report)),
        onEvent: (event) => progressed(documents.report(event)),
        onFailed: fail,
      },
      log,
    );
    const topic = sourceTopic(settings, pipeline);
    const queue: PipelineQueue = { topic, events, batches, documents, reader, watch, unwritten: 0 };
    return queue;
  }

  /** Resolves when the brokers have stored the messages. */
  async #sendBatches({ pieces }: EncodedBatch, queue: PipelineQueue): Promise<LaterAnswer> {
    const batches = pieces.flatMap((piece) => unpack(piece, 0));
    const parts = joinBatches(batches, this.#settings.maxRequestSize);
    const answers = await Promise.all(parts.map((part) => this.#sendPart(part, queue)));
    return { confirmed: Promise.all(answers.map(({ confirmed }) => confirmed)).then(sumOf) };
  }

  async #sendPart(
    { partition, value, bytes, count, pieces }: PartitionBatch,
    queue: PipelineQueue,
  ): Promise<LaterAnswer> {
    const { topic, events } = queue;
    const { batch, confirmed } = queue.batches.add();
    // The promise may be rejected before the run waits for it.
    confirmed.catch(() => undefined);
    const reported = this.#settings.events ? { events } : {};
    const config = this.#settings.identity;
    const header: BatchHeader = { run: this.context.runId, config, ...reported, batch, count, bytes, pieces };
    try {
      await this.#write({ topic, partition, value, headers: toHeaders(header) }, queue);
    } catch (error) {
      queue.batches.remove(batch);
      return {
        confirmed: Promise.resolve({
          ...NO_RESULTS,
          failed: count,
          failures: refused(value, pieces, explainWrite(this.#settings, topic, error)),
        }),
      };
    }
    if (this.#settings.events) return { confirmed };
    queue.batches.remove(batch);
    return { confirmed: Promise.resolve({ ...NO_RESULTS, succeeded: count }) };
  }

  async #sendDocuments(batch: EncodedBatch, queue: PipelineQueue): Promise<LaterAnswer> {
    const ids = batch.ids();
    const bytes = Buffer.concat(batch.pieces);
    const lengths = batch.lengths();
    const partitions = this.#partitionsOf(batch.pipeline);
    const { events } = this.#settings;
    const confirmed = queue.documents.add(events ? ids : []);
    confirmed.catch(() => undefined);
    let at = 0;
    let failed = 0;
    await Promise.all(
      ids.map(async (id, i) => {
        const value = bytes.subarray(at, at + (lengths[i] as number));
        at += value.length;
        try {
          const message = { topic: queue.topic, partition: partitionOf(id, partitions), key: Buffer.from(id), value };
          await this.#write(message, queue);
        } catch (error) {
          failed++;
          if (events)
            queue.documents.report({
              type: 'FAIL',
              documentId: id,
              message: explainWrite(this.#settings, queue.topic, error),
            });
        }
      }),
    );
    if (events) return { confirmed };
    return { confirmed: Promise.resolve({ ...NO_RESULTS, failed, succeeded: ids.length - failed }) };
  }

  async #write(message: OutgoingMessage, queue: PipelineQueue): Promise<void> {
    queue.unwritten++;
    // The engine calls `connect` first.
    await (this.#writer as PartitionWriter).write(message).finally(() => queue.unwritten--);
  }

  /** Deletes the event topic of the run, even if the run has failed: its result lists the failures. */
  async #deleteTopic(topic: string): Promise<void> {
    const { log } = this.context;
    try {
      const admin = await TopicAdmin.open(this.#settings, log);
      await admin.delete(topic).finally(() => admin.close());
    } catch (error) {
      log.warn(
        `The topic ${topic} could not be deleted: ${kafkaError(this.#settings.bootstrapServers, error).message}`,
      );
    }
  }
}

const NO_RESULTS: Confirmation = { created: 0, succeeded: 0, failed: 0, dropped: 0, failures: [] };

/** The failures of a message that could not be written; of many, only the first. */
function refused(value: Buffer, pieces: PartitionBatch['pieces'], message: string): Confirmation['failures'] {
  const ids = idsOf(value, pieces).slice(0, MAX_FAILURES);
  return ids.map((id) => ({ id, at: 'publisher', code: 'HR_INDEXER_FAILED', message }));
}

import {
  brokersOf,
  type GainedPartition,
  isForbidden,
  isPassing,
  KafkaSource,
  kafkaError,
  type TopicMessage,
  withinCloseTime,
} from '@headrace/components/kafka';
import {
  type ChunkOutcome,
  Connector,
  counted,
  HeadraceError,
  messageOf,
  type Publisher,
  type RecordChunk,
  Type,
} from '@headrace/engine';
import { ConsumerLag } from '../health/consumer-lag.ts';
import { HealthAnswers } from '../health/health-channel.ts';
import { type KafkaSettings, kafkaSettings } from '../settings/kafka-settings.ts';
import { prepareTopics } from '../settings/prepare-topics.ts';
import { BatchDecoder, type BatchPosition } from '../wire/batch-decoder.ts';
import { placeOf } from '../wire/document-decoder.ts';
import { DeadLetters } from './dead-letters.ts';
import { DocumentChunk } from './document-chunk.ts';
import { FailureWatch } from './failure-watch.ts';
import { ForeignMessages } from './foreign-messages.ts';
import { type BatchHeader, readHeader } from './headers.ts';
import { IdleWarning } from './idle-warning.ts';
import { Outbox } from './outbox.ts';
import { PartitionWriter } from './partition-writer.ts';
import { PoisonMessages, type Range, type RangePlan, sumOutcomes } from './poison-messages.ts';
import { BUSY, PartitionGone, QueueCommits } from './queue-commits.ts';
import { type QueueOrigin, queueOrigin } from './queue-origin.ts';
import { readerHealth } from './reader-health.ts';

const parameters = Type.Object({
  settings: kafkaSettings,
  /** The topic to read. */
  topic: Type.String(),
  /** The pipeline. */
  queue: Type.String(),
  /** worker, indexer or worker-indexer. */
  role: Type.String(),
});

/**
 * The maximum number of batches, or of single documents, in progress. If the process is killed, these are processed
 * again, and those that have finished since the last commit, at most about a second before.
 */
const MAX_OPEN_BATCHES = 64;
const MAX_OPEN_DOCUMENTS = 384;
/** The maximum number of bytes in progress, which are all in memory. */
const MAX_OPEN_BYTES = 4 * 1024 * 1024;
/** The properties of the consumer that a config may change. */
const PROPERTIES = [
  // Members learn of a new member from their next heartbeat. With one heartbeat per second, a run starts soon.
  ['heartbeat.interval.ms', '1000'],
  // The messages of a response stay in memory until the last one is finished. Brokers send a longer message alone.
  ['fetch.max.bytes', String(1024 * 1024)],
] as const;
const IDLE_MS = 1000;
/** How often a failed commit is logged. It is tried again every second. */
const COMMIT_WARNING_MS = 30_000;

/**
 * Reads the documents of distributed runs from a topic. A message counts as read when all its documents have finished
 * and the run has received the report. Reads until the process is stopped.
 */
export class QueueReader extends Connector<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly needsPipeline = true;
  readonly #settings = this.params.settings;
  readonly #commits = new QueueCommits({
    commit: async (positions) => this.#source?.commit(positions),
    onFailed: (error) => this.#warnOfCommit(error),
    isFinal: isForbidden,
  });
  readonly #lag = new ConsumerLag(this.#settings, this.params.topic);
  #health: HealthAnswers | undefined;
  #commitWarnedAt = Number.NEGATIVE_INFINITY;
  #source: KafkaSource | undefined;
  #writer: PartitionWriter | undefined;
  #outbox: Outbox | undefined;
  #letters: DeadLetters | undefined;
  #poison: PoisonMessages | undefined;
  readonly #foreign = new ForeignMessages(this.#settings.identity, this.params.topic, this.context.log);
  /** The reason why documents could not be delivered. The run ends, and the messages are read again. */
  #failure: unknown;
  /** Whether the process was asked to stop. */
  #isStopped = false;
  /** Whether a document may have caused the failure. */
  #isSuspicious = false;
  #watch: FailureWatch | undefined;
  /** Functions that reject the promises of open results. */
  readonly #unfinished = new Set<(error: unknown) => void>();
  /** Whether a message is processed alone. */
  #isAlone = false;
  /** Whether the group takes partitions away, and waits for their messages. */
  #isReleasing = false;
  #documents = new DocumentChunk();
  /** The entries of the collected messages. */
  #collected: OpenEntry[] = [];
  /** Messages whose documents have finished, but whose report is not written yet. */
  readonly #finishing = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  static override endless(): boolean {
    return true;
  }

  override async execute(publisher: Publisher | undefined): Promise<void> {
    const target = publisher as Publisher;
    const { topic, queue, role } = this.params;
    const { log } = this.context;
    const clientId = `headrace-${role}-${queue}`;
    this.#health = new HealthAnswers(this.context.runId, () =>
      readerHealth(this.#lag, topic, this.#source?.partitions, this.#commits),
    );
    this.#writer = await PartitionWriter.open(this.#settings, clientId, log);
    this.#outbox = new Outbox(this.#writer, this.#settings, queue, role !== 'worker', log);
    this.#letters = new DeadLetters(this.#writer, this.#settings, queue, topic, log);
    this.#poison = new PoisonMessages(this.#settings.maxRetries, this.#commits, log);
    this.#watch = new FailureWatch(target, (error) => this.#fail(error));
    // A worker has prepared the topics before, because its indexer writes to one of them.
    if (role !== 'worker') await prepareTopics(this.#settings, [queue], log, target.signal);
    if (target.signal.aborted) return;
    try {
      this.#source = await KafkaSource.open({
        brokers: brokersOf(this.#settings.bootstrapServers),
        topic,
        groupId: this.#settings.groupId,
        clientId,
        rebalanceTimeout: this.#settings.rebalanceTimeout,
        properties: new Map([...PROPERTIES, ...this.#settings.consumer]),
        offsets: undefined,
        isPreview: false,
        log,
        notices: this.context.notices,
        onRelease: (partitions, signal) => this.#release(partitions, target, signal),
        onGone: (partitions) => this.#commits.forget(partitions),
        onGained: (partitions) => this.#gained(partitions),
      });
      this.#health?.ready();
      await this.#read(this.#source, target);
      if (this.#failure !== undefined) throw this.#failure;
    } catch (error) {
      if (target.signal.aborted) return;
      throw this.#failure ?? this.#explain(error);
    } finally {
      this.#isStopped = target.signal.aborted;
    }
  }

  override async close(): Promise<void> {
    this.#stop.abort();
    this.#health?.close();
    this.#foreign.close();
    await this.#lag.close();
    // The documents of these messages are indexed. Without report and commit, they would be processed again.
    await withinCloseTime(Promise.allSettled(this.#finishing));
    if (this.#isStopped && this.#commits.open > 0) {
      this.message = `${counted(this.#commits.open, 'message')} of ${this.params.topic} could not be finished before the stop`;
      this.context.log.warn(
        `${this.message}. They are not marked as read: other processes, or the next one, process them again`,
      );
    }
    await this.#commits.close(this.#isStopped || (this.#failure !== undefined && !this.#isSuspicious));
    await this.#source?.close();
    await this.#writer?.close();
  }

  async #gained(partitions: ReadonlyMap<number, GainedPartition>): Promise<void> {
    for (const [partition, { offset, note }] of partitions) {
      const next = this.#poison?.gained(partition, offset, note) ?? BUSY;
      try {
        await this.#commits.commit(partition, { offset, leaderEpoch: -1 }, next);
      } catch (error) {
        if (error instanceof PartitionGone) continue;
        if (isForbidden(error)) throw this.#explain(error);
        // The next commit stores the note. If the process dies before it, the next owner does not notice that it died.
        this.context.log.warn(this.#explain(error).message);
      }
    }
  }

  /** Finishes the messages of partitions. Their last documents do not wait for a full batch at the destination. */
  async #release(partitions: readonly number[], target: Publisher, signal: AbortSignal): Promise<boolean> {
    this.#isReleasing = true;
    target.hurry?.();
    try {
      return await this.#commits.release(partitions, signal);
    } finally {
      this.#isReleasing = false;
    }
  }

  async #read(source: KafkaSource, target: Publisher): Promise<void> {
    const signal = AbortSignal.any([target.signal, this.#stop.signal]);
    const idle = new IdleWarning(this.params.topic, this.context.log);
    while (!signal.aborted) {
      if (this.#failure !== undefined) throw this.#failure;
      const message = source.read();
      if (message === undefined) {
        await this.#publishDocuments(target);
        if (this.#isReleasing) target.hurry?.();
        idle.look(source.partitions);
        await source.wait(IDLE_MS, signal);
        continue;
      }
      const header = readHeader(message);
      if (this.#isForeign(message, header)) continue;
      // The message is in progress from now on, so its partition is not released before it has finished.
      const entry = this.#commits.begin(message, header?.bytes);
      if (this.#poison?.covers(message) === true) {
        await this.#publishDocuments(target);
        await this.#readAlone(message, header, entry, target, signal);
        continue;
      }
      if (header === undefined) {
        this.#collected.push(entry);
        this.#documents.add(message);
        if (this.#documents.isFull) await this.#publishDocuments(target);
      } else {
        await this.#publishDocuments(target);
        // The group may have excluded this process. The next owner of the partition may be past this message.
        if (!this.#commits.has(entry)) continue;
        this.#publishBatch(message, header, target).then(
          (finished) => this.#finish([entry], finished),
          (error) => this.#fail(error),
        );
      }
      const most = header === undefined ? MAX_OPEN_DOCUMENTS : MAX_OPEN_BATCHES;
      if (this.#commits.isBelow(most, MAX_OPEN_BYTES)) continue;
      // A batch of the destination may be larger than this limit, and would never be full.
      target.hurry?.();
      await this.#commits.below(most, MAX_OPEN_BYTES, signal);
    }
  }

  /** Returns true if another consumer group processes the message. Throws if it must not be passed over. */
  #isForeign(message: TopicMessage, header: BatchHeader | undefined): boolean {
    try {
      if (!this.#foreign.has(header?.config)) return false;
    } catch (error) {
      // No document of this process has caused it.
      this.#failure ??= error;
      throw error;
    }
    this.#commits.done(this.#commits.begin(message, 0));
    return true;
  }

  /** Processes one message while nothing else is in progress. */
  async #readAlone(
    message: TopicMessage,
    header: BatchHeader | undefined,
    entry: OpenEntry,
    target: Publisher,
    signal: AbortSignal,
  ): Promise<void> {
    target.hurry?.();
    await this.#commits.alone(signal);
    if (signal.aborted || !this.#commits.has(entry)) return;
    this.#isAlone = true;
    try {
      await this.#processAlone(message, header, entry, target);
    } catch (error) {
      // The next owner of the partition continues with this message.
      if (!(error instanceof PartitionGone)) throw error;
    } finally {
      this.#isAlone = false;
    }
  }

  async #processAlone(
    message: TopicMessage,
    header: BatchHeader | undefined,
    entry: OpenEntry,
    target: Publisher,
  ): Promise<void> {
    const poison = this.#poison as PoisonMessages;
    const whole = () =>
      header === undefined ? this.#publishOne(message, target) : this.#publishBatch(message, header, target);
    const ranges = async ({ safe, unknown }: RangePlan, begin: (range: Range) => Promise<void>) => {
      const origin = queueOrigin(this.params.topic, header);
      const some: ChunkOutcome[] = [];
      for (const range of safe)
        some.push(await this.#process(this.#batchChunk(message, header, range), origin, target));
      for (const range of unknown) {
        await begin(range);
        some.push(await this.#process(this.#batchChunk(message, header, range), origin, target));
      }
      return { origin, outcome: sumOutcomes(some) };
    };
    const result = await poison.process(message, header?.count ?? 1, whole, ranges);
    const { outcome, dead, origin } = result;
    const letters = dead.length === 0 ? [] : await (this.#letters as DeadLetters).killers(message, header, dead);
    await this.#finish([entry], {
      outcome: { ...outcome, failed: outcome.failed + letters.length, failures: [...outcome.failures, ...letters] },
      messages: [message],
      header,
      origin: origin ?? queueOrigin(this.params.topic, header, [message]),
    });
    if (this.#failure === undefined) await poison.finished(message, header !== undefined);
  }

  async #publishBatch(message: TopicMessage, header: BatchHeader, target: Publisher): Promise<Finished> {
    const origin = queueOrigin(this.params.topic, header);
    const outcome = await this.#process(this.#batchChunk(message, header), origin, target);
    return { outcome, messages: [message], header, origin };
  }

  async #publishOne(message: TopicMessage, target: Publisher): Promise<Finished> {
    const chunk = new DocumentChunk();
    chunk.add(message);
    const origin = queueOrigin(this.params.topic, undefined, [message]);
    const outcome = await this.#process(chunk.take(this.params.topic), origin, target);
    return { outcome, messages: [message], header: undefined, origin };
  }

  /** Publishes the collected messages in Lucille's format. */
  async #publishDocuments(target: Publisher): Promise<void> {
    if (this.#documents.messages.length === 0) return;
    const { messages } = this.#documents;
    const chunk = this.#documents.take(this.params.topic);
    this.#documents = new DocumentChunk();
    const entries = this.#collected.splice(0);
    const origin = queueOrigin(this.params.topic, undefined, messages);
    const { promise, resolve } = Promise.withResolvers<ChunkOutcome>();
    await target.publishChunk(chunk, { origin, finished: resolve });
    this.#watch?.published();
    void promise.then((outcome) => this.#finish(entries, { outcome, messages, header: undefined, origin }));
  }

  #batchChunk({ value, partition, offset }: TopicMessage, header?: BatchHeader, only?: Range): RecordChunk {
    const place = placeOf(this.params.topic, partition, offset);
    const position: BatchPosition = {
      place,
      count: header?.count,
      bytes: header?.bytes,
      pieces: header?.pieces,
      ...(only === undefined ? {} : { only }),
    };
    // Copies to a separate buffer, because the buffer is transferred to another thread.
    return { bytes: new Uint8Array(value ?? []), decoder: BatchDecoder.reference, position, keepsRunIds: true };
  }

  async #process(chunk: RecordChunk, origin: QueueOrigin, target: Publisher): Promise<ChunkOutcome> {
    const { promise, resolve, reject } = Promise.withResolvers<ChunkOutcome>();
    // It may be rejected while the chunk still waits for a thread. Otherwise Node would end the thread of the run.
    promise.catch(() => undefined);
    this.#unfinished.add(reject);
    try {
      await target.publishChunk(chunk, { origin, finished: resolve });
      this.#watch?.published();
      if (this.#isAlone) target.hurry?.();
      return await promise;
    } finally {
      this.#unfinished.delete(reject);
    }
  }

  #fail(error: unknown): void {
    // Documents that the destination refuses have not ended a thread.
    const isInnocent = error instanceof HeadraceError && error.code === 'HR_INDEXER_UNDELIVERED';
    if (this.#failure === undefined && !isInnocent) this.#isSuspicious = true;
    this.#failure ??= error;
    this.#stop.abort();
    for (const reject of this.#unfinished) reject(error);
  }

  /** Reports finished messages, and then marks them for the next commit. */
  async #finish(entries: readonly OpenEntry[], finished: Finished): Promise<void> {
    const finishing = this.#report(entries, finished).catch((error: unknown) => {
      this.#failure ??= error;
      this.#stop.abort();
    });
    this.#finishing.add(finishing);
    await finishing;
    this.#finishing.delete(finishing);
  }

  async #report(entries: readonly OpenEntry[], { outcome, messages, header, origin }: Finished): Promise<void> {
    if (outcome.undelivered > 0) {
      const reason = outcome.failures.find(({ at }) => at === 'indexer')?.message ?? 'unknown';
      throw new HeadraceError('HR_INDEXER_UNDELIVERED', `The destination does not accept documents: ${reason}`, {
        hint: 'The messages are not marked as read, and are processed again.',
      });
    }
    const letters = this.#letters as DeadLetters;
    const decoded = await letters.undecodable(messages, header, outcome);
    await letters.uncounted(decoded, header, origin.documents, outcome);
    await (this.#outbox as Outbox).report(header, origin, outcome);
    for (const entry of entries) this.#commits.done(entry);
  }

  #warnOfCommit(error: unknown): void {
    if (performance.now() - this.#commitWarnedAt < COMMIT_WARNING_MS) return;
    this.#commitWarnedAt = performance.now();
    this.context.log.warn(`${this.#explain(error).message}. Offsets are committed later`);
  }

  #explain(error: unknown): Error {
    return explainRead(this.#settings, this.params.topic, error);
  }
}

type OpenEntry = ReturnType<QueueCommits['begin']>;

/** Messages whose documents have finished. */
interface Finished {
  readonly outcome: ChunkOutcome;
  readonly messages: readonly TopicMessage[];
  readonly header: BatchHeader | undefined;
  readonly origin: QueueOrigin;
}

/** Returns the error of a topic that cannot be read, with what to do. */
function explainRead({ bootstrapServers, groupId }: KafkaSettings, topic: string, error: unknown): Error {
  if (error instanceof HeadraceError) return error;
  if (isForbidden(error)) {
    const { message, hint } = kafkaError(bootstrapServers, error);
    const right = `the user of kafka.consumer needs the right to read the topic ${topic} and the group ${groupId}`;
    return new HeadraceError('HR_SOURCE_UNREADABLE', `${message}: ${right}`, hint === undefined ? {} : { hint });
  }
  return isPassing(error) || hasCode(error) ? kafkaError(bootstrapServers, error) : new Error(messageOf(error));
}

function hasCode(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('PLT_KFK');
}

import {
  BatchBytes,
  Delivery,
  type DeliveryFailure,
  type Destination,
  type EncodedBatch,
  HeadraceError,
  type IndexFailure,
  NO_ANSWER,
  type Reply,
  RequestSize,
  type Retries,
} from '@headrace/engine';
import type { MessageToProduce, Producer } from '@platformatic/kafka';
import type { DocumentKey } from '../delivery/keyed-encoder.ts';
import type { KafkaProperties } from './client-properties.ts';
import { closeClient } from './close-client.ts';
import { hearErrors } from './connection-errors.ts';
import { hasKafkaError, isPassing, kafkaError } from './kafka-error.ts';
import { type KafkaLibrary, loadKafka } from './library.ts';
import { producerOptions } from './producer-properties.ts';

export interface TopicWriterSettings {
  /** Host and port of each broker. */
  readonly brokers: readonly string[];
  /** The topic of documents that name no other topic. */
  readonly topic: string;
  readonly clientId: string;
  readonly properties: KafkaProperties;
  readonly retries: Retries;
}

/** By default, a broker closes the connection without an error if a request has 100 MiB or more. */
const MAX_REQUEST_BYTES = 32 * 1024 * 1024;
/**
 * The retries of the library. They keep the sequence number of a message, so the broker ignores duplicates. `Delivery`
 * then retries with a new number: the message may exist twice, the second directly after the first.
 */
const LIBRARY_RETRIES = 3;
const LIBRARY_RETRY_MS = 250;

type Message = MessageToProduce<Buffer, Buffer, Buffer, Buffer>;

/**
 * Writes batches of `KeyedEncoder` to Kafka topics. The id is the key, and the document is the value. A deletion has no
 * value. Each request goes to one partition, which accepts or rejects it as a whole.
 */
export class TopicWriter {
  readonly #producer: Producer<Buffer, Buffer, Buffer, Buffer>;
  readonly #partitioner: KafkaLibrary['compatibilityPartitioner'];
  readonly #settings: TopicWriterSettings;
  readonly #delivery: Delivery;
  /**
   * The number of partitions of each topic, fetched once. If it changed during the run, keys would move to other
   * partitions, and the messages of a key would lose their order.
   */
  readonly #partitions = new Map<string, number>();

  private constructor(
    producer: Producer<Buffer, Buffer, Buffer, Buffer>,
    partitioner: KafkaLibrary['compatibilityPartitioner'],
    settings: TopicWriterSettings,
  ) {
    this.#producer = producer;
    this.#partitioner = partitioner;
    this.#settings = settings;
    this.#delivery = new Delivery(settings.retries, new RequestSize(MAX_REQUEST_BYTES));
  }

  /** Connects, and checks that the topic exists. Throws `HR_INDEXER_CONNECT`. */
  static async open(settings: TopicWriterSettings): Promise<TopicWriter> {
    const { Producer, compatibilityPartitioner } = await loadKafka();
    const { brokers, topic, clientId, properties } = settings;
    const producer = hearErrors(
      new Producer<Buffer, Buffer, Buffer, Buffer>({
        ...(await producerOptions(properties)),
        clientId,
        bootstrapBrokers: [...brokers],
        idempotent: true,
        autocreateTopics: false,
        retries: LIBRARY_RETRIES,
        retryDelay: LIBRARY_RETRY_MS,
      }),
    );
    const writer = new TopicWriter(producer, compatibilityPartitioner, settings);
    try {
      await writer.#learn(topic);
      return writer;
    } catch (error) {
      await writer.close();
      const { message, hint } = kafkaError(brokers.join(','), error, 'kafkaTopic');
      throw new HeadraceError('HR_INDEXER_CONNECT', message, {
        passing: isPassing(error),
        ...(hint === undefined ? {} : { hint }),
      });
    }
  }

  async write(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    const bytes = new BatchBytes(batch);
    const keys: DocumentKey[] = [];
    const topics = new Map<string, number[]>();
    for (let i = 0; i < bytes.count; i++) {
      const key = bytes.firstJson(i) as DocumentKey;
      keys.push(key);
      topics.getOrInsertComputed(key.index ?? this.#settings.topic, () => []).push(i);
    }
    const all = Array.from(topics, ([topic, positions]) => this.#writeTo(topic, positions, bytes, keys, signal));
    return (await Promise.all(all)).flat();
  }

  async close(): Promise<void> {
    await closeClient(this.#producer);
  }

  async #writeTo(
    topic: string,
    positions: readonly number[],
    bytes: BatchBytes,
    keys: readonly DocumentKey[],
    signal: AbortSignal,
  ): Promise<IndexFailure[]> {
    const destination: Omit<Destination, 'request'> = {
      partial: false,
      key: (position) => (keys[position] as DocumentKey).id,
      length: (position) => bytes.length(position),
      http: false,
      isolates: (status) => status === BAD_RECORD,
    };
    if (!this.#partitions.has(topic)) {
      const request = () => this.#attempt(() => this.#learn(topic));
      const homeless = await this.#delivery.deliver(positions, { ...destination, request }, signal);
      if (!this.#partitions.has(topic)) return homeless;
    }
    const messages = new Map<number, Message>();
    const partitions = new Map<number, number[]>();
    for (const position of positions) {
      const message = this.#message(topic, keys[position] as DocumentKey, bytes.rest(position));
      messages.set(position, message);
      partitions.getOrInsertComputed(message.partition as number, () => []).push(position);
    }
    const request = (some: readonly number[]) =>
      this.#attempt(() => this.#producer.send({ messages: some.map((position) => messages.get(position) as Message) }));
    const all = Array.from(partitions.values(), (some) =>
      this.#delivery.deliver(some, { ...destination, request }, signal),
    );
    return (await Promise.all(all)).flat();
  }

  #message(topic: string, { id, delete: isDelete }: DocumentKey, json: Buffer): Message {
    const key = Buffer.from(id);
    // Kafka's Java clients choose the same partition, so all messages with one key are in one partition.
    const partition = this.#partitioner(undefined as never, key) % (this.#partitions.get(topic) as number);
    return { topic, partition, key, ...(isDelete === true ? {} : { value: json }) };
  }

  /** Returns the number of partitions of a topic. Throws an error of the library. */
  async #learn(topic: string): Promise<void> {
    const { topics } = await this.#producer.metadata({ topics: [topic], autocreateTopics: false });
    const count = topics.get(topic)?.partitionsCount;
    if (count !== undefined) this.#partitions.set(topic, count);
  }

  async #attempt(work: () => Promise<unknown>): Promise<Reply> {
    try {
      await work();
      return { items: new Map() };
    } catch (error) {
      return { refused: this.#refusal(error) };
    }
  }

  #refusal(error: unknown): DeliveryFailure {
    const { message } = kafkaError(this.#settings.brokers.join(','), error);
    if (hasKafkaError(error, 'MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE')) return { status: TOO_LARGE, message };
    if (hasKafkaError(error, 'INVALID_RECORD')) return { status: BAD_RECORD, message, retryable: false };
    return isPassing(error) ? { status: NO_ANSWER, message } : { status: REFUSED, message, retryable: false };
  }
}

/** `Delivery` decides by HTTP status, so errors of Kafka get the status with the same meaning. */
const BAD_RECORD = 400;
const REFUSED = 403;
const TOO_LARGE = 413;

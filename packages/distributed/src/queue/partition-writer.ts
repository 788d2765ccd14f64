import { setTimeout as sleep } from 'node:timers/promises';
import {
  brokersOf,
  closeClient,
  hasKafkaError,
  hearErrors,
  isForbidden,
  isPassing,
  type KafkaProperties,
  kafkaError,
  loadKafka,
  producerOptions,
} from '@headrace/components/kafka';
import type { Logger } from '@headrace/engine';
import type { Producer } from '@platformatic/kafka';
import type { KafkaSettings } from '../settings/kafka-settings.ts';

/** A message for a partition of a topic. */
export interface OutgoingMessage {
  readonly topic: string;
  readonly partition: number;
  readonly key?: Buffer;
  readonly value: Buffer;
  readonly headers?: Map<Buffer, Buffer>;
}

/** A waiting message, with the functions that settle the promise of its caller. */
interface Waiting {
  readonly message: OutgoingMessage;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The waiting messages of one partition, and whether a request is in progress. */
interface Queue {
  waiting: Waiting[];
  isSending: boolean;
}

const RETRY_MS = 500;
const MAX_RETRY_MS = 5000;
/** The bytes that each message adds to a request, without its value. */
const OVERHEAD = 200;

/**
 * Writes messages to topics. To keep the messages of a partition in order, it sends one request at a time. A request
 * contains all waiting messages, up to the maximum size. If a broker does not answer, the writer repeats the request
 * until it is closed.
 */
export class PartitionWriter {
  readonly #producer: Producer<Buffer, Buffer, Buffer, Buffer>;
  readonly #queues = new Map<string, Queue>();
  readonly #settings: KafkaSettings;
  readonly #log: Logger;
  readonly #closing = new AbortController();
  #failedSince: number | undefined;

  private constructor(producer: Producer<Buffer, Buffer, Buffer, Buffer>, settings: KafkaSettings, log: Logger) {
    this.#producer = producer;
    this.#settings = settings;
    this.#log = log;
  }

  /** Creates a writer. It connects when it sends the first message. */
  static async open(settings: KafkaSettings, clientId: string, log: Logger): Promise<PartitionWriter> {
    const { Producer } = await loadKafka();
    const properties: KafkaProperties = settings.producer;
    const producer = hearErrors(
      new Producer<Buffer, Buffer, Buffer, Buffer>({
        ...(await producerOptions(properties)),
        clientId,
        bootstrapBrokers: brokersOf(settings.bootstrapServers),
        idempotent: true,
        autocreateTopics: false,
        retries: 3,
        retryDelay: 250,
      }),
    );
    return new PartitionWriter(producer, settings, log);
  }

  /**
   * Resolves when all in-sync replicas have stored the message. Rejects if the broker refuses it for a permanent
   * reason, or when the writer is closed.
   */
  write(message: OutgoingMessage): Promise<void> {
    const queue = this.#queues.getOrInsertComputed(`${message.topic}/${message.partition}`, () => ({
      waiting: [],
      isSending: false,
    }));
    return new Promise((resolve, reject) => {
      queue.waiting.push({ message, resolve, reject });
      if (!queue.isSending) void this.#send(queue);
    });
  }

  /** Rejects the waiting messages, and closes the connections. Never rejects itself. */
  async close(): Promise<void> {
    this.#closing.abort();
    await closeClient(this.#producer);
  }

  async #send(queue: Queue): Promise<void> {
    queue.isSending = true;
    // Waits for the current turn of the event loop, so that all its messages go into one request.
    await Promise.resolve();
    while (queue.waiting.length > 0) {
      const some = this.#takeRequest(queue);
      try {
        await this.#sendUntilTaken(some.map(({ message }) => message));
        for (const { resolve } of some) resolve();
      } catch (error) {
        if (some.length > 1 && isTooLarge(error)) {
          // One of the messages is too large, so each is sent in a separate request, in order.
          for (const one of some) {
            await this.#sendUntilTaken([one.message]).then(one.resolve, one.reject);
          }
        } else for (const { reject } of some) reject(error);
      }
    }
    queue.isSending = false;
  }

  #takeRequest(queue: Queue): Waiting[] {
    let size = 0;
    let count = 0;
    for (const { message } of queue.waiting) {
      size += message.value.length + OVERHEAD;
      if (count > 0 && size > this.#settings.maxRequestSize) break;
      count++;
    }
    return queue.waiting.splice(0, count);
  }

  async #sendUntilTaken(messages: OutgoingMessage[]): Promise<void> {
    const { signal } = this.#closing;
    for (let wait = RETRY_MS; ; wait = Math.min(MAX_RETRY_MS, wait * 2)) {
      try {
        signal.throwIfAborted();
        await this.#producer.send({ messages });
        this.#recovered();
        return;
      } catch (error) {
        if (signal.aborted || !isPassing(error)) throw error;
        this.#complain(error);
        await sleep(wait, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  #complain(error: unknown): void {
    if (this.#failedSince !== undefined) return;
    this.#failedSince = performance.now();
    this.#log.warn(
      `${kafkaError(this.#settings.bootstrapServers, error).message}. Unwritten messages are sent again until the brokers answer`,
    );
  }

  #recovered(): void {
    if (this.#failedSince === undefined) return;
    const seconds = Math.round((performance.now() - this.#failedSince) / 1000);
    this.#failedSince = undefined;
    this.#log.info(`Kafka at ${this.#settings.bootstrapServers} answers again after ${seconds} s`);
  }
}

/** Returns why a message could not be written, with what to do. */
export function explainWrite({ bootstrapServers }: KafkaSettings, topic: string, error: unknown): string {
  const { message } = kafkaError(bootstrapServers, error);
  if (isTooLarge(error)) return `${message} (kafka.maxRequestSize, max.message.bytes of the topic)`;
  if (isForbidden(error)) return `${message}: the user of kafka.producer needs the right to write the topic ${topic}`;
  return message;
}

/** Returns true if a broker has refused a request because of its size. */
export function isTooLarge(error: unknown): boolean {
  return hasKafkaError(error, 'MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE');
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger, Notices } from '@headrace/engine';
import type { Consumer } from '@platformatic/kafka';
import { hasKafkaError, isPassing, kafkaError } from './kafka-error.ts';

/** A message of a topic. `value` is undefined for a tombstone. */
export interface TopicMessage {
  readonly partition: number;
  readonly offset: bigint;
  readonly leaderEpoch: number;
  readonly key: Buffer | undefined;
  readonly value: Buffer | undefined;
  readonly headers: readonly (readonly [Buffer | null, Buffer | null])[];
}

export interface TopicReaderSettings {
  readonly topic: string;
  /** Where to start if a position no longer exists: `EARLIEST` or `LATEST`. */
  readonly reset: bigint;
  /**
   * The maximum size of a fetch response, in total and for one partition. It stays in memory until it has been read.
   */
  readonly maxBytes: number;
  readonly maxBytesPerPartition: number;
  /** The brokers as log messages and errors show them. */
  readonly brokers: string;
  readonly log: Logger;
  readonly notices: Notices;
}

type FetchResponse = Awaited<ReturnType<Consumer['fetch']>>;

/**
 * A partition that is being read. Each assignment has a new object, so that late responses for an older one are
 * dropped.
 */
interface Assigned {
  /** The offset of the next message to fetch. */
  position: bigint;
}

/** What brokers answer if a topic has another identifier than the request. */
const OTHER_TOPIC = ['UNKNOWN_TOPIC_ID', 'INCONSISTENT_TOPIC_ID', 'FETCH_SESSION_TOPIC_ID_ERROR'];

const CONTROL_BATCH = 0b100000;
/** How long the reader waits for brokers that have answered before. */
const OUTAGE_MS = 5 * 60_000;
const OUTAGE_RETRY_MS = 1000;

/**
 * Reads partitions of a topic in order, each from a given offset. Partitions can be added and removed while others are
 * read. The next fetch starts when all fetched messages have been read.
 */
export class TopicReader {
  readonly #consumer: Consumer;
  readonly #settings: TopicReaderSettings;
  readonly #assigned = new Map<number, Assigned>();
  readonly #busyNodes = new Set<number>();
  #buffered: TopicMessage[] = [];
  #next = 0;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;
  readonly #closing = new AbortController();
  #isAsking = false;
  #asksAgain = false;
  #outageSince: number | undefined;
  #topicId: string | undefined;

  /**
   * @param consumer a client for this reader alone: a fetch waits for messages, and delays later requests on its
   *   connection
   */
  constructor(consumer: Consumer, settings: TopicReaderSettings) {
    this.#consumer = consumer;
    this.#settings = settings;
    consumer.topics.track(settings.topic);
  }

  /** Starts to read a partition. */
  assign(partition: number, offset: bigint): void {
    this.#assigned.set(partition, { position: offset });
    void this.#fetchMore();
  }

  /** Stops reading partitions. `read` returns no more of their messages. */
  unassign(partitions: Iterable<number>): void {
    for (const partition of partitions) this.#assigned.delete(partition);
    this.#buffered = this.#buffered.slice(this.#next).filter(({ partition }) => this.#assigned.has(partition));
    this.#next = 0;
    void this.#fetchMore();
  }

  /** Returns the offset of the next message to fetch, or undefined if the partition is not being read. */
  position(partition: number): bigint | undefined {
    return this.#assigned.get(partition)?.position;
  }

  /** Returns the next fetched message, or undefined if none is available. Throws an error of the library. */
  read(): TopicMessage | undefined {
    if (this.#failure !== undefined) throw this.#failure.error;
    const message = this.#buffered[this.#next++];
    if (message !== undefined) return message;
    this.#buffered = [];
    this.#next = 0;
    void this.#fetchMore();
    return undefined;
  }

  /** Waits for a message or a failure. May resolve early. Only one caller at a time. */
  wait(): Promise<void> {
    if (this.hasNews) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Returns true if a message or a failure is available. */
  get hasNews(): boolean {
    return this.#failure !== undefined || this.#hasMessages;
  }

  /** Makes `read` throw. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake?.();
  }

  close(): void {
    this.#closing.abort();
    this.unassign([...this.#assigned.keys()]);
  }

  /** Sends a fetch to the leader of each assigned partition, unless one is in progress there. */
  async #fetchMore(): Promise<void> {
    this.#asksAgain = true;
    if (this.#isAsking) return;
    this.#isAsking = true;
    while (this.#asksAgain && !this.#isIdle) {
      this.#asksAgain = false;
      await this.#askLeaders().catch((error) => this.#recover(error, new Map()));
    }
    this.#isAsking = false;
  }

  async #askLeaders(): Promise<void> {
    const { topic } = this.#settings;
    const metadata = (await this.#consumer.metadata({ topics: [topic] })).topics.get(topic);
    if (metadata === undefined || this.#isIdle) return;
    this.#compareTopic(metadata.id);
    const byLeader = new Map<number, Map<number, Assigned>>();
    for (const [partition, assigned] of this.#assigned) {
      const leader = metadata.partitions[partition]?.leader;
      if (leader === undefined || this.#busyNodes.has(leader)) continue;
      byLeader.getOrInsertComputed(leader, () => new Map()).set(partition, assigned);
    }
    for (const [node, partitions] of byLeader) void this.#fetch(node, metadata.id, partitions);
  }

  /** A topic that was created again has other messages. Reading begins with its first one. */
  #compareTopic(id: string): void {
    const { topic, log } = this.#settings;
    if (this.#topicId !== undefined && this.#topicId !== id) {
      for (const assigned of this.#assigned.values()) assigned.position = 0n;
      log.warn(`The topic ${topic} was created again. Reading continues with its first message`);
    }
    this.#topicId = id;
  }

  get #hasMessages(): boolean {
    return this.#next < this.#buffered.length;
  }

  get #isIdle(): boolean {
    return (
      this.#closing.signal.aborted || this.#failure !== undefined || this.#assigned.size === 0 || this.#hasMessages
    );
  }

  async #fetch(node: number, topicId: string, partitions: ReadonlyMap<number, Assigned>): Promise<void> {
    this.#busyNodes.add(node);
    try {
      const { maxBytes, maxBytesPerPartition } = this.#settings;
      const wanted = Array.from(partitions, ([partition, { position }]) => ({
        partition,
        fetchOffset: position,
        partitionMaxBytes: maxBytesPerPartition,
        currentLeaderEpoch: -1,
        lastFetchedEpoch: -1,
      }));
      this.#take(await this.#consumer.fetch({ node, maxBytes, topics: [{ topicId, partitions: wanted }] }), partitions);
    } catch (error) {
      await this.#recover(error, partitions);
    } finally {
      this.#busyNodes.delete(node);
      this.#wake?.();
    }
    void this.#fetchMore();
  }

  #take({ responses }: FetchResponse, asked: ReadonlyMap<number, Assigned>): void {
    this.#endOutage();
    for (const { partitions } of responses) {
      for (const { partitionIndex: partition, records: batches } of partitions) {
        const assigned = asked.get(partition);
        if (assigned === undefined || this.#assigned.get(partition) !== assigned) continue;
        for (const {
          attributes,
          firstOffset,
          lastOffsetDelta,
          partitionLeaderEpoch: leaderEpoch,
          records,
        } of batches ?? []) {
          if ((attributes & CONTROL_BATCH) === 0) {
            for (const { offsetDelta, key, value, headers } of records) {
              const offset = firstOffset + BigInt(offsetDelta);
              // Brokers return whole batches, which may start before the requested offset.
              if (offset < assigned.position) continue;
              this.#buffered.push({
                partition,
                offset,
                leaderEpoch,
                key: key ?? undefined,
                value: value ?? undefined,
                headers,
              });
            }
          }
          assigned.position = firstOffset + BigInt(lastOffsetDelta) + 1n;
        }
      }
    }
  }

  /**
   * Handles a failed fetch. A position that retention has deleted is reset. Lost brokers are tried again for some
   * minutes. Every other error is final. Messages that were fetched before remain readable.
   */
  async #recover(error: unknown, partitions: ReadonlyMap<number, Assigned>): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    // The topic was deleted, and may have been created again. The library would use the old identifier for minutes.
    if (hasKafkaError(error, ...OTHER_TOPIC)) this.#consumer.clearMetadata();
    try {
      if (!hasKafkaError(error, 'OFFSET_OUT_OF_RANGE')) this.#throwIfFinal(error);
      else await this.#resetPositions(partitions).catch((next) => this.#throwIfFinal(next));
    } catch (final) {
      this.fail(final);
    }
    if (this.#failure === undefined) await sleep(OUTAGE_RETRY_MS, undefined, { signal }).catch(() => undefined);
  }

  async #resetPositions(partitions: ReadonlyMap<number, Assigned>): Promise<void> {
    const { topic, reset, log, notices } = this.#settings;
    const [first, last] = await Promise.all(
      [EARLIEST, LATEST].map(async (timestamp) =>
        (await this.#consumer.listOffsets({ topics: [topic], timestamp })).get(topic),
      ),
    );
    for (const [partition, assigned] of partitions) {
      const [from, to] = [first?.[partition] ?? 0n, last?.[partition] ?? 0n];
      const { position } = assigned;
      if (position >= from && position <= to) continue;
      assigned.position = reset === EARLIEST ? from : to;
      const reason =
        position < from
          ? `the messages ${position} to ${from - 1n} were deleted before they were read (retention.ms and retention.bytes of the topic)`
          : `it ends at offset ${to}, before the position ${position} of the consumer group (the topic was created again)`;
      if (position < from) {
        // With auto.offset.reset: latest, the messages that were not deleted are passed over too.
        const count = Number(assigned.position - position);
        notices.report('kafka.deletedMessages', { file: `${topic}[${partition}]`, hint: reason, count });
      }
      log.warn(`Partition ${partition} of ${topic}: ${reason}. Reading continues at offset ${assigned.position}`);
    }
  }

  /** Throws a final error, or a temporary one that has lasted too long. Otherwise logs the start of an outage. */
  #throwIfFinal(error: unknown): void {
    const { brokers, log } = this.#settings;
    const now = performance.now();
    if (!isPassing(error) || now - (this.#outageSince ?? now) > OUTAGE_MS) throw error;
    if (this.#outageSince !== undefined) return;
    this.#outageSince = now;
    log.warn(`${kafkaError(brokers, error).message}. The connector tries again`);
  }

  #endOutage(): void {
    if (this.#outageSince === undefined) return;
    const { brokers, log } = this.#settings;
    log.info(`Kafka at ${brokers} is back after ${Math.round((performance.now() - this.#outageSince) / 1000)} s`);
    this.#outageSince = undefined;
  }
}

/** In a ListOffsets request, these timestamps ask for the first and the end offset. */
export const EARLIEST = -2n;
export const LATEST = -1n;

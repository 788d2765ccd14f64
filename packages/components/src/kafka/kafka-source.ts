import { setTimeout as sleep } from 'node:timers/promises';
import { HeadraceError } from '@headrace/engine';
import type { Consumer, ConsumerOptions, Message, MessagesStream } from '@platformatic/kafka';
import type { KafkaProperties } from './client-properties.ts';
import { hearErrors } from './connection-errors.ts';
import { consumerOptions } from './consumer-properties.ts';

export interface KafkaSourceSettings {
  /** Host and port of each. */
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly groupId: string;
  readonly clientId: string;
  /** Milliseconds that a member of the group may be busy while partitions are given out anew. */
  readonly rebalanceTimeout: number;
  readonly properties: KafkaProperties;
  /** Where to begin, by partition, instead of what the group has committed. */
  readonly offsets: ReadonlyMap<number, bigint> | undefined;
  /** To look only: as a group of its own, which begins where the group stands. */
  readonly isPreview: boolean;
}

/** How far a partition has been read: the offset of the next message. */
export interface PartitionPosition {
  readonly offset: bigint;
  readonly leaderEpoch: number;
}

/** Shorter ones are refused by brokers, as they are set up by default. */
const MIN_SESSION_MS = 6000;
const SESSION_MS = 45_000;
const HEARTBEAT_MS = 3000;
const EARLIEST = -2n;
const LATEST = -1n;
/** What one request to a broker may bring; it is in memory until it has been read. */
const MAX_FETCH_BYTES = 8 * 1024 * 1024;

type Library = typeof import('@platformatic/kafka');
type Options = ConsumerOptions<Buffer, Buffer, Buffer, Buffer>;

/** The messages of a topic, read as a member of a consumer group. Nothing is committed but by `commit`. */
export class KafkaSource {
  private readonly consumer: Consumer;
  private readonly stream: MessagesStream<Buffer, Buffer, Buffer, Buffer>;
  private readonly settings: KafkaSourceSettings;
  private failure: unknown;
  private wake: (() => void) | undefined;

  private constructor(
    consumer: Consumer,
    stream: MessagesStream<Buffer, Buffer, Buffer, Buffer>,
    settings: KafkaSourceSettings,
  ) {
    this.consumer = consumer;
    this.stream = stream;
    this.settings = settings;
    stream.on('readable', () => this.wake?.());
    stream.on('error', (error) => {
      this.failure = error;
      this.wake?.();
    });
  }

  /** Joins the group; throws an error of the library when that does not succeed. */
  static async open(settings: KafkaSourceSettings): Promise<KafkaSource> {
    const library = await import('@platformatic/kafka');
    const options = await libraryOptions(settings);
    const { topic, groupId, isPreview, offsets } = settings;
    const reset = settings.properties.get('auto.offset.reset') === 'latest' ? 'latest' : 'earliest';
    const begin = isPreview || offsets !== undefined ? await beginnings(library, options, settings, reset) : undefined;
    const consumer = hearErrors(
      new library.Consumer<Buffer, Buffer, Buffer, Buffer>({
        ...options,
        groupId: isPreview ? `${groupId}-preview-${crypto.randomUUID()}` : groupId,
      }),
    );
    try {
      const stream = await consumer.consume({
        topics: [topic],
        fallbackMode: reset,
        autocommit: false,
        // What a request has brought is read before the next one is sent: so bytes are bounded, not only messages.
        highWaterMark: 1,
        ...(begin === undefined ? { mode: 'committed' } : { mode: 'manual', offsets: begin }),
      });
      return new KafkaSource(consumer, stream, settings);
    } catch (error) {
      await consumer.close(true);
      throw error;
    }
  }

  /** The next message that is here; undefined when none is. */
  read(): Message | undefined {
    if (this.failure !== undefined) throw this.failure;
    return (this.stream.read() as Message | null) ?? undefined;
  }

  /** Waits for messages, for so many milliseconds; false when none came. Throws an error of the library. */
  async wait(milliseconds: number, signal: AbortSignal): Promise<boolean> {
    const timer = new AbortController();
    const woken = new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    if (this.failure === undefined && this.stream.readableLength === 0) {
      const time = sleep(milliseconds, undefined, { signal: AbortSignal.any([signal, timer.signal]) });
      await Promise.race([woken, time.catch(() => undefined)]);
      timer.abort();
    }
    this.wake = undefined;
    if (this.failure !== undefined) throw this.failure;
    return this.stream.readableLength > 0;
  }

  /** Whether all messages that there are now have been fetched, of the partitions that are ours. */
  async isAtEnd(): Promise<boolean> {
    const { topic } = this.settings;
    const partitions = this.partitions;
    if (partitions === undefined) return false;
    if (partitions.length === 0) return true;
    const isolationLevel = this.settings.properties.get('isolation.level') === 'read_committed' ? 1 : 0;
    const ends =
      (await this.consumer.listOffsets({ topics: [topic], timestamp: LATEST, isolationLevel })).get(topic) ?? [];
    return partitions.every((partition) => {
      const position = this.stream.offsetsToFetch.get(`${topic}:${partition}`);
      return position !== undefined && position >= (ends[partition] ?? 0n);
    });
  }

  /** The partitions that are ours; undefined while the group gives them out. */
  get partitions(): readonly number[] | undefined {
    const { assignments } = this.consumer;
    if (assignments === null) return undefined;
    return assignments.find(({ topic }) => topic === this.settings.topic)?.partitions ?? [];
  }

  /** Tells the group how far it has come. Partitions that are no longer ours are left to the others. */
  async commit(positions: ReadonlyMap<number, PartitionPosition>): Promise<void> {
    const { topic, isPreview } = this.settings;
    const ours = new Set(this.partitions);
    const offsets = [...positions].flatMap(([partition, position]) =>
      ours.has(partition) ? [{ topic, partition, ...position }] : [],
    );
    if (offsets.length > 0 && !isPreview) await this.consumer.commit({ offsets });
  }

  /** Leaves the group. */
  async close(): Promise<void> {
    // Already broken, there is nothing left to be told.
    this.stream.on('error', () => undefined);
    await this.stream.close().catch(() => undefined);
    await this.consumer.close(true).catch(() => undefined);
  }
}

async function libraryOptions(settings: KafkaSourceSettings): Promise<Options> {
  const { brokers, clientId, groupId, rebalanceTimeout, properties } = settings;
  const given = await consumerOptions(properties);
  const sessionTimeout = given.sessionTimeout ?? Math.max(MIN_SESSION_MS, Math.min(SESSION_MS, rebalanceTimeout));
  return {
    maxBytes: MAX_FETCH_BYTES,
    heartbeatInterval: HEARTBEAT_MS,
    ...given,
    clientId,
    groupId,
    bootstrapBrokers: [...brokers],
    sessionTimeout,
    rebalanceTimeout: Math.max(rebalanceTimeout, sessionTimeout),
    autocommit: false,
  } as Options;
}

/** Where each partition begins: as asked for, else where the group stands, else as `auto.offset.reset` says. */
async function beginnings(
  { Consumer }: Library,
  options: Options,
  { topic, offsets }: KafkaSourceSettings,
  reset: 'earliest' | 'latest',
): Promise<{ topic: string; partition: number; offset: bigint }[]> {
  // It asks only, and joins nothing.
  const consumer = hearErrors(new Consumer<Buffer, Buffer, Buffer, Buffer>(options));
  try {
    const timestamp = reset === 'earliest' ? EARLIEST : LATEST;
    const fallback = (await consumer.listOffsets({ topics: [topic], timestamp })).get(topic) ?? [];
    const partitions = [...fallback.keys()];
    const unknown = [...(offsets ?? new Map()).keys()].find((partition) => fallback[partition] === undefined);
    if (unknown !== undefined) {
      throw new HeadraceError('HR_SOURCE_UNREADABLE', `offsets: the topic ${topic} has no partition ${unknown}`, {
        hint: `Its partitions are 0 to ${partitions.length - 1}.`,
      });
    }
    const committed = (await consumer.listCommittedOffsets({ topics: [{ topic, partitions }] })).get(topic) ?? [];
    return partitions.map((partition) => {
      const kept = committed[partition] ?? -1n;
      return {
        topic,
        partition,
        offset: offsets?.get(partition) ?? (kept >= 0n ? kept : (fallback[partition] as bigint)),
      };
    });
  } finally {
    await consumer.close(true);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { HeadraceError, type Logger } from '@headrace/engine';
import type { Consumer, ConsumerOptions, Message, MessagesStream } from '@platformatic/kafka';
import { type KafkaProperties, numberOf } from './client-properties.ts';
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
  readonly log: Logger;
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
/** Longer than a group that is well takes to let a member in: the others learn of it with their heartbeats. */
const WAIT_TOLD_MS = 5000;
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
    const joined = tellOfWaiting(settings);
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
    } finally {
      joined();
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

/** Says in the log when the group keeps us waiting, and why that may be. Gives what is to be called at the end. */
function tellOfWaiting(settings: KafkaSourceSettings): () => void {
  const { groupId, log } = settings;
  const since = Date.now();
  let isTold = false;
  const timer = setTimeout(() => {
    isTold = true;
    const { session, rebalance } = timeoutsOf(settings);
    log.warn(
      `The consumer group ${groupId} does not let this run in yet: the brokers wait for another member. A run that was killed is waited for until its session ends, ${seconds(session)} at most (session.timeout.ms in kafka.consumer); one that is busy, ${seconds(rebalance)} (kafka.maxPollIntervalSecs)`,
    );
  }, WAIT_TOLD_MS);
  return () => {
    clearTimeout(timer);
    if (isTold) log.info(`The wait for the consumer group ${groupId} is over after ${seconds(Date.now() - since)}`);
  };
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}

async function libraryOptions(settings: KafkaSourceSettings): Promise<Options> {
  const { brokers, clientId, groupId, properties } = settings;
  const { session, rebalance } = timeoutsOf(settings);
  return {
    maxBytes: MAX_FETCH_BYTES,
    heartbeatInterval: HEARTBEAT_MS,
    ...(await consumerOptions(properties)),
    clientId,
    groupId,
    bootstrapBrokers: [...brokers],
    sessionTimeout: session,
    rebalanceTimeout: rebalance,
    autocommit: false,
  } as Options;
}

/** How long, in milliseconds, the brokers wait for a member that is silent, and for one that is busy. */
function timeoutsOf({ properties, rebalanceTimeout }: KafkaSourceSettings): { session: number; rebalance: number } {
  const session =
    numberOf(properties, 'session.timeout.ms') ?? Math.max(MIN_SESSION_MS, Math.min(SESSION_MS, rebalanceTimeout));
  return { session, rebalance: Math.max(rebalanceTimeout, session) };
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

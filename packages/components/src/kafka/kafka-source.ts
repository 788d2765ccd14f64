import { setTimeout as sleep } from 'node:timers/promises';
import { HeadraceError, type Logger } from '@headrace/engine';
import type { Consumer, ConsumerOptions } from '@platformatic/kafka';
import { loadLibrary } from '../libraries/optional-library.ts';
import { type KafkaProperties, numberOf } from './client-properties.ts';
import { closeClient } from './close-client.ts';
import { hearErrors } from './connection-errors.ts';
import { consumerOptions } from './consumer-properties.ts';
import { type CommittedPosition, GroupMember, type PartitionOwner, type PartitionPosition } from './group-member.ts';
import { EARLIEST, LATEST, type TopicMessage, TopicReader } from './topic-reader.ts';

export interface KafkaSourceSettings {
  /** Host and port of each. */
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly groupId: string;
  readonly clientId: string;
  /** Milliseconds that a member of the group may be busy while partitions are assigned again. */
  readonly rebalanceTimeout: number;
  readonly properties: KafkaProperties;
  /** Where to begin, by partition, instead of what the group has committed. */
  readonly offsets: ReadonlyMap<number, bigint> | undefined;
  /** For checks only: a separate group, which starts at the position of the group. */
  readonly isPreview: boolean;
  readonly log: Logger;
  /**
   * Finishes and commits what was read of partitions that are to be given up; see `PartitionOwner.release`. None of their
   * messages is given out any more.
   */
  readonly onRelease: (partitions: readonly number[], signal: AbortSignal) => Promise<boolean>;
  /** Partitions went to other members, released or not. */
  readonly onGone: (partitions: readonly number[]) => void;
  /** Called before partitions are read, with what the group has stored for them and the offset of the first message. */
  readonly onGained?: (partitions: ReadonlyMap<number, GainedPartition>) => void | Promise<void>;
}

/** Shorter ones are refused by brokers, as they are set up by default. */
const MIN_SESSION_MS = 6000;
const SESSION_MS = 45_000;
const HEARTBEAT_MS = 3000;
/** Longer than a group that is well takes to let a member in: the others learn of it with their heartbeats. */
const WAIT_TOLD_MS = 5000;
/** What one request to a broker may bring; it is in memory until it has been read. */
const MAX_FETCH_BYTES = 8 * 1024 * 1024;

/** A partition that is about to be read. */
export interface GainedPartition {
  /** The offset of the first message that is read. */
  readonly offset: bigint;
  /** The note that was stored with the last commit; empty if there is none. */
  readonly note: string;
}

type Library = typeof import('@platformatic/kafka');
type Options = ConsumerOptions<Buffer, Buffer, Buffer, Buffer>;

/**
 * The messages of a topic, read as a member of a consumer group: those of the partitions that the member has at the
 * moment. Nothing is committed but by `commit`.
 */
export class KafkaSource {
  readonly #settings: KafkaSourceSettings;
  readonly #options: Options;
  readonly #client: Consumer<Buffer, Buffer, Buffer, Buffer>;
  readonly #reader: TopicReader;
  readonly #reset: bigint;
  #member: GroupMember | undefined;
  /** Of a preview, which is in no group. */
  #all: readonly number[] = [];
  /** Partitions of which it is being found out where to begin, each with the call that does. */
  readonly #beginning = new Map<number, object>();

  private constructor(settings: KafkaSourceSettings, library: Library, options: Options) {
    this.#settings = settings;
    this.#options = options;
    this.#reset = settings.properties.get('auto.offset.reset') === 'latest' ? LATEST : EARLIEST;
    this.#client = hearErrors(new library.Consumer<Buffer, Buffer, Buffer, Buffer>(options));
    const { maxBytes = MAX_FETCH_BYTES, maxBytesPerPartition = maxBytes } = options;
    this.#reader = new TopicReader(this.#client, {
      topic: settings.topic,
      reset: this.#reset,
      maxBytes,
      maxBytesPerPartition,
      brokers: settings.brokers.join(','),
      log: settings.log,
    });
  }

  /** Joins the group; throws an error of the library when that does not succeed. */
  static async open(settings: KafkaSourceSettings): Promise<KafkaSource> {
    const library = await loadLibrary('@platformatic/kafka');
    const source = new KafkaSource(settings, library, await libraryOptions(settings));
    try {
      await source.#begin(library);
      return source;
    } catch (error) {
      await source.close();
      throw error;
    }
  }

  /** The partitions that are ours; undefined while the group gives them out. */
  get partitions(): readonly number[] | undefined {
    return this.#member === undefined ? this.#all : this.#member.partitions;
  }

  /** The next message that is here; undefined if none is. Throws an error of the library. */
  read(): TopicMessage | undefined {
    return this.#reader.read();
  }

  /** Waits for messages, for so many milliseconds; false if none came. */
  async wait(milliseconds: number, signal: AbortSignal): Promise<boolean> {
    const timer = new AbortController();
    const time = sleep(milliseconds, undefined, { signal: AbortSignal.any([signal, timer.signal]) });
    await Promise.race([this.#reader.wait(), time.catch(() => undefined)]);
    timer.abort();
    return this.#reader.hasNews;
  }

  /** Whether all messages that there are now have been fetched, of the partitions that are ours. */
  async isAtEnd(): Promise<boolean> {
    const { partitions } = this;
    if (partitions === undefined) return false;
    if (partitions.length === 0) return true;
    const isolationLevel = this.#settings.properties.get('isolation.level') === 'read_committed' ? 1 : 0;
    const ends = await this.#offsetsAt(LATEST, isolationLevel);
    return partitions.every((partition) => {
      const position = this.#reader.position(partition);
      return position !== undefined && position >= (ends[partition] ?? 0n);
    });
  }

  /** Tells the group how far it has come. Partitions that are no longer ours are left to the others. */
  async commit(positions: ReadonlyMap<number, PartitionPosition>): Promise<void> {
    await this.#member?.commit(positions);
  }

  /** Leaves the group. */
  async close(): Promise<void> {
    this.#reader.close();
    await this.#member?.leave();
    await closeClient(this.#client);
  }

  async #begin(library: Library): Promise<void> {
    const { topic, offsets, isPreview, log, onRelease, onGone } = this.#settings;
    const partitions = [...(await this.#offsetsAt(LATEST)).keys()];
    const unknown = [...(offsets?.keys() ?? [])].find((partition) => !partitions.includes(partition));
    if (unknown !== undefined) {
      throw new HeadraceError('HR_SOURCE_UNREADABLE', `offsets: the topic ${topic} has no partition ${unknown}`, {
        hint: `Its partitions are 0 to ${partitions.length - 1}.`,
      });
    }
    if (isPreview) {
      this.#all = partitions;
      await this.#readFrom(partitions);
      return;
    }
    // The first partitions are gained before the call below returns.
    const ready = Promise.withResolvers<void>();
    const joined = tellOfWaiting(this.#settings);
    try {
      const owner: PartitionOwner = {
        gained: (gained) =>
          void ready.promise.then(() => this.#readFrom(gained)).catch((error) => this.#reader.fail(error)),
        release: async (released, signal) => {
          this.#stopReading(released);
          try {
            return await onRelease(released, signal);
          } finally {
            onGone(released);
          }
        },
        lost: (lost) => {
          this.#stopReading(lost);
          onGone(lost);
        },
        failed: (error) => this.#reader.fail(error),
      };
      this.#member = await GroupMember.join(library, { topic, options: this.#options, owner, log });
      ready.resolve();
    } finally {
      joined();
    }
  }

  /** Begins to read partitions: as asked for, else where the group is, else as `auto.offset.reset` says. */
  async #readFrom(partitions: readonly number[]): Promise<void> {
    const { offsets } = this.#settings;
    const call = {};
    for (const partition of partitions) this.#beginning.set(partition, call);
    const committed = await this.#committed(partitions);
    const fallback = await this.#offsetsAt(this.#reset);
    const gained = new Map<number, GainedPartition>();
    for (const partition of partitions) {
      const { offset, note = '' } = committed.get(partition) ?? {};
      gained.set(partition, { offset: offsets?.get(partition) ?? offset ?? fallback[partition] ?? 0n, note });
    }
    await this.#settings.onGained?.(gained);
    for (const [partition, { offset }] of gained) {
      // It may have been taken away meanwhile, or even come back.
      if (this.#beginning.get(partition) !== call) continue;
      this.#beginning.delete(partition);
      this.#reader.assign(partition, offset);
    }
  }

  async #committed(partitions: readonly number[]): Promise<ReadonlyMap<number, Partial<CommittedPosition>>> {
    if (this.#member !== undefined) return this.#member.committed(partitions);
    const { topic } = this.#settings;
    const all = await this.#client.listCommittedOffsets({ topics: [{ topic, partitions: [...partitions] }] });
    const offsets = all.get(topic) ?? [];
    return new Map(
      partitions.flatMap((partition) => {
        const offset = offsets[partition] ?? -1n;
        return offset >= 0n ? [[partition, { offset }]] : [];
      }),
    );
  }

  #stopReading(partitions: readonly number[]): void {
    for (const partition of partitions) this.#beginning.delete(partition);
    this.#reader.unassign(partitions);
  }

  /** The first or the end offset of each partition. */
  async #offsetsAt(timestamp: bigint, isolationLevel = 0): Promise<readonly bigint[]> {
    const { topic } = this.#settings;
    return (await this.#client.listOffsets({ topics: [topic], timestamp, isolationLevel })).get(topic) ?? [];
  }
}

/** Says in the log when the group keeps us waiting, and why that may be. Returns a function to call at the end. */
function tellOfWaiting(settings: KafkaSourceSettings): () => void {
  const { groupId, log } = settings;
  const since = Date.now();
  let isLogged = false;
  const timer = setTimeout(() => {
    isLogged = true;
    const { session, rebalance } = timeoutsOf(settings);
    log.warn(
      `The consumer group ${groupId} does not let this run in yet: the brokers wait for another member. A run that was killed is waited for until its session ends, ${seconds(session)} at most (session.timeout.ms in kafka.consumer); one that is busy, ${seconds(rebalance)} (kafka.maxPollIntervalSecs)`,
    );
  }, WAIT_TOLD_MS);
  return () => {
    clearTimeout(timer);
    if (isLogged) log.info(`The wait for the consumer group ${groupId} is over after ${seconds(Date.now() - since)}`);
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

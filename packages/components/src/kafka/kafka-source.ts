import { setTimeout as sleep } from 'node:timers/promises';
import { HeadraceError, type Logger, type Notices } from '@headrace/engine';
import type { Consumer, ConsumerOptions } from '@platformatic/kafka';
import { type KafkaProperties, numberOf } from './client-properties.ts';
import { closeClient } from './close-client.ts';
import { hearErrors } from './connection-errors.ts';
import { consumerOptions } from './consumer-properties.ts';
import { type CommittedPosition, GroupMember, type PartitionOwner, type PartitionPosition } from './group-member.ts';
import { type KafkaLibrary, loadKafka } from './library.ts';
import { EARLIEST, LATEST, type TopicMessage, TopicReader } from './topic-reader.ts';

export interface KafkaSourceSettings {
  /** Host and port of each broker. */
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly groupId: string;
  readonly clientId: string;
  /** How long a member may take to join again during a rebalance, in milliseconds. */
  readonly rebalanceTimeout: number;
  readonly properties: KafkaProperties;
  /** The first offset to read of a partition. It overrides the committed offset. */
  readonly offsets: ReadonlyMap<number, bigint> | undefined;
  /** For previews and checks: reads from the committed offsets without joining the group. */
  readonly isPreview: boolean;
  readonly log: Logger;
  readonly notices: Notices;
  /**
   * Finishes and commits the messages of partitions that the group takes away; see `PartitionOwner.release`. `next`
   * returns no more messages of these partitions.
   */
  readonly onRelease: (partitions: readonly number[], signal: AbortSignal) => Promise<boolean>;
  /** Called when partitions belong to other members, even if `onRelease` could not finish their messages. */
  readonly onGone: (partitions: readonly number[]) => void;
  /** Called before the first read of new partitions, with the stored note and the first offset of each. */
  readonly onGained?: (partitions: ReadonlyMap<number, GainedPartition>) => void | Promise<void>;
}

/** By default, brokers refuse shorter sessions. */
const MIN_SESSION_MS = 6000;
const SESSION_MS = 45_000;
const HEARTBEAT_MS = 3000;
/** Joining a healthy group takes less than this: its members learn of a new member from their next heartbeat. */
const LONG_JOIN_MS = 5000;
/** The maximum size of a fetch response. The response stays in memory until its messages have been read. */
const MAX_FETCH_BYTES = 8 * 1024 * 1024;
/** How long the library waits before it repeats a failed request. */
const RETRY_MS = 1000;

/** A newly assigned partition, before the first read. */
export interface GainedPartition {
  /** The offset of the first message to read. */
  readonly offset: bigint;
  /** The note that was stored with the last commit; empty if there is none. */
  readonly note: string;
}

type Options = ConsumerOptions<Buffer, Buffer, Buffer, Buffer>;

/**
 * Reads a topic as a member of a consumer group: the messages of the partitions that are assigned to the member.
 * Offsets are committed only by `commit`.
 */
export class KafkaSource {
  readonly #settings: KafkaSourceSettings;
  readonly #options: Options;
  readonly #client: Consumer<Buffer, Buffer, Buffer, Buffer>;
  readonly #reader: TopicReader;
  readonly #reset: bigint;
  #member: GroupMember | undefined;
  /** The partitions of a preview, which joins no group. */
  #all: readonly number[] = [];
  /** Assigned partitions whose first offset is not known yet, each with an object that identifies the look-up. */
  readonly #beginning = new Map<number, object>();

  private constructor(settings: KafkaSourceSettings, library: KafkaLibrary, options: Options) {
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
      notices: settings.notices,
    });
  }

  /** Joins the group. Throws an error of the library if joining fails. */
  static async open(settings: KafkaSourceSettings): Promise<KafkaSource> {
    const library = await loadKafka();
    const source = new KafkaSource(settings, library, await libraryOptions(settings));
    try {
      await source.#begin(library);
      return source;
    } catch (error) {
      await source.close();
      throw error;
    }
  }

  /** The assigned partitions. Undefined during a rebalance of the group. */
  get partitions(): readonly number[] | undefined {
    return this.#member === undefined ? this.#all : this.#member.partitions;
  }

  /** Returns the next fetched message, or undefined if no message is available. Throws an error of the library. */
  read(): TopicMessage | undefined {
    return this.#reader.read();
  }

  /** Waits for messages, at most this many milliseconds. Returns false if none arrived. */
  async wait(milliseconds: number, signal: AbortSignal): Promise<boolean> {
    const timer = new AbortController();
    const time = sleep(milliseconds, undefined, { signal: AbortSignal.any([signal, timer.signal]) });
    await Promise.race([this.#reader.wait(), time.catch(() => undefined)]);
    timer.abort();
    return this.#reader.hasNews;
  }

  /** Returns true if all current messages of the assigned partitions have been fetched. */
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

  /** Commits positions. Ignores partitions that belong to other members now. */
  async commit(positions: ReadonlyMap<number, PartitionPosition>): Promise<void> {
    await this.#member?.commit(positions);
  }

  /** Leaves the group. */
  async close(): Promise<void> {
    this.#reader.close();
    await this.#member?.leave();
    await closeClient(this.#client);
  }

  async #begin(library: KafkaLibrary): Promise<void> {
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
    // The library assigns the first partitions before `join` returns. They are read after that.
    const ready = Promise.withResolvers<void>();
    const joined = warnOfLongJoin(this.#settings);
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

  /**
   * Starts to read partitions: at the requested offset, else at the committed one, else as `auto.offset.reset` says.
   */
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
      // During the look-up, the partition may have moved away, and may even have been assigned again.
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

  /** Returns the first or the end offset of each partition. */
  async #offsetsAt(timestamp: bigint, isolationLevel = 0): Promise<readonly bigint[]> {
    const { topic } = this.#settings;
    return (await this.#client.listOffsets({ topics: [topic], timestamp, isolationLevel })).get(topic) ?? [];
  }
}

/** Logs a warning with the likely reason if joining takes long. Returns a function to call after joining. */
function warnOfLongJoin(settings: KafkaSourceSettings): () => void {
  const { groupId, log } = settings;
  const since = performance.now();
  let isLogged = false;
  const timer = setTimeout(() => {
    isLogged = true;
    const { session, rebalance } = timeoutsOf(settings);
    log.warn(
      `The consumer group ${groupId} has not accepted this run yet: the brokers wait for another member. They wait at most ${seconds(session)} for a killed run (session.timeout.ms in kafka.consumer), and at most ${seconds(rebalance)} for a busy one (kafka.maxPollIntervalSecs)`,
    );
  }, LONG_JOIN_MS);
  return () => {
    clearTimeout(timer);
    if (isLogged)
      log.info(`The consumer group ${groupId} has accepted this run after ${seconds(performance.now() - since)}`);
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
    // `close` ends an open fetch, and the library would wait before it notices that its client is closed.
    retryDelay: (client: object) => ((client as Consumer).closed ? 0 : RETRY_MS),
  } as Options;
}

/** How long the brokers wait for a silent member (session), and for a busy one (rebalance), in milliseconds. */
function timeoutsOf({ properties, rebalanceTimeout }: KafkaSourceSettings): { session: number; rebalance: number } {
  const session =
    numberOf(properties, 'session.timeout.ms') ?? Math.max(MIN_SESSION_MS, Math.min(SESSION_MS, rebalanceTimeout));
  return { session, rebalance: Math.max(rebalanceTimeout, session) };
}

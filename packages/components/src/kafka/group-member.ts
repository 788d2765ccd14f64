import type { Logger } from '@headrace/engine';
import type { API, Connection, Consumer, ConsumerOptions, GroupOptions } from '@platformatic/kafka';
import { closeClient, withinCloseTime } from './close-client.ts';
import { hearErrors } from './connection-errors.ts';
import { hasKafkaError } from './kafka-error.ts';
import type { KafkaLibrary } from './library.ts';
import { sharePartitions } from './share-partitions.ts';

type Options = ConsumerOptions<Buffer, Buffer, Buffer, Buffer>;

/** The position to commit for a partition: the offset of the next message to read. */
export interface PartitionPosition {
  readonly offset: bigint;
  readonly leaderEpoch: number;
  /** A note of at most 4096 bytes that the group stores with the offset. */
  readonly note?: string;
}

/** The stored position of a partition. `offset` is undefined if nothing was ever committed. */
export interface CommittedPosition {
  readonly offset: bigint | undefined;
  readonly note: string;
}

/** Reads the partitions that the group assigns to this member. `GroupMember` calls it when the assignment changes. */
export interface PartitionOwner {
  /** The group has assigned these partitions to this member. */
  gained(partitions: readonly number[]): void;
  /**
   * The group takes these partitions away. Resolves when their messages are no longer in progress. Returns true if all
   * of them were committed with `GroupMember.commit`. The next member reads the others again.
   * @param signal aborted when the time is up
   */
  release(partitions: readonly number[], signal: AbortSignal): Promise<boolean>;
  /** The group has excluded this member, so these partitions belong to others now. */
  lost(partitions: readonly number[]): void;
  /** The group cannot be joined again. */
  failed(error: unknown): void;
}

export interface GroupMemberSettings {
  readonly topic: string;
  /** The options of the client, including `groupId`, `sessionTimeout`, `rebalanceTimeout` and `heartbeatInterval`. */
  readonly options: Options;
  readonly owner: PartitionOwner;
  readonly log: Logger;
}

/** The assignor of Kafka's Java clients with this name, so that Java consumers can be in the same group. */
const PROTOCOL = { name: 'cooperative-sticky', version: 3 };
/** Joining fails now and then while several members start at the same time. */
const JOIN_RETRIES = 20;
const JOIN_GRACE_MS = 5000;
const HEARTBEAT_MS = 3000;
const REBALANCE_MS = 60_000;
/** How often the leader of the group looks for new partitions. */
const METADATA_AGE_MS = 30_000;
/** Error codes of brokers for a client that is no longer a member of the group. */
const GIVEN_UP = ['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID'] as const;

/**
 * A member of a consumer group, with cooperative rebalancing. It continues to read the partitions that it keeps while
 * others move. A partition that moves is released first: its documents are finished and committed.
 *
 * The library joins again automatically, and calls `protocolsMetadata` before each attempt. In this call, the member
 * releases the partitions that the group takes away. The group assigns them to another member only after this member
 * has joined again. The library sends no heartbeats during the call, so this class sends them.
 */
export class GroupMember {
  readonly #library: KafkaLibrary;
  readonly #consumer: Consumer<Buffer, Buffer, Buffer, Buffer>;
  /** Commits and heartbeats use separate connections: brokers may leave a request to join unanswered for minutes. */
  readonly #courier: Consumer<Buffer, Buffer, Buffer, Buffer>;
  readonly #settings: GroupMemberSettings;
  #owned: readonly number[] = [];
  #isStable = false;
  #isLeaving = false;
  /** The generation of the group in which the partitions in `owned` were assigned. */
  #generation = -1;
  #rebalancingSince = performance.now();
  #released: number[] = [];
  /** The number of partitions of each topic of the group, in the leader of the group. Empty in the other members. */
  #counts: ReadonlyMap<string, number> = new Map();
  readonly #watch: NodeJS.Timeout;

  private constructor(library: KafkaLibrary, settings: GroupMemberSettings) {
    this.#library = library;
    this.#settings = settings;
    const { options, topic, owner } = settings;
    this.#consumer = hearErrors(
      new library.Consumer<Buffer, Buffer, Buffer, Buffer>({
        ...options,
        retries: JOIN_RETRIES,
        // The group waits for its slowest member, so joining may take this long.
        requestTimeout: rebalanceTimeoutOf(options) + JOIN_GRACE_MS,
        protocols: [PROTOCOL],
        // Members of the group may read other topics, for example workers and indexers of a distributed run.
        partitionAssigner: (...group) => {
          this.#counts = new Map(Array.from(group[3].topics, ([name, { partitionsCount }]) => [name, partitionsCount]));
          return sharePartitions(...group);
        },
        protocolsMetadata: () => this.#beforeJoin(),
      } as Options),
    );
    this.#courier = hearErrors(new library.Consumer<Buffer, Buffer, Buffer, Buffer>({ ...options, retries: 0 }));
    for (const client of [this.#consumer, this.#courier]) client.topics.track(topic);
    this.#consumer.on('consumer:group:join', ({ isLeader }) => {
      if (!isLeader) this.#counts = new Map();
      this.#joined();
    });
    // A failed look is repeated. The reader reports brokers that do not answer.
    this.#watch = setInterval(() => void this.#lookForPartitions().catch(() => undefined), metadataAgeOf(options));
    this.#watch.unref();
    this.#consumer.on('error', (error) => {
      if (!this.#isLeaving) owner.failed(error);
    });
  }

  /** Joins a group. Throws an error of the library if joining fails. */
  static async join(library: KafkaLibrary, settings: GroupMemberSettings): Promise<GroupMember> {
    const member = new GroupMember(library, settings);
    try {
      await member.#consumer.joinGroup({});
      return member;
    } catch (error) {
      await member.leave();
      throw error;
    }
  }

  /** The partitions that are assigned to this member, or undefined during a rebalance. */
  get partitions(): readonly number[] | undefined {
    return this.#isStable ? this.#owned : undefined;
  }

  /** Commits positions. Ignores partitions that belong to other members now. Throws an error of the library. */
  async commit(positions: ReadonlyMap<number, PartitionPosition>): Promise<void> {
    const { topic } = this.#settings;
    const { groupId } = this.#settings.options;
    const ours = new Set(this.#owned);
    const partitions = [...positions].flatMap(([partition, { offset, leaderEpoch, note = '' }]) =>
      ours.has(partition)
        ? [
            {
              partitionIndex: partition,
              committedOffset: offset,
              committedLeaderEpoch: leaderEpoch,
              committedMetadata: note,
            },
          ]
        : [],
    );
    if (partitions.length === 0) return;
    const { memberId, generationId, groupInstanceId } = this.#consumer;
    await this.#callCoordinator('OffsetCommit', groupId, generationId, memberId, groupInstanceId, [
      { name: topic, partitions },
    ]);
  }

  /** Returns the stored positions of partitions. Throws an error of the library. */
  async committed(partitions: readonly number[]): Promise<ReadonlyMap<number, CommittedPosition>> {
    const { topic, options } = this.#settings;
    const asked = [{ name: topic, partitionIndexes: [...partitions] }];
    const group = { groupId: options.groupId, memberId: null, memberEpoch: -1, topics: asked };
    const answer = (await this.#callCoordinator('OffsetFetch', [group], false)) as OffsetFetchAnswer;
    const stored = answer.groups[0]?.topics[0]?.partitions ?? [];
    return new Map(
      stored.map(({ partitionIndex, committedOffset, metadata }) => [
        partitionIndex,
        { offset: committedOffset < 0n ? undefined : committedOffset, note: metadata ?? '' },
      ]),
    );
  }

  /** Leaves the group, so that other members get the partitions immediately. Never rejects. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    clearInterval(this.#watch);
    this.#owned = [];
    const { memberId } = this.#consumer;
    // `close` also leaves the group, but it waits for an open request to join. So the request below leaves first.
    const closing = this.#consumer.close(true).catch(() => undefined);
    const leaving = async () => {
      const { groupId } = this.#settings.options;
      if (memberId !== null) await this.#callCoordinator('LeaveGroup', groupId, [{ memberId }]).catch(() => undefined);
      await closing;
    };
    await withinCloseTime(leaving());
    await closeClient(this.#courier);
  }

  /**
   * Called by the library before each request to join. Returns the same data as the assignor of Kafka's Java clients.
   * Must not throw.
   */
  async #beforeJoin(): Promise<Buffer> {
    if (this.#isStable) this.#rebalancingSince = performance.now();
    this.#isStable = false;
    const kept = new Set(this.#assigned());
    const gone = this.#owned.filter((partition) => !kept.has(partition));
    if (gone.length > 0 && !this.#isLeaving) await this.#release(gone);
    this.#owned = this.#owned.filter((partition) => kept.has(partition));
    const data = Buffer.alloc(4);
    data.writeInt32BE(this.#owned.length > 0 ? this.#consumer.generationId : -1);
    return data;
  }

  async #release(partitions: readonly number[]): Promise<void> {
    const { owner, log, topic } = this.#settings;
    this.#released.push(...partitions);
    // When the group has excluded this member, the library drops the partitions and keeps the old generation.
    if (this.#consumer.memberId === null || this.#consumer.generationId === this.#generation) {
      owner.lost(partitions);
      log.warn(
        `${this.#group} has excluded this run. Another member reads the uncommitted messages of ${listOf(topic, partitions)} again`,
      );
      return;
    }
    const rebalanceTimeout = rebalanceTimeoutOf(this.#settings.options);
    const { heartbeatInterval = HEARTBEAT_MS } = this.#settings.options as GroupOptions;
    const ended = new AbortController();
    // The group excludes a member that does not join again in time, and assigns all its partitions to others.
    const late = setTimeout(
      () => ended.abort(),
      Math.max(rebalanceTimeout - 2 * heartbeatInterval, rebalanceTimeout / 2),
    );
    const heart = setInterval(() => {
      this.#heartbeat().catch((error) => {
        if (hasKafkaError(error, ...GIVEN_UP)) ended.abort();
      });
    }, heartbeatInterval);
    try {
      if (await owner.release(partitions, ended.signal)) return;
    } catch (error) {
      log.warn(`${listOf(topic, partitions)}: ${(error as Error).message}`);
    } finally {
      clearTimeout(late);
      clearInterval(heart);
    }
    log.warn(`${listOf(topic, partitions)}: some messages did not finish in time. Another member reads them again`);
  }

  #joined(): void {
    const { topic, owner, log } = this.#settings;
    const before = new Set(this.#owned);
    this.#owned = this.#assigned();
    this.#generation = this.#consumer.generationId;
    this.#isStable = true;
    const gained = this.#owned.filter((partition) => !before.has(partition));
    const released = this.#released;
    this.#released = [];
    const changes = [
      gained.length === 0 ? '' : `gained ${gained.join(', ')}`,
      released.length === 0 ? '' : `lost ${released.join(', ')}`,
    ].filter((change) => change !== '');
    const seconds = ((performance.now() - this.#rebalancingSince) / 1000).toFixed(1);
    const now = this.#owned.length === 0 ? 'none' : this.#owned.join(', ');
    log.info(
      `${this.#group} was rebalanced in ${seconds} s. Partitions of ${topic}: ${changes.join('; ') || 'no change'}; now ${now}`,
    );
    if (gained.length > 0) owner.gained(gained);
  }

  get #group(): string {
    return `The consumer group ${this.#settings.options.groupId}`;
  }

  #assigned(): readonly number[] {
    return this.#consumer.assignments?.find(({ topic }) => topic === this.#settings.topic)?.partitions ?? [];
  }

  /**
   * Makes the group assign its partitions again if a topic has more of them than before. Only the leader looks: brokers
   * start no rebalance if another member asks to join again.
   */
  async #lookForPartitions(): Promise<void> {
    const { log, owner } = this.#settings;
    if (this.#counts.size === 0 || !this.#isStable) return;
    const { topics } = await this.#consumer.metadata({ topics: [...this.#counts.keys()], forceUpdate: true });
    const changed = [...topics].filter(([name, { partitionsCount }]) => this.#counts.get(name) !== partitionsCount);
    if (changed.length === 0 || !this.#isStable || this.#isLeaving) return;
    for (const [name, { partitionsCount }] of changed) {
      log.info(
        `The topic ${name} has ${partitionsCount} partitions now, so the consumer group ${this.#settings.options.groupId} assigns them again`,
      );
    }
    await this.#consumer.joinGroup({}).catch((error: unknown) => {
      if (!this.#isLeaving) owner.failed(error);
    });
  }

  async #heartbeat(): Promise<void> {
    const { memberId, generationId, groupInstanceId } = this.#consumer;
    if (memberId === null) return;
    const { groupId } = this.#settings.options;
    await this.#callCoordinator('Heartbeat', groupId, generationId, memberId, groupInstanceId);
  }

  /** Sends a request to the coordinator of the group. */
  async #callCoordinator(
    name: 'Heartbeat' | 'LeaveGroup' | 'OffsetCommit' | 'OffsetFetch',
    ...args: unknown[]
  ): Promise<unknown> {
    const courier = this.#courier;
    const library = this.#library;
    const settings = this.#settings;
    const id = await courier.findGroupCoordinator();
    const broker = (await courier.metadata({ topics: [settings.topic] })).brokers.get(id);
    if (broker === undefined) throw new Error('The coordinator of the group is not known');
    const connection = await called<Connection>((done) => courier[library.kGetConnection](broker, done));
    const api = await called<API<unknown[], unknown>>((done) => courier[library.kGetApi](name, done));
    return api.async(connection, ...args);
  }
}

/** The part of the OffsetFetch response that this class reads. */
interface OffsetFetchAnswer {
  readonly groups: readonly {
    readonly topics: readonly {
      readonly partitions: readonly {
        readonly partitionIndex: number;
        readonly committedOffset: bigint;
        readonly metadata: string | null;
      }[];
    }[];
  }[];
}

function rebalanceTimeoutOf(options: Options): number {
  return (options as GroupOptions).rebalanceTimeout ?? REBALANCE_MS;
}

function metadataAgeOf({ metadataMaxAge }: Options): number {
  return metadataMaxAge ?? METADATA_AGE_MS;
}

function called<T>(call: (done: (error: Error | null, result?: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, result) => (error === null ? resolve(result as T) : reject(error)));
  });
}

function listOf(topic: string, partitions: readonly number[]): string {
  return `${partitions.length === 1 ? 'Partition' : 'Partitions'} ${partitions.join(', ')} of ${topic}`;
}

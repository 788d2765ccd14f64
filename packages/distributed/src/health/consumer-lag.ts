import { isPassing, kafkaError, withinCloseTime } from '@headrace/components/kafka';
import type { Admin } from '@platformatic/kafka';
import { openAdmin } from '../settings/kafka-admin.ts';
import type { KafkaSettings } from '../settings/kafka-settings.ts';
import type { ThreadHealth } from './health-channel.ts';

/** The number of messages of a partition that wait for the consumer group. */
export interface PartitionLag {
  readonly topic: string;
  readonly partition: number;
  readonly messages: number;
}

const LATEST = -1n;
const EARLIEST = -2n;
/** The time for which a result is used again, in milliseconds. */
const FRESH_MS = 5000;
/** The maximum wait of a scrape for brokers that do not answer. */
const WAIT_MS = 2000;

/** The consumer lag of a topic, as the brokers report it. */
interface QueueState {
  /** Empty until the brokers have answered. */
  readonly lags: readonly PartitionLag[];
  /** The reason why the brokers do not answer. Undefined if they do. */
  readonly problem: string | undefined;
}

/**
 * Returns the health of a thread that makes progress if the brokers answer. Never rejects.
 * @param work what the thread does
 */
export async function healthOf(lags: readonly ConsumerLag[], work: string): Promise<ThreadHealth> {
  const states = await Promise.all(lags.map((lag) => lag.read()));
  const problem = states.find((state) => state.problem !== undefined)?.problem;
  return { problem, work, isConnected: problem === undefined, lags: states.flatMap((state) => state.lags) };
}

/** Asks the brokers for the lag of the consumer group on a topic, at most every five seconds. */
export class ConsumerLag {
  readonly #settings: KafkaSettings;
  readonly #topic: string;
  #admin: Promise<Admin> | undefined;
  #state: QueueState = { lags: [], problem: undefined };
  #asking: Promise<void> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(settings: KafkaSettings, topic: string) {
    this.#settings = settings;
    this.#topic = topic;
  }

  /** Never rejects. */
  async read(): Promise<QueueState> {
    if (performance.now() - this.#askedAt < FRESH_MS) return this.#state;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
      this.#askedAt = performance.now();
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      // Reports nothing instead of an old number, which would look current.
      const problem = `Kafka at ${this.#settings.bootstrapServers} has not answered for ${WAIT_MS / 1000} s`;
      this.#state = { lags: [], problem };
      resolve();
    }, WAIT_MS);
    await Promise.race([this.#asking, promise]);
    clearTimeout(timer);
    return this.#state;
  }

  async close(): Promise<void> {
    const admin = await this.#admin?.catch(() => undefined);
    if (admin !== undefined) await withinCloseTime(admin.close());
  }

  async #ask(): Promise<void> {
    try {
      this.#admin ??= openAdmin(this.#settings, 'headrace-lag');
      this.#state = { lags: await this.#lagsFrom(await this.#admin), problem: undefined };
    } catch (error) {
      // A client that may not list topics may still be allowed to read them.
      const problem = isPassing(error) ? kafkaError(this.#settings.bootstrapServers, error).message : undefined;
      this.#state = { lags: [], problem };
    }
  }

  async #lagsFrom(admin: Admin): Promise<PartitionLag[]> {
    const { groupId } = this.#settings;
    const ends = await this.#offsets(admin, LATEST);
    const groups = await admin.listConsumerGroupOffsets({
      groups: [{ groupId, topics: [{ name: this.#topic, partitionIndexes: [...ends.keys()] }] }],
    });
    const committed = new Map(
      (groups[0]?.topics ?? []).flatMap(({ partitions }) =>
        partitions.map(({ partitionIndex, committedOffset }) => [partitionIndex, committedOffset] as const),
      ),
    );
    // A partition without a committed offset is read from its first message.
    const starts = await this.#offsets(admin, EARLIEST);
    return Array.from(ends, ([partition, end]) => {
      const start = starts.get(partition) ?? 0n;
      const position = committed.get(partition) ?? -1n;
      return { topic: this.#topic, partition, messages: Number(end - (position > start ? position : start)) };
    });
  }

  async #offsets(admin: Admin, timestamp: bigint): Promise<ReadonlyMap<number, bigint>> {
    const { topics } = await admin.metadata({ topics: [this.#topic] });
    const count = topics.get(this.#topic)?.partitionsCount ?? 0;
    const partitions = Array.from({ length: count }, (_, partitionIndex) => ({ partitionIndex, timestamp }));
    const listed = await admin.listOffsets({ topics: [{ name: this.#topic, partitions }] });
    return new Map(
      (listed[0]?.partitions ?? [])
        .map(({ partitionIndex, offset }) => [partitionIndex, offset] as const)
        .sort(([a], [b]) => a - b),
    );
  }
}

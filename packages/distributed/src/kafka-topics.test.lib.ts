import type { Admin, Consumer, Message, MessagesStream, Producer } from '@platformatic/kafka';
import { expect } from 'vitest';

type Bytes = Buffer;

/** A message of a topic, decoded as text. */
export interface ReadMessage {
  readonly partition: number;
  readonly offset: bigint;
  readonly key: string | undefined;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A plain Kafka client, independent of Headrace. */
export class KafkaTopics {
  readonly #broker: string;
  readonly #admin: Admin;
  readonly #producer: Producer<Bytes, Bytes, Bytes, Bytes>;
  readonly #taps: TopicTap[] = [];

  private constructor(broker: string, admin: Admin, producer: Producer<Bytes, Bytes, Bytes, Bytes>) {
    this.#broker = broker;
    this.#admin = admin;
    this.#producer = producer;
  }

  static async open(broker: string): Promise<KafkaTopics> {
    const { Admin, Producer } = await import('@platformatic/kafka');
    const options = { clientId: 'test', bootstrapBrokers: [broker] };
    return new KafkaTopics(
      broker,
      new Admin(options),
      new Producer<Bytes, Bytes, Bytes, Bytes>({ ...options, idempotent: true }),
    );
  }

  async close(): Promise<void> {
    for (const tap of this.#taps) await tap.close();
    await this.#producer.close(true);
    await this.#admin.close();
  }

  async list(part: string): Promise<string[]> {
    return (await this.#admin.listTopics()).filter((topic) => topic.includes(part)).sort();
  }

  /** @param settings the settings of the topic, such as `max.message.bytes` */
  async create(topic: string, partitions = 4, settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const configs = Object.entries(settings).map(([name, value]) => ({ name, value }));
    await this.#admin.createTopics({ topics: [topic], partitions, replicas: 1, configs });
    await expect.poll(() => this.list(topic)).toContain(topic);
  }

  /** Returns the number of members of a consumer group. */
  async members(group: string): Promise<number> {
    const found = (await this.#admin.describeGroups({ groups: [group] })).get(group);
    return found?.members.size ?? 0;
  }

  /** Returns the number of messages of a topic after the committed offsets of a group. */
  async unread(group: string, topic: string): Promise<bigint> {
    const { topics } = await this.#admin.metadata({ topics: [topic] });
    const indexes = Array.from({ length: topics.get(topic)?.partitionsCount ?? 0 }, (_, i) => i);
    const partitions = indexes.map((partitionIndex) => ({ partitionIndex, timestamp: -1n }));
    const [ends] = await this.#admin.listOffsets({ topics: [{ name: topic, partitions }] });
    const [offsets] = await this.#admin.listConsumerGroupOffsets({
      groups: [{ groupId: group, topics: [{ name: topic, partitionIndexes: indexes }] }],
    });
    const committed = new Map(
      offsets?.topics[0]?.partitions.map(({ partitionIndex, committedOffset }) => [partitionIndex, committedOffset]),
    );
    return (ends?.partitions ?? []).reduce(
      (sum, { partitionIndex, offset }) => sum + offset - (committed.get(partitionIndex) ?? 0n),
      0n,
    );
  }

  async delete(topic: string): Promise<void> {
    await this.#admin.deleteTopics({ topics: [topic] });
  }

  /** Deletes all messages of a topic, as retention does. */
  async empty(topic: string): Promise<void> {
    const { topics } = await this.#admin.metadata({ topics: [topic], forceUpdate: true });
    const count = topics.get(topic)?.partitionsCount ?? 0;
    // Offset -1 means: up to the end of the partition.
    const partitions = Array.from({ length: count }, (_, partition) => ({ partition, offset: -1n }));
    await this.#admin.deleteRecords({ topics: [{ name: topic, partitions }] });
  }

  /**
   * Denies an operation on a topic to everyone, and allows all others. To deny that a topic is created, it denies that
   * for the cluster too, so only a test with its own server may use it.
   */
  async deny(operation: 'READ' | 'WRITE' | 'CREATE', topic: string): Promise<void> {
    const { AclOperations, AclPermissionTypes, ResourceTypes } = await import('@platformatic/kafka');
    const all = { operation: AclOperations.ALL, permissionType: AclPermissionTypes.ALLOW };
    const denied = { operation: AclOperations[operation], permissionType: AclPermissionTypes.DENY };
    const rights = await everyone(topic);
    const cluster = { ...rights, resourceType: ResourceTypes.CLUSTER, resourceName: 'kafka-cluster' };
    const resources = operation === 'CREATE' ? [cluster, rights] : [rights];
    await this.#admin.createAcls({
      creations: resources.flatMap((resource) => [
        { ...resource, ...all },
        { ...resource, ...denied },
      ]),
    });
  }

  /** Allows everything that was denied. */
  async allow(topic: string): Promise<void> {
    const { AclOperations, AclPermissionTypes } = await import('@platformatic/kafka');
    const denied = { operation: AclOperations.ANY, permissionType: AclPermissionTypes.DENY };
    await this.#admin.deleteAcls({ filters: [{ ...(await everyone(topic)), ...denied }] });
  }

  /** Writes messages in order. */
  async write(
    topic: string,
    messages: readonly { key?: string; value?: string; partition?: number; headers?: Record<string, string> }[],
  ): Promise<void> {
    await this.#producer.send({
      messages: messages.map(({ key, value, partition, headers = {} }) => ({
        topic,
        ...(key === undefined ? {} : { key: Buffer.from(key) }),
        ...(value === undefined ? {} : { value: Buffer.from(value) }),
        ...(partition === undefined ? {} : { partition }),
        headers: new Map(Object.entries(headers).map(([name, text]) => [Buffer.from(name), Buffer.from(text)])),
      })),
    });
  }

  /** Reads a topic from its first message. */
  async tap(topic: string): Promise<TopicTap> {
    const { Consumer } = await import('@platformatic/kafka');
    const consumer = new Consumer<Bytes, Bytes, Bytes, Bytes>({
      clientId: 'test',
      bootstrapBrokers: [this.#broker],
      groupId: `tap-${crypto.randomUUID()}`,
      sessionTimeout: 10_000,
      heartbeatInterval: 500,
    });
    const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false, maxWaitTime: 100 });
    const tap = new TopicTap(consumer, stream);
    this.#taps.push(tap);
    return tap;
  }
}

/** The rights of everyone to a topic, for an ACL. */
async function everyone(topic: string) {
  const { ResourcePatternTypes, ResourceTypes } = await import('@platformatic/kafka');
  return {
    resourceType: ResourceTypes.TOPIC,
    resourceName: topic,
    resourcePatternType: ResourcePatternTypes.LITERAL,
    principal: 'User:*',
    host: '*',
  };
}

/** Reads a topic from a second client, and stores its messages. */
export class TopicTap {
  readonly messages: ReadMessage[] = [];
  readonly #consumer: Consumer<Bytes, Bytes, Bytes, Bytes>;
  readonly #stream: MessagesStream<Bytes, Bytes, Bytes, Bytes>;
  #onMessage: ((message: ReadMessage) => void) | undefined;

  constructor(consumer: Consumer<Bytes, Bytes, Bytes, Bytes>, stream: MessagesStream<Bytes, Bytes, Bytes, Bytes>) {
    this.#consumer = consumer;
    this.#stream = stream;
    stream.on('error', () => undefined);
    stream.on('data', ({ partition, offset, key, value, headers }: Message<Bytes, Bytes, Bytes, Bytes>) => {
      const texts = Array.from(headers, ([name, text]) => [String(name), String(text)]);
      const message = {
        partition,
        offset,
        key: key?.toString(),
        value: value?.toString() ?? '',
        headers: Object.fromEntries(texts) as Record<string, string>,
      };
      this.messages.push(message);
      this.#onMessage?.(message);
    });
  }

  /** Waits until this many messages have arrived, and returns them. */
  async first(count: number): Promise<ReadMessage[]> {
    await expect.poll(() => this.messages.length).toBeGreaterThanOrEqual(count);
    return this.messages;
  }

  /** Calls a function for each message, including those that have already arrived. */
  each(listener: (message: ReadMessage) => void): void {
    this.messages.forEach(listener);
    this.#onMessage = listener;
  }

  async close(): Promise<void> {
    await this.#stream.close().catch(() => undefined);
    await this.#consumer.close(true).catch(() => undefined);
  }
}

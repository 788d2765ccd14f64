import type { RealServer } from '@headrace/testing/real-server';
import type { Admin } from '@platformatic/kafka';
import type { EngineUnderTest, Fields } from './engine-runs.ts';

/** A message in a topic. */
export interface Found {
  readonly key: string;
  /** The JSON; undefined for a deleted key. */
  readonly value: string | undefined;
  readonly partition: number;
}

/** The topics of a Kafka server. */
export class TopicEngine implements EngineUnderTest {
  readonly #server: RealServer;

  constructor(server: RealServer) {
    this.#server = server;
  }

  config(url: string, target: string, settings: string, more: string): string {
    return `indexer { type: "Kafka", ${settings} }
      kafkaTopic { bootstrapServers: "${url}", topic: "${target}", ${more} }`;
  }

  async create(
    partitions = 3,
    settings: Record<string, string> = {},
    topic = `hr-${crypto.randomUUID()}`,
  ): Promise<string> {
    const configs = Object.entries(settings).map(([name, value]) => ({ name, value }));
    await this.administer((admin) => admin.createTopics({ topics: [topic], partitions, replicas: 1, configs }));
    return topic;
  }

  /** Runs work with the admin client of the broker. */
  async administer(work: (admin: Admin) => Promise<unknown>): Promise<void> {
    const { Admin } = await import('@platformatic/kafka');
    const admin = new Admin({ clientId: 'test', bootstrapBrokers: [this.#server.url] });
    try {
      await work(admin);
    } finally {
      await admin.close();
    }
  }

  /** Returns the documents in the last message of each key, as a compacted topic would keep them. */
  async contents(target: string): Promise<Record<string, Fields>> {
    const kept = new Map<string, string | undefined>();
    for (const { key, value } of await this.messages(target)) kept.set(key, value);
    const found: Record<string, Fields> = {};
    for (const [key, value] of kept) {
      if (value === undefined) continue;
      const { run_id: _, ...fields } = JSON.parse(value) as Fields;
      found[key] = fields;
    }
    return found;
  }

  /** Returns all messages; those of a partition are in order. */
  async messages(topic: string): Promise<Found[]> {
    const { Consumer, ListOffsetTimestamps } = await import('@platformatic/kafka');
    const consumer = new Consumer<Buffer, Buffer, Buffer, Buffer>({
      clientId: 'test',
      groupId: `test-${crypto.randomUUID()}`,
      bootstrapBrokers: [this.#server.url],
      autocommit: false,
    });
    try {
      const at = async (timestamp: bigint) =>
        (await consumer.listOffsets({ topics: [topic], timestamp })).get(topic) ?? [];
      const ends = await at(ListOffsetTimestamps.LATEST);
      let left = ends.reduce((sum, end) => sum + Number(end), 0);
      const found: Found[] = [];
      if (left === 0) return found;
      const stream = await consumer.consume({ topics: [topic], mode: 'earliest', fallbackMode: 'earliest' });
      for await (const { key, value, partition } of stream) {
        found.push({ key: key.toString(), value: (value as Buffer | undefined)?.toString(), partition });
        if (--left === 0) break;
      }
      await stream.close();
      return found;
    } finally {
      await consumer.close(true);
    }
  }
}

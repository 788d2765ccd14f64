import { randomUUID } from 'node:crypto';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KafkaLibrary } from './library.ts';

/** The client as the build writes it, without the libraries that it loads only on demand. */
const BUNDLED = new URL('../../bundle/client.js', import.meta.url).href;

await describeWithServer('kafka', (server) => {
  let library: KafkaLibrary;
  let producer: InstanceType<KafkaLibrary['Producer']>;
  let consumer: InstanceType<KafkaLibrary['Consumer']>;
  const topic = `compressed-${randomUUID()}`;

  beforeAll(async () => {
    library = (await import(BUNDLED)) as KafkaLibrary;
    const options = { clientId: 'test', bootstrapBrokers: [server.url] };
    const admin = new library.Admin(options);
    await admin.createTopics({ topics: [topic], partitions: 1, replicas: 1 });
    await admin.close();
    producer = new library.Producer(options);
    consumer = new library.Consumer({ ...options, groupId: topic });
  });
  afterAll(async () => {
    await producer.close(true);
    await consumer.close(true);
  });

  it('the client of the build reads what it has written with each compression', async () => {
    const compressions = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
    for (const compression of compressions) {
      const value = Buffer.from(compression.repeat(1000));
      await producer.send({ messages: [{ topic, partition: 0, value }], compression });
    }
    const { id, partitions } = (await consumer.metadata({ topics: [topic] })).topics.get(topic) ?? {};
    const part = {
      partition: 0,
      fetchOffset: 0n,
      partitionMaxBytes: 1e6,
      currentLeaderEpoch: -1,
      lastFetchedEpoch: -1,
    };
    const { responses } = await consumer.fetch({
      node: partitions?.[0]?.leader ?? 0,
      topics: [{ topicId: id ?? '', partitions: [part] }],
    });
    const batches = responses.flatMap((response) => response.partitions.flatMap(({ records }) => records ?? []));
    const values = batches.flatMap(({ records }) => records.map(({ value }) => value?.toString()));
    expect(values).toEqual(compressions.map((compression) => compression.repeat(1000)));
  });
});

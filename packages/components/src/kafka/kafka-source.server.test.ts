import { randomUUID } from 'node:crypto';
import { tracingChannel } from 'node:diagnostics_channel';
import { createLogger, silentNotices } from '@headrace/engine';
import { describeWithServer } from '@headrace/testing/real-server';
import { Admin, Producer } from '@platformatic/kafka';
import { expect, it, vi } from 'vitest';
import { KafkaSource } from './kafka-source.ts';

/** The number of the request in the protocol. */
const FETCH = 1;

await describeWithServer('kafka', (server) => {
  /** Opens a topic without a consumer group. */
  const open = (topic: string, properties: Readonly<Record<string, string>>) =>
    KafkaSource.open({
      brokers: [server.url],
      topic,
      groupId: topic,
      clientId: 'test',
      rebalanceTimeout: 10_000,
      properties: new Map(Object.entries(properties)),
      offsets: undefined,
      isPreview: true,
      log: createLogger('test', () => undefined),
      notices: silentNotices,
      onRelease: async () => true,
      onGone: () => undefined,
    });

  it('a closed source leaves no timer that keeps its process', async () => {
    const topic = `closed-${randomUUID()}`;
    const admin = new Admin({ clientId: 'test', bootstrapBrokers: [server.url] });
    await admin.createTopics({ topics: [topic], partitions: 1, replicas: 1 });
    await admin.close();
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const requests = tracingChannel('plt:kafka:connections:api');
    const fetches = tracingChannel('plt:kafka:consumer:fetches');
    const onRequest = { start: (about: object) => 'apiKey' in about && about.apiKey === FETCH && begun.resolve() };
    const onFetch = { asyncEnd: () => ended.resolve() };
    requests.subscribe(onRequest as never);
    fetches.subscribe(onFetch as never);
    const timers = vi.spyOn(globalThis, 'setTimeout');
    try {
      // The broker answers no fetch, so closing ends the first one.
      const source = await open(topic, { 'fetch.max.wait.ms': '60000' });
      await begun.promise;
      timers.mockClear();
      await source.close();
      await ended.promise;
      expect(Math.max(0, ...timers.mock.calls.map(([, milliseconds = 0]) => milliseconds))).toBe(0);
    } finally {
      timers.mockRestore();
      requests.unsubscribe(onRequest as never);
      fetches.unsubscribe(onFetch as never);
    }
  });

  it('reads a topic that was deleted and created again', async () => {
    const client = { clientId: 'test', bootstrapBrokers: [server.url] };
    const admin = new Admin(client);
    const producer = new Producer(client);
    try {
      // A fetch gets one of two errors, because the partition or the identifier of the topic is unknown.
      for (const value of ['a', 'b', 'c']) {
        const topic = `again-${randomUUID()}`;
        const create = () => admin.createTopics({ topics: [topic], partitions: 1, replicas: 1 });
        await create();
        const source = await open(topic, { 'fetch.max.wait.ms': '100' });
        try {
          await admin.deleteTopics({ topics: [topic] });
          await create();
          await producer.send({ messages: [{ topic, value: Buffer.from(value) }] });
          await expect.poll(() => source.read()?.value?.toString()).toBe(value);
        } finally {
          await source.close();
        }
      }
    } finally {
      await producer.close();
      await admin.close();
    }
  });
});

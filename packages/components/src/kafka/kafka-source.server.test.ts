import { randomUUID } from 'node:crypto';
import { tracingChannel } from 'node:diagnostics_channel';
import { createLogger } from '@headrace/engine';
import { describeWithServer } from '@headrace/testing/real-server';
import { Admin } from '@platformatic/kafka';
import { expect, it, vi } from 'vitest';
import { KafkaSource } from './kafka-source.ts';

/** The number of the request in the protocol. */
const FETCH = 1;

await describeWithServer('kafka', (server) => {
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
      const source = await KafkaSource.open({
        brokers: [server.url],
        topic,
        groupId: topic,
        clientId: 'test',
        rebalanceTimeout: 10_000,
        // The broker answers no fetch, so closing ends the first one.
        properties: new Map([['fetch.max.wait.ms', '60000']]),
        offsets: undefined,
        isPreview: true,
        log: createLogger('test', () => undefined),
        onRelease: async () => true,
        onGone: () => undefined,
      });
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
});

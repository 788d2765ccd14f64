import { expect, it } from 'vitest';
import type { ConsumerLag } from '../health/consumer-lag.ts';
import { readerHealth } from './reader-health.ts';

const brokers = (problem?: string) => ({ read: async () => ({ lags: [], problem }) }) as unknown as ConsumerLag;
const idle = { idleMillis: 0, open: 0 };

it.each([
  [undefined, 'waits for the consumer group to assign partitions'],
  [[], 'reads no partition of t, because other processes read all'],
  [[3], 'reads partition 3 of t'],
  [[0, 2], 'reads partitions 0, 2 of t'],
])('a reader with the partitions %j is ready and says what it does', async (partitions, work) => {
  const health = await readerHealth(brokers(), 't', partitions, idle);
  expect(health).toEqual({ problem: undefined, work, isConnected: true, lags: [] });
});

it('a reader whose messages do not finish for a minute is not ready', async () => {
  const slow = await readerHealth(brokers(), 't', [0], { idleMillis: 59_000, open: 2 });
  expect(slow.problem).toBeUndefined();
  const stuck = await readerHealth(brokers(), 't', [0], { idleMillis: 61_000, open: 2 });
  expect(stuck.problem).toBe(
    '2 messages in progress, and none has finished for 61 s: a stage or the destination does not answer',
  );
});

it('a reader without brokers is not ready, and names them first', async () => {
  const health = await readerHealth(brokers('no answer'), 't', [0], { idleMillis: 61_000, open: 2 });
  expect(health).toMatchObject({ problem: 'no answer', isConnected: false });
});

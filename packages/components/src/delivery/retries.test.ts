import type { IndexerSettings } from '@headrace/engine';
import { expect, it } from 'vitest';
import { retriesOf } from './retries.ts';

const retriesAs = (settings: IndexerSettings) =>
  retriesOf({ runId: 'r', settings, log: { debug() {}, info() {}, warn() {}, error() {} } }, 'X');

it('waits no longer than a timer can: a longer one would end at once', () => {
  const retries = retriesAs({ retryWaitDurationMs: 2 ** 40, retryMaxWaitDurationMs: 2 ** 50 });
  expect(retries.delay(10)).toBe(2 ** 31 - 1);
});

it('waits as long as the server asks, up to a minute', () => {
  const retries = retriesAs({ retryWaitDurationMs: 10 });
  expect(retries.delay(1, 5000)).toBe(5000);
  expect(retries.delay(1, 3_600_000)).toBe(60_000);
});

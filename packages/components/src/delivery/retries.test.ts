import { type Given, type IndexerSettings, indexerSettings, silentNotices, withDefaults } from '@headrace/engine';
import { expect, it } from 'vitest';
import { retriesOf } from './retries.ts';

const retriesAs = (settings: Given<IndexerSettings>) =>
  retriesOf(
    {
      runId: 'r',
      settings: withDefaults(indexerSettings, settings),
      log: { debug() {}, info() {}, warn() {}, error() {} },
      notices: silentNotices,
    },
    'X',
  );

it('a retry waits at most for the maximum of a timer: a longer one would end immediately', () => {
  const retries = retriesAs({ retryWaitDurationMs: 2 ** 40, retryMaxWaitDurationMs: 2 ** 50 });
  expect(retries.delay(10)).toBe(2 ** 31 - 1);
});

it('a retry waits for the time that the server requests, up to a minute', () => {
  const retries = retriesAs({ retryWaitDurationMs: 10 });
  expect(retries.delay(1, 5000)).toBe(5000);
  expect(retries.delay(1, 3_600_000)).toBe(60_000);
});

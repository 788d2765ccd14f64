import { isTransient } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { NO_RETRY, readRetryAfter, retryDelay } from './retry.ts';

const policy = { retries: 9, initialDelay: 100, maxDelay: 1000, statuses: isTransient };

describe('the wait before a retry', () => {
  it.each([
    [1, 100],
    [2, 200],
    [4, 800],
    [5, 1000],
    [50, 1000],
  ])('for attempt %i is at most %i ms, and at least half of that', (retry, full) => {
    const delays = Array.from({ length: 200 }, () => retryDelay(policy, retry));
    expect(Math.max(...delays)).toBeLessThanOrEqual(full);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(full / 2);
    expect(new Set(delays).size).toBeGreaterThan(100);
  });

  it('follows the Retry-After of the server up to a limit', () => {
    expect(retryDelay(policy, 1, 5000)).toBe(5000);
    expect(retryDelay(policy, 1, 10)).toBeGreaterThanOrEqual(50);
    expect(retryDelay(policy, 1, 3_600_000)).toBe(60_000);
    expect(retryDelay({ ...policy, longestWait: 600_000 }, 1, 70_000)).toBe(70_000);
  });
});

describe('the header Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 1.5 ', 1500],
    ['Wed, 21 Oct 2015 07:28:10 GMT', 10_000],
    ['Wed, 21 Oct 2015 07:27:00 GMT', 0],
    ['soon', undefined],
    [undefined, undefined],
  ])('%s', (header, expected) => {
    expect(readRetryAfter(header, Date.parse('2015-10-21T07:28:00Z'))).toBe(expected);
  });
});

it('statuses of overload and gateways are retried, other statuses are not', () => {
  expect([200, 400, 401, 404, 408, 429, 500, 501, 502, 503, 504].filter(isTransient)).toEqual([429, 502, 503, 504]);
  expect(NO_RETRY.retries).toBe(0);
});

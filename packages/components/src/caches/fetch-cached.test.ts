import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { type FetchedResponse, fetchCached } from './fetch-cached.ts';
import { GuardedCache } from './guarded-cache.ts';
import { SqliteCache } from './sqlite-cache.ts';

const URL = 'http://host/a';

describe('a fetched response', () => {
  let cache: GuardedCache;
  let now: number;
  let requests: Readonly<Record<string, string>>[];
  let hits: boolean[];
  beforeEach(() => {
    now = Date.parse('2026-01-31T12:00:00Z');
    requests = [];
    hits = [];
    const limits = { maxBytes: 1e6, maxAgeMillis: 1e12 };
    cache = new GuardedCache(
      new SqliteCache(new DatabaseSync(':memory:'), limits),
      (error) => expect.fail(String(error)),
      (isHit) => hits.push(isHit),
    );
  });

  const fetch = (headers: FetchedResponse['headers'], over: Partial<FetchedResponse> = {}, variant: unknown = 1) =>
    fetchCached(
      cache,
      {
        url: URL,
        variant,
        send: async (more) => {
          requests.push(more);
          return { url: URL, status: 200, headers, body: Buffer.from(`body ${requests.length}`), ...over };
        },
      },
      () => now,
    );
  const bodyOf = ({ body }: FetchedResponse) => Buffer.from(body).toString();

  it('is not requested again while max-age or Expires says that it is fresh', async () => {
    for (const headers of [
      { 'cache-control': 'private, Max-Age="60"', age: '10' },
      { date: 'Sat, 31 Jan 2026 11:00:00 GMT', expires: 'Sat, 31 Jan 2026 11:00:50 GMT' },
    ]) {
      const variant = JSON.stringify(headers);
      requests = [];
      await fetch(headers, {}, variant);
      now += 49_000;
      expect(bodyOf(await fetch(headers, {}, variant))).toBe('body 1');
      now += 2000;
      expect(bodyOf(await fetch(headers, {}, variant))).toBe('body 2');
    }
    expect(hits).toEqual([false, true, false, false, true, false]);
  });

  it('is validated with ETag and Last-Modified, and a 304 makes it fresh again', async () => {
    const changed = 'Sat, 31 Jan 2026 10:00:00 GMT';
    await fetch({ etag: '"1"', 'last-modified': changed, 'content-type': 'text/plain' });
    const valid = await fetch({ 'cache-control': 'max-age=60' }, { status: 304, body: Buffer.alloc(0) });
    expect([bodyOf(valid), valid.status, valid.headers['content-type']]).toEqual(['body 1', 200, 'text/plain']);
    expect(requests).toEqual([{}, { 'if-none-match': '"1"', 'if-modified-since': changed }]);
    expect(bodyOf(await fetch({}))).toBe('body 1');
    now += 61_000;
    // The server has a new version.
    expect(bodyOf(await fetch({ etag: '"2"' }))).toBe('body 3');
    expect([bodyOf(await fetch({}, { status: 304 })), requests.at(-1)]).toEqual(['body 3', { 'if-none-match': '"2"' }]);
    expect(hits).toEqual([false, true, true, false, true]);
  });

  it.each<[string, FetchedResponse['headers'], Partial<FetchedResponse>]>([
    ['it has no-store', { 'cache-control': 'max-age=60, no-store', etag: '"1"' }, {}],
    ['it has no lifetime and no validator', {}, {}],
    ['its lifetime is over', { expires: '0' }, {}],
    ['it varies by everything', { 'cache-control': 'max-age=60', vary: 'accept, *' }, {}],
    ['its status is not 200', { 'cache-control': 'max-age=60' }, { status: 404 }],
    ['it comes from a redirect', { 'cache-control': 'max-age=60' }, { url: 'http://host/b' }],
  ])('is not stored if %s', async (_why, headers, over) => {
    await fetch(headers, over);
    await fetch(headers, over);
    expect(requests).toEqual([{}, {}]);
  });

  it('is validated each time with no-cache, and differs by the headers of the request', async () => {
    const headers = { 'cache-control': 'no-cache, max-age=60', etag: '"1"' };
    await fetch(headers);
    await fetch(headers, { status: 304 });
    await fetch(headers, {}, 2);
    expect(requests).toEqual([{}, { 'if-none-match': '"1"' }, {}]);
  });
});

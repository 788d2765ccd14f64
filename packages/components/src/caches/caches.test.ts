import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it } from 'vitest';
import { cachedVector } from './cached-vector.ts';
import { GuardedCache } from './guarded-cache.ts';
import { SqliteCache } from './sqlite-cache.ts';

const folder = mkdtempSync(join(tmpdir(), 'headrace-caches-'));
afterAll(() => rmSync(folder, { recursive: true }));

const LIMITS = { maxBytes: 10_000, maxAgeMillis: 1000 };
let files = 0;

function cacheIn(file = join(folder, `${++files}`), now?: () => number): SqliteCache {
  return new SqliteCache(new DatabaseSync(file, { timeout: 5000 }), LIMITS, now);
}

const textOf = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : Buffer.from(bytes).toString());

describe('a cache in a SQLite file', () => {
  it('returns what was stored until it is too old, also after it was opened again', async () => {
    let now = 5000;
    const file = join(folder, 'old');
    const cache = cacheIn(file, () => now);
    await cache.put('a', Buffer.from('1'));
    await cache.put('a', Buffer.from('2'));
    await cache.close();
    const again = cacheIn(file, () => now);
    expect([textOf(await again.get('a')), await again.get('b')]).toEqual(['2', undefined]);
    now += LIMITS.maxAgeMillis + 1;
    expect(await again.get('a')).toBeUndefined();
    await again.close();
  });

  it('stays below its size: the entries that were unused for the longest time go', async () => {
    let now = 0;
    const file = join(folder, 'full');
    const cache = new SqliteCache(new DatabaseSync(file), { maxBytes: 10_000, maxAgeMillis: 1e12 }, () => now);
    const hour = 2 * 60 * 60 * 1000;
    for (let i = 0; i < 8; i++) {
      now += hour;
      await cache.put(`k${i}`, Buffer.alloc(1000, i));
    }
    now += hour;
    expect(await cache.get('k0')).toBeDefined();
    for (let i = 8; i < 10; i++) await cache.put(`k${i}`, Buffer.alloc(1000, i));
    const kept: boolean[] = [];
    for (let i = 0; i < 10; i++) kept.push((await cache.get(`k${i}`)) !== undefined);
    expect(kept).toEqual([true, false, true, true, true, true, true, true, true, true].map((one, i) => one && i !== 2));
    await cache.put('huge', Buffer.alloc(20_000));
    expect(await cache.get('huge')).toBeUndefined();
    await cache.close();
    const total = new DatabaseSync(file)
      .prepare('SELECT total.size AS a, (SELECT sum(size) FROM entries) AS b FROM total')
      .get();
    expect(total?.['a']).toBe(total?.['b']);
    expect(total?.['a']).toBeLessThanOrEqual(10_000);
  });

  it('is used by several threads at the same time', async () => {
    const file = join(folder, 'threads');
    await cacheIn(file).close();
    const source = `
      const { workerData, parentPort } = require('node:worker_threads');
      (async () => {
        const { DatabaseSync } = await import('node:sqlite');
        const { SqliteCache } = await import(workerData.module);
        const cache = new SqliteCache(new DatabaseSync(workerData.file, { timeout: 10000 }), { maxBytes: 1e7, maxAgeMillis: 1e9 });
        for (let i = 0; i < 200; i++) {
          await cache.put('k' + (i % 20), Buffer.from(String(i % 20)));
          const found = await cache.get('k' + ((i * 7) % 20));
          if (found !== undefined && Buffer.from(found).toString() !== String((i * 7) % 20)) throw new Error('wrong value');
        }
        await cache.close();
      })();`;
    const module = new URL('./sqlite-cache.ts', import.meta.url).href;
    const ends = [1, 2, 3].map(() => {
      const worker = new Worker(source, { eval: true, workerData: { file, module } });
      return new Promise((resolve, reject) => worker.once('error', reject).once('exit', resolve));
    });
    expect(await Promise.all(ends)).toEqual([0, 0, 0]);
    const total = new DatabaseSync(file)
      .prepare('SELECT total.size AS a, (SELECT sum(size) FROM entries) AS b FROM total')
      .get();
    expect(total?.['a']).toBe(total?.['b']);
  });
});

describe('vectors in a cache', () => {
  it('are computed once for each model and text, with the same numbers', async () => {
    const lookups: boolean[] = [];
    const cache = new GuardedCache(
      cacheIn(),
      (error) => expect.fail(String(error)),
      (isHit) => lookups.push(isHit),
    );
    let computed = 0;
    const vector = (model: string, text: string) =>
      cachedVector(cache, model, text, async () => Float32Array.of(0.1, -3.5e-20, ++computed));
    const first = await vector('m', 'a');
    expect(await vector('m', 'a')).toEqual(first);
    await vector('m', 'b');
    await vector('n', 'a');
    expect([computed, lookups]).toEqual([3, [false, true, false, false]]);
  });

  it('are computed if the cache is damaged, which is reported once, and it is still closed', async () => {
    const errors: unknown[] = [];
    const lookups: boolean[] = [];
    let closed = 0;
    const broken = {
      get: () => Promise.reject(new Error('malformed')),
      put: () => Promise.reject(new Error('malformed')),
      close: async () => {
        closed++;
        throw new Error('already closed');
      },
    };
    const cache = new GuardedCache(
      broken,
      (error) => errors.push(error),
      (isHit) => lookups.push(isHit),
    );
    const compute = async () => Float32Array.of(1);
    for (let i = 0; i < 3; i++) expect(await cachedVector(cache, 'm', 'a', compute)).toEqual(Float32Array.of(1));
    await cache.close();
    expect([errors.length, lookups, closed]).toEqual([1, [false, false, false], 1]);
  });

  it('are computed again if the entry is too short', async () => {
    const file = join(folder, 'short');
    const cache = new GuardedCache(
      cacheIn(file),
      (error) => expect.fail(String(error)),
      () => undefined,
    );
    let computed = 0;
    const compute = async () => Float32Array.of(++computed);
    await cachedVector(cache, 'm', 'a', compute);
    new DatabaseSync(file).exec("UPDATE entries SET value = x'0100'");
    expect(await cachedVector(cache, 'm', 'a', compute)).toEqual(Float32Array.of(2));
  });
});

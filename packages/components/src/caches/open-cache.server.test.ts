import { setTimeout as sleep } from 'node:timers/promises';
import { withDefaults } from '@headrace/engine';
import { stageContext } from '@headrace/engine/testing';
import { describeWithServer } from '@headrace/testing/real-server';
import { expect, it } from 'vitest';
import { CuttingProxy } from '../testing/indexers/cutting-proxy.ts';
import { CacheParameter, openCache } from './open-cache.ts';

/** Uses a cache until its connection breaks. `openAt` opens it at another address of the server. */
async function loseConnection(
  url: string,
  openAt: (url: string, context: ReturnType<typeof stageContext>) => ReturnType<typeof openCache>,
): Promise<void> {
  const proxy = await CuttingProxy.start(url);
  const context = stageContext();
  const cache = await openAt(proxy.url, context);
  await cache?.put('a', Buffer.from('1'));
  expect(await cache?.get('a')).toHaveLength(1);
  proxy.cutEvery = 0;
  expect(await cache?.get('a')).toBeUndefined();
  await cache?.put('b', Buffer.from('2'));
  expect(await cache?.get('a')).toBeUndefined();
  await cache?.close();
  expect(context.logged).toEqual([expect.stringMatching(/^The cache in \w+ is not used in this run: /)]);
  await proxy.close();
}

await describeWithServer('postgres', (server) => {
  const open = (settings: object, context = stageContext(), url = server.url) => {
    const { host, pathname, username, password } = new URL(url);
    const connectionString = `jdbc:postgresql://${host}${pathname}?user=${username}&password=${password}`;
    return openCache(withDefaults(CacheParameter, { connectionString, table: 'Some "cache"', ...settings }), context);
  };

  it('a cache in Postgres is shared by sessions, and stays below its size', async () => {
    const all = await Promise.all([open({}), open({}), open({ maxMegabytes: 1 })]);
    const [first, second, small] = all;
    const bytes = Buffer.from([0, 1, 254, 255]);
    await first?.put('a', bytes);
    await second?.put('a', bytes);
    expect([await second?.get('a'), await first?.get('b')]).toEqual([bytes, undefined]);
    for (let i = 0; i < 20; i++) await small?.put(`k${i}`, Buffer.alloc(100_000, i));
    const kept: number[] = [];
    for (let i = 0; i < 20; i++) if ((await first?.get(`k${i}`)) !== undefined) kept.push(i);
    expect(kept.length).toBeLessThanOrEqual(10);
    expect(kept).toContain(19);
    const old = await open({ maxAgeDays: 0 });
    await sleep(2);
    expect(await old?.get('k19')).toBeUndefined();
    for (const cache of [...all, old]) await cache?.close();
  });

  it('a cache that cannot be reached is reported, and the run continues', async () => {
    const context = stageContext();
    const connectionString = 'jdbc:postgresql://127.0.0.1:1/none?connectTimeout=1';
    const settings = { connectionString, table: 't' };
    expect(await openCache(withDefaults(CacheParameter, settings), context)).toBeUndefined();
    expect(context.logged.at(-1)).toContain('The cache in Postgres is not used in this run');
  });

  it('a cache in Postgres whose connection is lost is reported once, and the run continues', () =>
    loseConnection(server.url, (url, context) => open({}, context, url)));
});

await describeWithServer('redis', (server) => {
  const open = (settings: object = {}, context = stageContext()) =>
    openCache(withDefaults(CacheParameter, { connectionString: server.url, table: 'a:b', ...settings }), context);

  it('a cache in Redis is shared by connections with the same name, and forgets old entries', async () => {
    const all = await Promise.all([open(), open({ connectionString: `${server.url}/0` }), open({ table: 'c' })]);
    const [first, second, other] = all;
    const bytes = Buffer.from([0, 1, 254, 255]);
    await first?.put('ä', bytes);
    await second?.put('empty', Buffer.alloc(0));
    expect(Buffer.from((await second?.get('ä')) ?? [])).toEqual(bytes);
    expect(await first?.get('empty')).toHaveLength(0);
    expect([await other?.get('ä'), await first?.get('b')]).toEqual([undefined, undefined]);
    const large = Buffer.alloc(3_000_000, 7);
    await Promise.all([1, 2, 3].map((i) => first?.put(`large ${i}`, large)));
    expect((await second?.get('large 3'))?.length).toBe(large.length);
    const old = await open({ maxAgeDays: 0 });
    await sleep(2);
    expect(await old?.get('ä')).toBeUndefined();
    await old?.put('ä', bytes);
    await sleep(10);
    expect(await first?.get('ä')).toBeUndefined();
    for (const cache of [...all, old]) await cache?.close();
  });

  it('a Redis that cannot be reached or refuses the password is reported without it, and the run continues', async () => {
    const context = stageContext();
    expect(await open({ connectionString: 'redis://127.0.0.1:1' }, context)).toBeUndefined();
    expect(context.logged.at(-1)).toContain('The cache in Redis is not used in this run');
    const { host } = new URL(server.url);
    expect(await open({ connectionString: `redis://someone:secret@${host}` }, context)).toBeUndefined();
    expect(context.logged.at(-1)).toContain('WRONGPASS');
    expect(context.logged.join()).not.toContain('secret');
  });

  it('a cache in Redis whose connection is lost is reported once, and the run continues', () =>
    loseConnection(server.url, (url, context) => open({ connectionString: url }, context)));
});

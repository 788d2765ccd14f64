import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withDefaults } from 'headrace/engine';
import { s3Parameters } from 'headrace/storage';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readDocuments } from '../testing/read-documents.ts';

const tables = new URL('../testing/', import.meta.url).pathname;
const plain = readFileSync(`${tables}files/groups.parquet`);

/** The objects of the bucket, by their keys: the tables of the tests, and folders of partitions. */
const objects = new Map<string, Buffer>();
for (const folder of ['delta', 'iceberg']) {
  for (const entry of readdirSync(`${tables}${folder}`, { recursive: true, withFileTypes: true })) {
    const path = `${entry.parentPath}/${entry.name}`;
    if (entry.isFile()) objects.set(path.slice(tables.length), readFileSync(path));
  }
}
objects.set('delta/updated-old/x.parquet', plain);
objects.set('delta/updated_backup/_delta_log/00000000000000000000.json', Buffer.from('{}'));
for (const day of ['2026-01-01', '2026-01-02', '2026-01-03']) {
  for (const country of ['DE', 'a%2Fb']) objects.set(`lake/dt=${day}/country=${country}/p.parquet`, plain);
}
objects.set('lake/_temporary/0/p.parquet', plain);
objects.set('lake/_SUCCESS', Buffer.from(''));

let server: Server;
/** The prefixes that were listed, and the keys of the objects that were read. */
let listed: string[] = [];
let read: Set<string> = new Set();

beforeAll(async () => {
  server = createServer(({ method, url = '', headers: { range } }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://x');
    if (searchParams.has('list-type')) {
      const prefix = searchParams.get('prefix') ?? '';
      listed.push(prefix);
      response.end(listing(prefix));
      return;
    }
    const key = decodeURIComponent(pathname).replace('/bucket/', '');
    const content = objects.get(key);
    if (content === undefined) return void response.writeHead(404).end();
    read.add(key);
    if (method === 'HEAD') return void response.setHeader('content-length', content.length).end();
    const [from = 0, last = content.length - 1] = (range ?? '').split(/\D+/).slice(1).map(Number);
    response.writeHead(range === undefined ? 200 : 206).end(content.subarray(from, last + 1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());
beforeEach(() => {
  [listed, read] = [[], new Set()];
});

/** Lists the objects and the folders directly below a prefix. */
function listing(prefix: string): string {
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix));
  const rest = keys.map((key) => key.slice(prefix.length));
  const here = keys.filter((_, i) => rest[i]?.includes('/') === false);
  const folders = new Set(rest.filter((name) => name.includes('/')).map((name) => `${prefix}${name.split('/')[0]}/`));
  return [
    '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult>',
    ...here.map((key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)?.length}</Size></Contents>`),
    ...[...folders].map((folder) => `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`),
    '</ListBucketResult>',
  ].join('');
}

async function readBucket(path: string, params: Parameters<typeof readDocuments>[0] = {}) {
  const s3 = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accessKeyId: 'k',
    secretAccessKey: 's',
  };
  const found = await readDocuments({ paths: [`s3://bucket/${path}`], s3: withDefaults(s3Parameters, s3), ...params });
  return { ...found, ids: found.json.map((text) => JSON.parse(text).id as string).toSorted() };
}

describe('ParquetConnector with a bucket', () => {
  it('lists only the folders of partitions that pass the filter', async () => {
    const filter = new Map<string, unknown>([
      ['dt', new Map([['gt', '2026-01-01']])],
      ['country', 'a/b'],
      ['n', 3],
    ]);
    const { json } = await readBucket('lake', { columns: ['dt', 'country'], filter });
    const days = ['2026-01-02', '2026-01-03'];
    expect(json).toEqual(days.map((dt) => `{"id":"r3","dt":"${dt}","country":"a/b"}`));
    expect(read).toEqual(new Set(days.map((dt) => `lake/dt=${dt}/country=a%2Fb/p.parquet`)));
    expect(listed.filter((prefix) => prefix.startsWith('lake'))).toEqual([
      'lake',
      'lake/',
      ...days.map((dt) => `lake/dt=${dt}/`),
      ...days.map((dt) => `lake/dt=${dt}/country=a%2Fb/`),
    ]);
  });

  it('reads a Delta table by its log, and none whose name begins with the same text', async () => {
    const { ids, rejected } = await readBucket('delta/updated', { version: '1' });
    expect([ids, rejected]).toEqual([['d1', 'd2', 'd3'], []]);
    expect([...read].filter((key) => key.endsWith('.parquet')).length).toBe(1);
    expect((await readBucket('delta/partitioned/')).ids).toEqual(['a2', 'a3', 'a4']);
    expect((await readBucket('delta/vectors', { version: '3' })).json.length).toBe(4999);
  });

  it('reads an Iceberg table by its metadata', async () => {
    expect((await readBucket('iceberg/evolved-2')).ids).toEqual(['a1', 'a2', 'a4']);
    expect((await readBucket('iceberg/vectors')).json.length).toBe(16);
    const parameters = { paths: undefined, fsUri: 's3a://bucket', pathToStorage: 'iceberg/positions' } as never;
    expect((await readBucket('', parameters)).json.length).toBe(16);
  });

  it('refuses the files of a table', async () => {
    await expect(readBucket('iceberg/values/data/')).rejects.toThrow(
      'names files of the Iceberg table /iceberg/values.',
    );
    await expect(readBucket('delta/*/*.parquet')).rejects.toThrow('names files of the Delta table /delta/');
  });
});

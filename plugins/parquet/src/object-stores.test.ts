import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withDefaults } from 'headrace/engine';
import { s3Parameters } from 'headrace/storage';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readDocuments } from './testing/read-documents.ts';

const ROWS = 40_000;
const ROW_GROUP = 10_000;
const KEYS = ['lake/year=2024/a.parquet', 'lake/year=2025/a.parquet', 'lake/year=2025/readme.txt', 'other/a.parquet'];

/** Numbers, and texts that take most of the file. */
const content = Buffer.from(
  parquetWriteBuffer({
    columnData: [
      { name: 'id', type: 'INT32', data: Array.from({ length: ROWS }, (_, i) => i) },
      { name: 'text', type: 'STRING', data: Array.from({ length: ROWS }, (_, i) => `${i} ${'text '.repeat(20)}`) },
    ],
    rowGroupSize: ROW_GROUP,
    codec: 'UNCOMPRESSED',
  }),
);

let server: Server;
let paths: string[] = [];
/** How many bytes the server has sent of objects, and how many requests for a whole object it got. */
let sent = 0;
let whole = 0;

/** A bucket of S3 with the same content in each object. */
beforeAll(async () => {
  server = createServer(({ method, url = '', headers: { range } }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://x');
    if (searchParams.has('list-type')) return void response.end(listing(searchParams.get('prefix') ?? ''));
    paths.push(decodeURIComponent(pathname));
    if (method === 'HEAD') return void response.setHeader('content-length', content.length).end();
    if (range === undefined) whole++;
    const [from = 0, last = content.length - 1] = (range ?? '').split(/\D+/).slice(1).map(Number);
    sent += last + 1 - from;
    response.writeHead(range === undefined ? 200 : 206).end(content.subarray(from, last + 1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

/** Lists the objects and the folders directly below a prefix. */
function listing(prefix: string): string {
  const below = KEYS.filter((key) => key.startsWith(prefix));
  const rest = below.map((key) => key.slice(prefix.length));
  const objects = below.filter((_, i) => rest[i]?.includes('/') === false);
  const folders = new Set(rest.filter((name) => name.includes('/')).map((name) => `${prefix}${name.split('/')[0]}/`));
  return [
    '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult>',
    ...objects.map((key) => `<Contents><Key>${key}</Key><Size>${content.length}</Size></Contents>`),
    ...[...folders].map((folder) => `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`),
    '</ListBucketResult>',
  ].join('');
}

function read(params: object) {
  [paths, sent, whole] = [[], 0, 0];
  const s3 = { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  return readDocuments({
    idField: 'id',
    s3Key: 'key',
    s3Secret: 'secret',
    s3: withDefaults(s3Parameters, s3),
    ...params,
  });
}

it('reads the objects that a pattern matches, in ranges of the columns and row groups that it needs', async () => {
  const filter = new Map([['id', new Map([['gte', ROWS - 2]])]]);
  const { json, rejected } = await read({ paths: ['s3://bucket/lake/year=*/*.parquet'], columns: [], filter });
  expect(rejected).toEqual([]);
  expect(json).toEqual([
    `{"id":"${ROWS - 2}"}`,
    `{"id":"${ROWS - 1}"}`,
    `{"id":"${ROWS - 2}"}`,
    `{"id":"${ROWS - 1}"}`,
  ]);
  expect([...new Set(paths)]).toEqual(KEYS.slice(0, 2).map((key) => `/bucket/${key}`));
  expect(whole).toBe(0);
  // Of each of the two objects: the last 64 KiB with the footer, and a quarter of the numbers.
  expect(sent).toBeLessThan(2 * (64 * 1024 + 5 * ROW_GROUP));
  expect(content.length).toBeGreaterThan(20 * sent);
});

it('reads a folder of a bucket with the parameters of Lucille', async () => {
  const { json } = await read({ fsUri: 's3a://bucket', pathToStorage: 'lake/year=2025', columns: [], limit: 3 });
  expect(json).toEqual(['{"id":"0"}', '{"id":"1"}', '{"id":"2"}']);
  expect([...new Set(paths)]).toEqual(['/bucket/lake/year=2025/a.parquet']);
  expect(whole).toBe(0);
});

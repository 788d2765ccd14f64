import { withDefaults } from '@headrace/engine';
import { type StubHandler, StubServer } from '@headrace/testing/stub-server';
import { afterEach, expect, it } from 'vitest';
import { collected } from './collected.test.lib.ts';
import { parseFileUri } from './file-uri.ts';
import { GcsStorage } from './gcs-storage.ts';
import { gcpParameters } from './storage-parameters.ts';

/** The CRC32C checksum of this content is a test vector of RFC 3720. */
const CONTENT = '\0'.repeat(32);
const CRC32C = 'ipE2qg==';

const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of closing.splice(0)) await one.close();
});

async function read(handler: StubHandler): Promise<{ content: string; stub: StubServer }> {
  const stub = await StubServer.start(handler);
  const storage = await GcsStorage.open(
    withDefaults(gcpParameters, { pathToServiceKey: '', endpoint: stub.url }),
    true,
  );
  closing.push(storage, stub);
  let content = '';
  for await (const piece of storage.read(parseFileUri('gs://bucket/a b.txt'))) content += Buffer.from(piece).toString();
  return { content, stub };
}

it.each([
  ['its correct checksum', { 'x-goog-hash': `crc32c=${CRC32C},md5=x` }, undefined],
  ['none', {}, undefined],
  [
    'the checksum of its compressed form',
    { 'x-goog-hash': 'crc32c=AAAAAA==', 'x-goog-stored-content-encoding': 'gzip' },
    undefined,
  ],
  ['a wrong checksum', { 'x-goog-hash': 'crc32c=AAAAAA==' }, 'gs://bucket/a b.txt arrived with a wrong checksum'],
])('an object of Google Cloud Storage is read and checked with %s', async (_, headers, message) => {
  const reading = read((_, response) => void response.writeHead(200, headers).end(CONTENT));
  if (message === undefined) expect((await reading).content).toBe(CONTENT);
  else await expect(reading).rejects.toThrow(message);
});

it.each([
  ['from there', 206],
  ['from the start, by a server without range requests', 200],
])('an interrupted object is read on %s, in the same version', async (_, status) => {
  const { content, stub } = await read((request, response) => {
    const headers = { 'x-goog-hash': `crc32c=${CRC32C}`, 'x-goog-generation': '7', 'content-length': CONTENT.length };
    if (request.headers.range === undefined) {
      response.writeHead(200, headers).write(CONTENT.slice(0, 10));
      setImmediate(() => setImmediate(() => response.destroy()));
    } else {
      response
        .writeHead(status)
        .end(status === 206 ? CONTENT.slice(Number(/\d+/.exec(request.headers.range))) : CONTENT);
    }
  });
  expect(content).toBe(CONTENT);
  expect(stub.requests.map(({ path }) => path)).toEqual([
    '/storage/v1/b/bucket/o/a%20b.txt?alt=media',
    '/storage/v1/b/bucket/o/a%20b.txt?alt=media&generation=7',
  ]);
});

it.each([
  ['from there', 206],
  ['from the start, by a server without range requests', 200],
])('GcsStorage continues an interrupted range %s, in the same version', async (_, status) => {
  let cuts = 1;
  const stub = await StubServer.start((request, response) => {
    if (!request.path.includes('alt=media')) return void response.end('{"size":"10","generation":"7"}');
    const [from, last] = (request.headers.range ?? '').split(/\D+/).slice(1).map(Number);
    const part = status === 206 ? '0123456789'.slice(from, (last ?? 0) + 1) : '0123456789';
    response.writeHead(status, { 'content-length': part.length });
    if (cuts-- <= 0) return void response.end(part);
    response.write(part.slice(0, 5));
    setImmediate(() => setImmediate(() => response.destroy()));
  });
  const storage = await GcsStorage.open(
    withDefaults(gcpParameters, { pathToServiceKey: '', endpoint: stub.url }),
    true,
  );
  closing.push(storage, stub);
  const file = await storage.openRanges(parseFileUri('gs://bucket/a'));
  expect(Buffer.from(await file.read(2, 9)).toString()).toBe('2345678');
  const parts = stub.requests.slice(1);
  expect(parts.map(({ path }) => path)).toEqual(Array(2).fill('/storage/v1/b/bucket/o/a?alt=media&generation=7'));
  expect(parts.map(({ headers }) => headers.range)).toEqual(['bytes=2-8', `bytes=${status === 206 ? 7 : 5}-8`]);
});

it('a project pays for the requests to Google Cloud Storage, and a path may name a generation', async () => {
  const stub = await StubServer.start(
    (request, response) => void response.end(request.path.includes('alt=media') ? 'old' : '{"name":"a","size":"3"}'),
  );
  const settings = { pathToServiceKey: '', endpoint: stub.url, anonymous: true, userProject: 'my-project' };
  const storage = await GcsStorage.open(withDefaults(gcpParameters, settings), true);
  closing.push(storage, stub);
  const options = { skips: () => false, onProblem: expect.fail, signal: AbortSignal.timeout(60_000) };
  const [file] = await collected(storage.list(parseFileUri('gs://bucket/a?generation=17'), options));
  expect(file).toMatchObject({ path: 'gs://bucket/a', size: 3 });
  const pieces = await collected(storage.read(file?.uri as never));
  expect(Buffer.concat(pieces).toString()).toBe('old');
  for (const { path, headers } of stub.requests) {
    expect(path).toContain('generation=17');
    expect(headers['x-goog-user-project']).toBe('my-project');
    expect(headers).not.toHaveProperty('authorization');
  }
  expect(stub.requests).toHaveLength(2);
});

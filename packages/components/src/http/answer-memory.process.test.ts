import { gzipSync } from 'node:zlib';
import { defaultMemoryMb } from '@headrace/engine';
import { limitMemory, runStage } from '@headrace/engine/testing';
import { StubServer } from '@headrace/testing/stub-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ElasticsearchLookup } from '../stages/elasticsearch-lookup.ts';
import { QueryOpensearch } from '../stages/query-opensearch.ts';
import { HttpClient } from './http-client.ts';

// These tests collect garbage many times, which takes long in the large heap of the unit tests. So they run in a
// separate process.

const MIB = 2 ** 20;
let stub: StubServer;
let client: HttpClient;

beforeAll(async () => {
  // 8 MiB for one answer.
  limitMemory(16);
  client = await HttpClient.open();
  stub = await StubServer.start((request, response) => {
    const url = new URL(request.path, 'http://stub');
    const padding = ' '.repeat(Number(url.searchParams.get('mib') ?? 0) * MIB);
    if (url.pathname === '/bomb') {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(padding));
    } else if (url.pathname.endsWith('_mget')) {
      response.end(`{"docs":[{"_id":"1","found":true,"_source":{"text":"${'x'.repeat(4 * MIB)}"}}]}`);
    } else response.end(`{"hits":"${'x'.repeat(4 * MIB)}"}${padding}`);
  });
});

afterAll(async () => {
  limitMemory(defaultMemoryMb());
  await client.close();
  await stub.close();
});

it.each(['/plain?mib=12', '/bomb?mib=12'])('limits the memory of the answer of %s', async (path) => {
  const error = await client.request({ url: stub.url + path }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: 'HR_MEMORY_LIMIT' });
});

it('gives the memory of an answer back', async () => {
  for (let i = 0; i < 3; i++) expect((await client.request({ url: `${stub.url}/` })).status).toBe(200);
});

it('counts the answer for a document until it leaves', async () => {
  const [query] = await runStage(
    QueryOpensearch,
    {
      opensearch: { url: stub.url, index: 'i' },
      templateName: 't',
      opensearchResponsePath: '/hits',
      destinationField: 'hits',
    },
    [{ id: '1' }],
  );
  const [lookup] = await runStage(
    ElasticsearchLookup,
    { elasticsearch: { url: stub.url, index: 'i' }, source: ['text'], dest: ['text'] },
    [{ id: '1' }],
  );
  // A document counts three times.
  for (const outcome of [query, lookup]) expect(outcome?.error).toMatch(/document 1 .*needs? more than 8 MiB/);
});

import { type Document, writeValue } from '@headrace/engine';
import { assertStageContract, makeStage, runStage, toDocument } from '@headrace/engine/testing';
import { describeWithServer } from '@headrace/testing/real-server';
import { type StubHandler, StubServer } from '@headrace/testing/stub-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HttpClient, requireSuccess } from '../http/http-client.ts';
import { ElasticsearchLookup } from './elasticsearch-lookup.ts';

await describeWithServer('elasticsearch', (server) => {
  const index = `lookup-${process.pid}`;
  const entries: [id: string, source: string][] = [
    ['1', '{"text":"a","whole":1.0,"long":9007199254740993,"flag":true,"none":null,"list":[1,"b"],"object":{"x":[1]}}'],
    ['a/b c?ü', '{"text":"odd id"}'],
    ['dots', '{"a.b":"dotted","n":{"x":"nested"}}'],
  ];

  beforeAll(async () => {
    const client = await HttpClient.open();
    const created = await client.request({
      method: 'PUT',
      url: `${server.url}/${index}`,
      headers: { 'content-type': 'application/json' },
      body: '{"mappings":{"dynamic":false}}',
    });
    requireSuccess(created);
    const lines = entries.flatMap(([id, source]) => [`{"index":{"_id":${JSON.stringify(id)}}}`, source]);
    const response = await client.request({
      method: 'POST',
      url: `${server.url}/${index}/_bulk?refresh=true`,
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${lines.join('\n')}\n`,
    });
    expect(requireSuccess(response).body.toString()).toContain('"errors":false');
    await client.close();
  });

  function params(more: Record<string, unknown> = {}): Record<string, unknown> {
    return { elasticsearch: { url: server.url, index }, source: ['text'], dest: ['copy'], ...more };
  }

  it('satisfies the stage contract', async () => {
    await assertStageContract(ElasticsearchLookup, { params: params(), document: { id: '1', a: 'x' } });
  });

  it('copies values with the types of the index', async () => {
    const source = ['text', 'whole', 'long', 'flag', 'none', 'list', 'object', 'absent'];
    const [outcome] = await runStage(ElasticsearchLookup, params({ source, dest: source }), ['{"id":"1"}']);
    expect(outcome).toEqual({ documents: [`{"id":"1",${entries[0]?.[1].slice(1)}`], error: undefined });
  });

  it('finds every kind of id and does not change documents without an entry', async () => {
    const outcomes = await runStage(ElasticsearchLookup, params(), [{ id: 'a/b c?ü' }, { id: 'unknown', copy: 1 }]);
    expect(outcomes.map(({ documents }) => documents)).toEqual([
      ['{"id":"a/b c?ü","copy":"odd id"}'],
      ['{"id":"unknown","copy":1}'],
    ]);
  });

  it('uses field names literally', async () => {
    const names = { source: ['a.b', 'n.x'], dest: ['d', 'n'] };
    const [outcome] = await runStage(ElasticsearchLookup, params(names), [{ id: 'dots' }]);
    expect(outcome?.documents).toEqual(['{"id":"dots","d":"dotted"}']);
  });

  it('applies updateMode to an existing field', async () => {
    const document = { id: '1', copy: 'old' };
    const modes = { overwrite: '[1,"b"]', append: '["old",1,"b"]', skip: '"old"' };
    for (const [updateMode, expected] of Object.entries(modes)) {
      const [outcome] = await runStage(ElasticsearchLookup, params({ source: ['list'], updateMode }), [document]);
      expect(outcome?.documents, updateMode).toEqual([`{"id":"1","copy":${expected}}`]);
    }
  });

  it('supports useCompression', async () => {
    const elasticsearch = { url: server.url, index, useCompression: true };
    const [outcome] = await runStage(ElasticsearchLookup, params({ elasticsearch }), [{ id: '1' }]);
    expect(outcome?.documents).toEqual(['{"id":"1","copy":"a"}']);
  });

  it('fails documents if the index does not exist, and names the index', async () => {
    const elasticsearch = { url: server.url, index: 'no-such-index' };
    const [outcome] = await runStage(ElasticsearchLookup, params({ elasticsearch }), [{ id: '1' }]);
    expect(outcome?.error).toMatch(/could not look up 1 in no-such-index: index_not_found_exception: no such index/);
  });
});

describe('ElasticsearchLookup', () => {
  let stub: StubServer;

  beforeAll(async () => {
    stub = await StubServer.start(() => undefined);
  });
  beforeEach(() => stub.handle(mget((id) => `{"_id":${id},"found":true,"_source":{"f":${id}}}`)));
  afterAll(() => stub.close());

  /** Handles requests for several documents. `answer` returns the JSON of the entry with an id. */
  function mget(answer: (id: string) => string): StubHandler {
    return (request, response) => {
      if (request.method === 'HEAD') return void response.end();
      const { docs } = JSON.parse(request.body) as { docs: { _id: string }[] };
      response.end(`{"docs":[${docs.map(({ _id }) => answer(JSON.stringify(_id))).join(',')}]}`);
    };
  }

  function params(more: Record<string, unknown> = {}): Record<string, unknown> {
    return { elasticsearch: { url: stub.url, index: 'i' }, source: ['f'], dest: ['g'], ...more };
  }

  /** Processes documents at the same time. Returns for each its field `g`, or the error. */
  async function together(documents: readonly Document[]): Promise<string[]> {
    const stage = makeStage(ElasticsearchLookup, params());
    await stage.start?.();
    const settled = await Promise.allSettled(documents.map((document) => stage.process(document)));
    await stage.stop?.();
    return settled.map((result, i) =>
      result.status === 'fulfilled' ? writeValue(documents[i]?.get('g') ?? null) : String(result.reason),
    );
  }

  const documents = () => Array.from({ length: 130 }, (_, i) => toDocument({ id: `${i}` }));

  it('combines documents in flight into few requests', async () => {
    stub.requests.length = 0;
    expect(await together(documents())).toEqual(documents().map((_, i) => `"${i}"`));
    expect(stub.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'HEAD /',
      'POST /i/_mget',
      'POST /i/_mget',
      'POST /i/_mget',
    ]);
    expect(stub.requests[1]?.body).toMatch(/^\{"docs":\[\{"_id":"0","_source":\["f"\]\},/);
  });

  it('fails only the document whose entry has an error', async () => {
    stub.handle(
      mget((id) =>
        id === '"7"' ? '{"_id":"7","error":{"type":"t","reason":"r"}}' : `{"_id":${id},"found":true,"_source":{"f":1}}`,
      ),
    );
    const results = await together(documents());
    expect(results[7]).toBe('Error: Elasticsearch could not look up 7 in i: t: r');
    expect(results.filter((result) => result !== '1')).toHaveLength(1);
  });

  it('fails only the document that makes a whole request fail', async () => {
    const healthy = mget((id) => `{"_id":${id},"found":true,"_source":{"f":1}}`);
    stub.handle((request, response) => {
      if (!request.body.includes('"_id":"99"')) return healthy(request, response);
      response.writeHead(400).end('{"error":"id 99 is bad"}');
    });
    const results = await together(documents());
    expect(results[99]).toMatch(/answered 400 Bad Request: \{"error":"id 99 is bad"\}/);
    expect(results.filter((result) => result !== '1')).toHaveLength(1);
  });

  it('retries temporary failures on another node', async () => {
    const healthy = mget(() => '{"found":true,"_source":{"f":1}}');
    let count = 0;
    stub.handle((request, response) => {
      if (++count === 2) response.writeHead(429).end();
      else return healthy(request, response);
    });
    expect(await together([toDocument({ id: '1' })])).toEqual(['1']);
    const dead = await StubServer.start((_, response) => void response.writeHead(503).end());
    const elasticsearch = { url: `${dead.url}, ${stub.url}`, index: 'i' };
    const outcomes = await runStage(ElasticsearchLookup, params({ elasticsearch }), [{ id: '1' }, { id: '2' }]);
    await dead.close();
    expect(outcomes.map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(dead.requests, 'the node that answers is asked first').toHaveLength(1);
  });

  it('sends the user and the password of the URL with the first request', async () => {
    stub.requests.length = 0;
    const elasticsearch = { url: stub.url.replace('//', '//us%40er:pw@'), index: 'i' };
    await runStage(ElasticsearchLookup, params({ elasticsearch }), [{ id: '1' }]);
    const authorization = `Basic ${Buffer.from('us@er:pw').toString('base64')}`;
    expect(stub.requests.map(({ headers }) => headers.authorization)).toEqual([authorization, authorization]);
  });

  it('does not start without the server, and reports the reason without the password', async () => {
    stub.handle((_, response) => void response.writeHead(401).end());
    const elasticsearch = { url: stub.url.replace('//', '//user:secret@'), index: 'i' };
    const start = runStage(ElasticsearchLookup, params({ elasticsearch }), []);
    await expect(start).rejects.toThrow(/^HEAD http:\/\/127\.0\.0\.1:\d+\/ answered 401 Unauthorized$/);
  });

  it('fails documents if the index does not store _source', async () => {
    stub.handle(mget((id) => `{"_id":${id},"found":true}`));
    expect(await together([toDocument({ id: '1' })])).toEqual([expect.stringContaining('does not store _source')]);
  });

  it.each([
    [{ dest: [] }, /^dest: source has 1 field and dest 0/],
    [{ source: [], dest: [] }, /^source: /],
    [{ dest: ['run_id'] }, /^dest\[0\]: .*reserved/],
    [{ elasticsearch: { url: 'localhost:9200', index: 'i' } }, /^elasticsearch\.url: .*http or https URL/],
    [{ elasticsearch: { url: 'http://user@e.org:9200', index: 'i' } }, /^elasticsearch\.url: .*without a password/],
    [{ elasticsearch: { url: 'http://e.org:9200', index: ' ' } }, /^elasticsearch\.index: /],
    [{ updateMode: 'APPEND' }, /^updateMode: /],
  ])('refuses the parameters %j', (more, message) => {
    const elasticsearch = { url: 'http://e.org:9200', index: 'i' };
    const given = { elasticsearch, source: ['f'], dest: ['g'], ...more };
    expect(() => makeStage(ElasticsearchLookup, given)).toThrow(message);
  });
});

import { assertStageContract, makeStage, runStage, stageContext, toDocument } from '@headrace/engine/testing';
import { describeWithServer } from '@headrace/testing/real-server';
import { inGroupsOf, StubServer } from '@headrace/testing/stub-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HttpClient, requireSuccess } from '../http/http-client.ts';
import { QueryOpensearch } from './query-opensearch.ts';

const byMovie = '{"source": {"size": 1, "query": {"term": {"movie": "{{movie}}"}}}, "params": {"movie": "ignored"}}';

await describeWithServer('opensearch', (server) => {
  const index = `query-${process.pid}`;
  const template = `template-${process.pid}`;

  beforeAll(async () => {
    const client = await HttpClient.open();
    const send = async (method: string, path: string, body: string) =>
      requireSuccess(
        await client.request({
          method,
          url: `${server.url}${path}`,
          headers: { 'content-type': 'application/json' },
          body,
        }),
      );
    const lines = ['m1', 'm1', 'm2'].flatMap((movie, i) => [
      '{"index":{}}',
      `{"movie":"${movie}","stars":${i}.0,"tags":["x","y"]}`,
    ]);
    await send('PUT', `/${index}`, '{"mappings":{"properties":{"movie":{"type":"keyword"}}}}');
    await send('POST', `/${index}/_bulk?refresh=true`, `${lines.join('\n')}\n`);
    const stored = '{"size":10,"query":{"terms":{"movie":{{#toJson}}movies{{/toJson}}}}}';
    await send('PUT', `/_scripts/${template}`, JSON.stringify({ script: { lang: 'mustache', source: stored } }));
    await client.close();
  });

  function params(more: Record<string, unknown>): Record<string, unknown> {
    return { opensearch: { url: server.url, index }, requiredParamNames: ['movie'], ...more };
  }

  it('satisfies the stage contract', async () => {
    await assertStageContract(QueryOpensearch, {
      params: params({ searchTemplate: byMovie, opensearchResponsePath: '/hits/total' }),
      document: { id: '1', movie: 'm1' },
    });
  });

  it('writes a part of the answer to a field and preserves the kinds of numbers', async () => {
    const query = params({
      searchTemplate: byMovie,
      opensearchResponsePath: '/hits/hits/0/_source',
      destinationField: 'found',
    });
    const outcomes = await runStage(QueryOpensearch, query, [{ id: '1', movie: 'm2', found: 'old' }]);
    expect(outcomes).toEqual([
      {
        documents: ['{"id":"1","movie":"m2","found":{"movie":"m2","stars":2.0,"tags":["x","y"]}}'],
        error: undefined,
      },
    ]);
  });

  it('writes null if nothing is found, and the whole answer without a path', async () => {
    const nothing = params({ searchTemplate: byMovie, opensearchResponsePath: '/hits/hits/0' });
    expect((await runStage(QueryOpensearch, nothing, [{ id: '1', movie: 'none' }]))[0]?.documents).toEqual([
      '{"id":"1","movie":"none","response":null}',
    ]);
    const [whole] = await runStage(QueryOpensearch, params({ searchTemplate: byMovie }), [{ id: '1', movie: 'm1' }]);
    expect(JSON.parse(whole?.documents[0] as string)).toMatchObject({
      response: { timed_out: false, hits: { total: { value: 2 } } },
    });
  });

  it('runs a stored template with lists as parameters', async () => {
    const query = {
      opensearch: { url: server.url, index },
      templateName: template,
      requiredParamNames: ['movies'],
      opensearchResponsePath: '/hits/total/value',
    };
    const [outcome] = await runStage(QueryOpensearch, query, [{ id: '1', movies: ['m1', 'm2'] }]);
    expect(outcome?.documents).toEqual(['{"id":"1","movies":["m1","m2"],"response":3}']);
  });

  it('fails a document with the error message of OpenSearch', async () => {
    const query = params({ templateName: 'no-such-template' });
    const outcomes = await runStage(QueryOpensearch, query, [{ id: '1', movie: 'm1' }]);
    expect(outcomes[0]?.error).toMatch(/_search\/template answered 404 Not Found: .*no-such-template/);
  });
});

describe('QueryOpensearch', () => {
  let stub: StubServer;

  beforeAll(async () => {
    stub = await StubServer.start(() => undefined);
  });
  beforeEach(() => {
    stub.requests.length = 0;
    stub.handle((_, response) => void response.end('{"took":1}'));
  });
  afterAll(() => stub.close());

  function params(more: Record<string, unknown> = {}): Record<string, unknown> {
    return { opensearch: { url: stub.url, index: 'a,b' }, templateName: 't', ...more };
  }

  it('sends fields of every type as parameters', async () => {
    const names = { requiredParamNames: ['a', 'n', 'id'], optionalParamNames: ['o', 'none', 'a'] };
    await runStage(QueryOpensearch, params(names), ['{"id":"1","a":[1.0,"x"],"n":null,"o":{"k":true},"p":1}']);
    expect(stub.requests).toMatchObject([
      {
        method: 'POST',
        path: '/a%2Cb/_search/template',
        headers: { 'content-type': 'application/json' },
        body: '{"id":"t","params":{"a":[1.0,"x"],"n":null,"id":"1","o":{"k":true}}}',
      },
    ]);
    const inline = { templateName: null, searchTemplate: '{"params":{"x":1},"source":{"size":1.0}}' };
    await runStage(QueryOpensearch, params(inline), [{ id: '1' }]);
    expect(stub.requests[1]?.body).toBe('{"source":{"size":1.0},"params":{}}');
  });

  it('sends no request if a required field is missing', async () => {
    const context = stageContext();
    const [outcome] = await runStage(QueryOpensearch, params({ requiredParamNames: ['q'] }), [{ id: '1' }], context);
    expect(outcome?.documents).toEqual(['{"id":"1","queryOpensearchError":"A requiredField was missing."}']);
    expect(context.collector.list()).toMatchObject([
      { code: 'stage.unchanged', examples: [{ document: '1', field: 'q' }] },
    ]);
    expect(stub.requests).toEqual([]);
  });

  it.each([
    ['', 'something that is not JSON'],
    ['<html>', 'something that is not JSON'],
  ])('fails if the answer is "%s"', async (body, message) => {
    stub.handle((_, response) => void response.end(body));
    expect((await runStage(QueryOpensearch, params(), [{ id: '1' }]))[0]?.error).toContain(message);
  });

  it('retries temporary failures, and fails only the document of a failed search', async () => {
    let count = 0;
    stub.handle(({ body }, response) => {
      if (++count === 1) response.writeHead(429).end();
      else response.writeHead(body.includes('"bad"') ? 400 : 200).end('{"took":1}');
    });
    const query = params({ requiredParamNames: ['id'] });
    const outcomes = await runStage(QueryOpensearch, query, [{ id: 'a' }, { id: 'bad' }, { id: 'c' }]);
    expect(outcomes.map(({ error }) => error?.replace(/http\S+/, ''))).toEqual([
      undefined,
      'POST  answered 400 Bad Request: {"took":1}',
      undefined,
    ]);
  });

  it('runs 64 searches at the same time', async () => {
    stub.handle(inGroupsOf(64, (_, response) => void response.end('{}')));
    const stage = makeStage(QueryOpensearch, params());
    expect(stage.maxInFlight).toBe(64);
    await stage.start?.();
    const documents = Array.from({ length: 64 }, (_, i) => toDocument({ id: `${i}` }));
    await Promise.all(documents.map((document) => stage.process(document)));
    await stage.stop?.();
    expect(stub.mostAtOnce).toBe(64);
  });

  it.each([
    [{ templateName: null }, /^templateName: Either/],
    [{ searchTemplate: '{}' }, /^searchTemplate: Either/],
    [{ templateName: null, searchTemplate: '{"a"' }, /^searchTemplate: .*not JSON/],
    [{ templateName: null, searchTemplate: '[]' }, /^searchTemplate: .*JSON object/],
    [{ opensearchResponsePath: 'hits.hits' }, /^opensearchResponsePath: .*must start with '\/'/],
    [{ destinationField: 'id' }, /^destinationField: .*reserved/],
    [{ opensearch: { url: 'e.org', index: 'i' } }, /^opensearch\.url: /],
    [{ opensearch: { url: 'http://e.org', index: 'i', enableCompression: true } }, /enableCompression/],
  ])('refuses the parameters %j', (more, message) => {
    expect(() => makeStage(QueryOpensearch, params(more))).toThrow(message);
  });
});

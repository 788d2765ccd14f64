import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { type IndexerContext, type IndexerSettings, indexerSettings, withDefaults } from '@headrace/engine';
import { inGroupsOf, type StubHandler, StubServer } from '@headrace/testing/stub-server';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeyedEncoder, type KeyedEncoderOptions } from '../delivery/keyed-encoder.ts';
import { encodedBatch } from '../testing/encoded-batch.ts';
import { EngineRuns, type EngineUnderTest, type Fields, outcome, QUICK } from '../testing/indexers/engine-runs.ts';
import { HttpIndexer } from './http-indexer.ts';

const ok: StubHandler = (_, response) => void response.end();

describe('HttpIndexer', () => {
  const engine: EngineUnderTest = {
    config: (url, path, settings, more) => `indexer { type: "HTTP", blacklist: [run_id], ${settings} }
      http { url: "${url}${path}", ${more} }`,
    create: () => Promise.reject(new Error('There is nothing to make')),
    contents: () => Promise.reject(new Error('There is nothing to read')),
  };
  const runs = new EngineRuns(engine);
  let stub: StubServer;
  beforeEach(async () => {
    stub = await StubServer.start(ok);
  });
  afterEach(() => stub.close());
  afterAll(() => runs.close());

  const send = (path: string, documents: readonly Fields[], settings = QUICK, more = '') =>
    runs.send(stub.url, path, documents, settings, more);
  /** Returns all requests except the first, which only checks that the server is reachable. */
  const sent = () => stub.requests.slice(1).map(({ method, path, body }) => `${method} ${path} ${body}`);
  const some = [{ id: 'a', n: 1 }, { id: 'b/c' }];

  it('checks that the server is reachable, and sends lines of JSON', async () => {
    expect(outcome(await send('/in?x=1', some))).toMatchObject({ succeeded: 2, failed: {} });
    expect(stub.requests[0]).toMatchObject({ method: 'HEAD', path: '/' });
    expect(sent()).toEqual(['POST /in?x=1 {"id":"a","n":1}\n{"id":"b/c"}\n']);
    expect(stub.requests[1]?.headers['content-type']).toBe('application/x-ndjson');
    const lost = await runs.send('http://127.0.0.1:1', '/', some, 'connectTimeout: 0');
    expect(lost.message).toMatch(/Indexer could not connect[\s\S]*connection refused/);
  });

  it('sends a JSON list', async () => {
    await send('/', some, QUICK, 'form: json-array, method: PUT, headers { X-Api-Key: k, content-type: a/b }');
    expect(sent()).toEqual(['PUT / [{"id":"a","n":1},{"id":"b/c"}]']);
    expect(stub.requests[1]?.headers).toMatchObject({ 'x-api-key': 'k', 'content-type': 'a/b' });
  });

  it('reports the target of a redirect, and does not blame the documents', async () => {
    stub.handle(({ method }, response) => {
      const location = 'https://user:secret@there.example/in';
      response.writeHead(method === 'HEAD' ? 200 : 307, { location }).end();
    });
    const said = 'The server returned HTTP 307 to https://there.example/in, which is not followed: set url to it';
    expect(outcome(await send('/in', some)).failed).toEqual({ a: said, 'b/c': said });
  });

  it('sends eight single-document requests concurrently', async () => {
    const documents = Array.from({ length: 24 }, (_, i) => ({ id: `d${i}` }));
    const together = inGroupsOf(8, ok);
    stub.handle((request, response) => (request.method === 'HEAD' ? ok : together)(request, response));
    const result = await send('/x/{id}', documents, QUICK, 'form: single, method: PUT');
    expect(outcome(result).succeeded).toBe(24);
    expect(stub.mostAtOnce).toBe(8);
  });

  it.each([
    ['/x', 404, true],
    ['/x/{id}', 401, true],
    ['/x/{id}', 404, undefined],
    ['/x/{id}', 422, undefined],
  ])('decides for %s with status %s whether the document may be the cause', async (path, status, undelivered) => {
    stub.handle(({ method }, response) => void response.writeHead(method === 'HEAD' ? 200 : status).end());
    const context = { runId: 'r', settings: withDefaults(indexerSettings) } as IndexerContext;
    const indexer = new HttpIndexer(
      withDefaults(HttpIndexer.parameters, { url: stub.url + path, form: 'single' }),
      context,
    );
    await indexer.connect();
    try {
      const encoder = new KeyedEncoder(indexer.encoder().options as KeyedEncoderOptions);
      const failures = await indexer.send(encodedBatch(encoder, [{ id: '1' }]), new AbortController().signal);
      expect(failures.map((failure) => failure.undelivered)).toEqual([undelivered]);
    } finally {
      await indexer.close();
    }
  });

  it('sends the versions of a document in order', async () => {
    const documents = Array.from({ length: 100 }, (_, i) => ({ id: `d${i % 40}`, n: i }));
    let requests = 0;
    stub.handle((_, response) => void response.writeHead(++requests % 7 === 3 ? 503 : 200).end());
    const result = await send('/x/{id}', documents, `batchSize: 50, ${QUICK}`, 'form: single, method: PUT');
    expect(outcome(result).succeeded).toBe(100);
    for (let i = 0; i < 40; i++) {
      const versions = stub.requests.filter(({ path }) => path === `/x/d${i}`).map(({ body }) => JSON.parse(body).n);
      expect(versions).toEqual(versions.toSorted((a, b) => a - b));
      expect(new Set(versions)).toEqual(new Set(documents.filter(({ id }) => id === `d${i}`).map(({ n }) => n)));
    }
  });

  it('sends deletes as separate requests, in the order of the documents', async () => {
    const documents = [{ id: '1' }, { id: '2/ä', del: 'yes' }, { id: '2/ä' }, { id: '3', del: 'yes' }, { id: '4' }];
    stub.handle(({ path }, response) => void response.writeHead(path.endsWith('3') ? 404 : 200).end());
    const settings = `deletionMarkerField: del, deletionMarkerFieldValue: "yes", ${QUICK}`;
    const result = await send('/in', documents, settings, `deleteUrl: "${stub.url}/doc/{id}"`);
    expect(outcome(result).succeeded).toBe(5);
    expect(sent()).toEqual([
      'POST /in {"id":"1"}\n',
      'DELETE /doc/2%2F%C3%A4 ',
      'POST /in {"id":"2/ä"}\n',
      'DELETE /doc/3 ',
      'POST /in {"id":"4"}\n',
    ]);
  });

  it('finds the document that makes a request fail', async () => {
    const documents = Array.from({ length: 16 }, (_, i) => ({ id: `d${i}` }));
    stub.handle(({ body }, response) => void response.writeHead(body.includes('"d5"') ? 422 : 200).end('not d5'));
    expect(outcome(await send('/', documents))).toMatchObject({
      succeeded: 15,
      failed: { d5: 'The server returned HTTP 422: not d5' },
    });
  });

  it('reads results of single documents only with itemErrors, and only if they are plausible', async () => {
    const answer = (text: string) => stub.handle((_, response) => void response.end(text));
    answer('{"errors":[{"index":1,"status":400,"message":"no"}]}');
    expect(outcome(await send('/', some)).succeeded).toBe(2);
    expect(outcome(await send('/', some, QUICK, 'itemErrors: true'))).toMatchObject({
      succeeded: 1,
      failed: { 'b/c': 'The server refused the document (status 400): no' },
    });
    for (const strange of ['OK', '{"errors":[{"index":2,"status":400}]}', '{"errors":"many"}', 'null']) {
      answer(strange);
      const result = await send('/', some, 'maxRetries: 1, retryWaitDurationMs: 1', 'itemErrors: true');
      expect(Object.values(outcome(result).failed)).toEqual([
        expect.stringContaining('does not say what happened to 2 documents'),
        expect.stringContaining(strange),
      ]);
    }
    answer('{"took":3}');
    expect(outcome(await send('/', some, QUICK, 'itemErrors: true')).succeeded).toBe(2);
  });

  it('sends credentials, and compresses', async () => {
    await send('/', some, QUICK, 'bearerToken: tok');
    expect(stub.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer tok', 'Bearer tok']);
    const bodies: string[] = [];
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (request.headers['content-encoding'] === 'gzip') bodies.push(gunzipSync(Buffer.concat(chunks)).toString());
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      await runs.send(url, '/', some, QUICK, 'useCompression: true');
      expect(bodies).toEqual(['{"id":"a","n":1}\n{"id":"b/c"}\n']);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('the check of HttpIndexer', () => {
  const problems = (params: object, settings: object = {}) =>
    [
      ...HttpIndexer.check(
        withDefaults(HttpIndexer.parameters, { url: 'https://h/in', ...params }),
        settings as IndexerSettings,
      ),
    ].map(({ message, severity = 'error' }) => `${severity}: ${message}`);

  it('reports invalid parameters', () => {
    const deletions = { deletionMarkerField: 'd', deletionMarkerFieldValue: 'x' };
    expect(problems({})).toEqual([]);
    expect(problems({ url: 'https://h/{id}', form: 'single', deleteUrl: 'https://h/{id}' }, deletions)).toEqual([]);
    expect(problems({ url: 'ftp://h/{id}', deleteUrl: 'https://h/' })).toEqual([
      'error: url must be an http or https URL',
      'error: url has {id}, but a request contains many documents',
      'error: deleteUrl does not name the document: {id} is missing',
    ]);
    expect(problems({ form: 'single', itemErrors: true }, deletions)).toEqual([
      'warning: itemErrors has no effect with form: single',
      'warning: indexer.deletionMarkerField has no effect without http.deleteUrl: marked documents are sent like all others',
    ]);
    const headers = new Map([
      ['a b', 'x'],
      ['x', 'a\nb'],
      ['Authorization', 'x'],
    ]);
    expect(problems({ headers, bearerToken: 't' }, { indexOverrideField: 'i', versionField: 'v' })).toEqual([
      'error: a b cannot be the name of a header',
      'error: The header x has characters that are not allowed',
      'error: Credentials are given twice, by a header and by another parameter',
      "error: Config setting 'indexer.indexOverrideField' is not supported by HttpIndexer",
      "warning: Config setting 'indexer.versionField' has no effect with HttpIndexer: the fields themselves are sent",
    ]);
  });
});

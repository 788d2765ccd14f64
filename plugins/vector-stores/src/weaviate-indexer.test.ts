import { StubServer } from '@headrace/testing/stub-server';
import { withDefaults } from 'headrace/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contextOf, QUICK, writeDocuments } from './testing/write-documents.ts';
import { WeaviateIndexer } from './weaviate-indexer.ts';

/** The UUIDs of Lucille for these ids. */
const DOC1 = '83e4b178-9306-33d1-8991-40df3827d600';

let stub: StubServer;
let results: (objects: readonly { properties: Record<string, unknown> }[]) => unknown;
beforeEach(async () => {
  results = (objects) => objects.map(() => ({ result: { status: 'SUCCESS' } }));
  stub = await StubServer.start(({ method, body }, response) => {
    response.end(method === 'POST' ? JSON.stringify(results(JSON.parse(body).objects)) : '{}');
  });
});
afterEach(() => stub.close());

const create = (params: object = {}, settings: object = QUICK) =>
  new WeaviateIndexer(withDefaults(WeaviateIndexer.parameters, { host: stub.url, ...params }), contextOf(settings));
const sent = () => stub.requests.slice(1).map(({ method, path, body }) => `${method} ${path} ${body}`);

describe('WeaviateIndexer', () => {
  it('writes objects with the UUID of Lucille, properties and vectors', async () => {
    const indexer = create({ apiKey: 'key', className: 'Article', vectorField: 'v' });
    const documents = [{ id: 'doc1', title: 'a "quoted" one', n: 1.0, v: [0.5, 1] }, { id: 'doc2' }];
    expect(await writeDocuments(indexer, documents)).toEqual({});
    expect(stub.requests[0]).toMatchObject({ method: 'GET', path: '/v1/schema/Article' });
    expect(stub.requests[1]?.headers).toMatchObject({ authorization: 'Bearer key' });
    const { objects } = JSON.parse(stub.requests[1]?.body ?? '') as { objects: object[] };
    expect(stub.requests[1]?.path).toBe('/v1/batch/objects?consistency_level=ALL');
    expect(objects).toEqual([
      {
        class: 'Article',
        id: DOC1,
        properties: { title: 'a "quoted" one', n: 1, id_original: 'doc1' },
        vector: [0.5, 1],
      },
      { class: 'Article', id: expect.stringMatching(/^[0-9a-f-]{36}$/), properties: { id_original: 'doc2' } },
    ]);
  });

  it('fails only the objects that Weaviate refuses', async () => {
    results = (objects) =>
      objects.map(({ properties }) =>
        properties['id_original'] === 'b'
          ? { result: { status: 'FAILED', errors: { error: [{ message: 'wrong vector length' }] } } }
          : { result: { status: 'SUCCESS' } },
      );
    const failed = await writeDocuments(create(), [{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
    expect(failed).toEqual({ b: { message: 'Weaviate refused the object: wrong vector length', status: 422 } });
  });

  it('sends requests again after a temporary failure', async () => {
    let refused = 0;
    stub.handle(({ method, body }, response) => {
      if (method === 'POST' && refused++ < 2) response.writeHead(503).end('starting');
      else response.end(method === 'POST' ? JSON.stringify(results(JSON.parse(body).objects)) : '{}');
    });
    expect(await writeDocuments(create(), [{ id: 'a' }])).toEqual({});
    expect(sent().length).toBe(3);
  });

  it('reports documents as undelivered if the server accepts none', async () => {
    stub.handle(({ method }, response) => void response.writeHead(method === 'POST' ? 503 : 200).end('{}'));
    const failed = await writeDocuments(create(), [{ id: 'a' }]);
    expect(failed['a']).toMatchObject({ status: 503, undelivered: true, message: 'Weaviate returned HTTP 503: {}' });
  });

  it('deletes marked documents, and sends only the last version of a document', async () => {
    const settings = { ...QUICK, deletionMarkerField: 'gone', deletionMarkerFieldValue: 'true' };
    stub.handle(({ method, body }, response) => {
      if (method === 'DELETE') response.writeHead(404).end();
      else response.end(method === 'POST' ? JSON.stringify(results(JSON.parse(body).objects)) : '{}');
    });
    const documents = [
      { id: 'a', n: 1 },
      { id: 'doc1', n: 1 },
      { id: 'a', n: 2 },
      { id: 'doc1', gone: true },
    ];
    expect(await writeDocuments(create({}, settings), documents)).toEqual({});
    expect(sent()).toEqual([
      `DELETE /v1/objects/Document/${DOC1}?consistency_level=ALL `,
      expect.stringMatching(/^POST \/v1\/batch\/objects.*"n":2,"id_original":"a"\}\}\]\}$/),
    ]);
  });

  it('writes to a new collection that has no properties yet', async () => {
    stub.handle(({ method, body }, response) => {
      response.end(method === 'POST' ? JSON.stringify(results(JSON.parse(body).objects)) : '{"properties":null}');
    });
    expect(await writeDocuments(create(), [{ id: 'a' }])).toEqual({});
    await expect(create({}, { ...QUICK, childrenField: 'parent' }).connect()).rejects.toThrow(
      'The property parent (indexer.childrenField) is not a text property',
    );
  });

  it('does not connect if the collection is missing', async () => {
    stub.handle((_, response) => void response.writeHead(404).end());
    await expect(create().connect()).rejects.toThrow('Weaviate has no collection Document');
  });

  it.each([
    [{ host: 'ftp://x' }, 'ftp://x is not a host name or an http or https URL'],
    [{ host: 'x', apiKey: ' ' }, 'apiKey is empty'],
  ])('reports a mistake in %j', (params, message) => {
    expect(
      [...WeaviateIndexer.check(withDefaults(WeaviateIndexer.parameters, params as never), {} as never)].map(
        (problem) => problem.message,
      ),
    ).toEqual([message]);
  });

  it('reaches a host name by https', async () => {
    const indexer = new WeaviateIndexer(
      withDefaults(WeaviateIndexer.parameters, { host: `127.0.0.1:${stub.port}` }),
      contextOf(),
    );
    await expect(indexer.connect()).rejects.toThrow(/https:\/\/127\.0\.0\.1/);
  });
});

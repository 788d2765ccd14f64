import { StubServer } from '@headrace/testing/stub-server';
import { withDefaults } from 'headrace/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QdrantIndexer } from './qdrant-indexer.ts';
import { contextOf, QUICK, writeDocuments } from './testing/write-documents.ts';

let stub: StubServer;
beforeEach(async () => {
  stub = await StubServer.start((_, response) => void response.end('{"status":"ok"}'));
});
afterEach(() => stub.close());

const create = (params: object = { vectorField: 'v' }, settings: object = QUICK) =>
  new QdrantIndexer(
    withDefaults(QdrantIndexer.parameters, { url: `${stub.url}/`, collection: 'my articles', ...params }),
    contextOf(settings),
  );
const sent = () =>
  stub.requests.slice(1).map(({ method, path, body }) => ({ at: `${method} ${path}`, ...JSON.parse(body) }));

describe('QdrantIndexer', () => {
  it('writes points with payload and vector', async () => {
    const documents = [{ id: 'doc1', title: 'a', v: [1, 0.25] }];
    expect(await writeDocuments(create({ vectorField: 'v', apiKey: 'k' }), documents)).toEqual({});
    expect(stub.requests[0]).toMatchObject({ path: '/collections/my%20articles', headers: { 'api-key': 'k' } });
    const points = [
      { id: '83e4b178-9306-33d1-8991-40df3827d600', payload: { title: 'a', id_original: 'doc1' }, vector: [1, 0.25] },
    ];
    expect(sent()).toEqual([{ at: 'PUT /collections/my%20articles/points?wait=true', points }]);
  });

  it('names a missing collection, and says what to do', async () => {
    stub.handle((_, response) => void response.writeHead(404).end('{"status":{"error":"Not found"}}'));
    await expect(writeDocuments(create(), [{ id: 'a', v: [1] }])).rejects.toThrow(
      expect.objectContaining({
        message: 'Qdrant has no collection my articles',
        hint: expect.stringContaining('Create it'),
      }),
    );
  });

  it('writes named vectors', async () => {
    await writeDocuments(create({ vectors: new Map([['title', 't']]) }), [{ id: 'a', t: [1] }]);
    expect(sent()[0].points[0]).toMatchObject({ vector: { title: [1] }, payload: { id_original: 'a' } });
  });

  it.each([
    [{ id: 'a' }, 'The field v, which holds the vector, is missing'],
    [{ id: 'a', v: 'text' }, 'The field v, which holds the vector, must be a list of numbers'],
    [{ id: 'a', v: [1, 'b'] }, 'The field v, which holds the vector, must be a list of numbers'],
  ])('fails the document %j before it is sent', async (document, message) => {
    await expect(writeDocuments(create(), [document])).rejects.toThrow(message);
  });

  it('finds the point that made the server refuse a request', async () => {
    stub.handle(({ method, body }, response) => {
      const bad = method === 'PUT' && body.includes('"id_original":"b"');
      response
        .writeHead(bad ? 400 : 200)
        .end(bad ? '{"status":{"error":"Wrong input: Vector dimension error"}}' : '{}');
    });
    const failed = await writeDocuments(
      create(),
      ['a', 'b', 'c', 'd'].map((id) => ({ id, v: [1] })),
    );
    expect(failed).toEqual({ b: { message: expect.stringContaining('Vector dimension error'), status: 400 } });
  });

  it('deletes marked documents', async () => {
    const settings = { ...QUICK, deletionMarkerField: 'gone', deletionMarkerFieldValue: 'yes' };
    await writeDocuments(create({ vectorField: 'v' }, settings), [{ id: 'doc1', gone: 'yes' }]);
    const points = ['83e4b178-9306-33d1-8991-40df3827d600'];
    expect(sent()).toEqual([{ at: 'POST /collections/my%20articles/points/delete?wait=true', points }]);
  });

  it('deletes the points of a document that are not its children any more', async () => {
    const indexer = create({ vectorField: 'v' }, { ...QUICK, childrenField: 'parent_id' });
    await writeDocuments(indexer, [{ id: 'a', v: [1] }], { a: ['doc1'] });
    const should = [
      {
        must: [{ key: 'parent_id', match: { value: 'a' } }],
        must_not: [{ has_id: ['83e4b178-9306-33d1-8991-40df3827d600'] }],
      },
    ];
    expect(sent()[1]).toEqual({ at: 'POST /collections/my%20articles/points/delete?wait=true', filter: { should } });
  });

  it('fails the document whose old children cannot be deleted', async () => {
    stub.handle(({ method }, response) => void response.writeHead(method === 'POST' ? 403 : 200).end('{}'));
    const indexer = create({ vectorField: 'v' }, { ...QUICK, childrenField: 'parent_id' });
    const failed = await writeDocuments(
      indexer,
      [
        { id: 'a', v: [1] },
        { id: 'b', v: [1] },
      ],
      { a: [] },
    );
    const message = 'The document was written, but its old children were not deleted: Qdrant returned HTTP 403: {}';
    expect(failed).toEqual({ a: { message, status: 403, undelivered: true } });
  });

  it.each([
    [{ url: 'localhost:6333', vectorField: 'v' }, 'localhost:6333 is not an http or https URL'],
    [{ url: 'http://x' }, 'vectorField is missing'],
    [{ url: 'http://x', vectorField: 'v', vectors: new Map([['a', 'b']]) }, 'vectorField and vectors are both set'],
  ])('reports a mistake in %j', (params, message) => {
    const problems = [
      ...QdrantIndexer.check(
        withDefaults(QdrantIndexer.parameters, { collection: 'c', ...params } as never),
        {} as never,
      ),
    ];
    expect(problems.map((problem) => problem.message)).toEqual([message]);
  });
});

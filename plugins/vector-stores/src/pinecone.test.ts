import { assertStageContract, runStage } from '@headrace/engine/testing';
import { StubServer } from '@headrace/testing/stub-server';
import { withDefaults } from 'headrace/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EmitDocsToDeleteByPrefix } from './emit-docs-to-delete-by-prefix.ts';
import { PineconeIndexer } from './pinecone-indexer.ts';
import { contextOf, QUICK, writeDocuments } from './testing/write-documents.ts';

/** The ids in the namespaces of the stub. */
const IDS: Record<string, string[]> = { default: ['doc1', 'doc1-1', 'doc1-2', 'doc1-3'], other: ['doc1-1', 'doc1-9'] };

let stub: StubServer;
let state: string;
beforeEach(async () => {
  state = 'Ready';
  stub = await StubServer.start(({ path, body }, response) => {
    const { pathname, searchParams } = new URL(path, 'http://x');
    if (pathname === '/indexes/articles') response.end(JSON.stringify({ host: stub.url, status: { state } }));
    else if (pathname === '/vectors/upsert') {
      response.end(JSON.stringify({ upsertedCount: JSON.parse(body).vectors.length }));
    } else if (pathname === '/vectors/list') {
      const found = (IDS[searchParams.get('namespace') ?? ''] ?? []).filter((id) =>
        id.startsWith(searchParams.get('prefix') ?? ''),
      );
      // Pages of two ids.
      const from = Number(searchParams.get('paginationToken') ?? 0);
      const next = from + 2 < found.length ? { pagination: { next: String(from + 2) } } : {};
      response.end(JSON.stringify({ vectors: found.slice(from, from + 2).map((id) => ({ id })), ...next }));
    } else if (pathname === '/vectors/fetch') {
      // The vector doc1-3 belongs to another document.
      const vector = (id: string) => [id, { metadata: { parent_id: id === 'doc1-3' ? 'doc1-3' : 'doc1' } }];
      response.end(JSON.stringify({ vectors: Object.fromEntries(searchParams.getAll('ids').map(vector)) }));
    } else response.writeHead(pathname.startsWith('/vectors/') ? 200 : 404).end('{}');
  });
});
afterEach(() => stub.close());

const access = () => ({ apiKey: 'key', index: 'articles', controlPlaneUrl: stub.url });
const create = (params: object, settings: object = QUICK) =>
  new PineconeIndexer(withDefaults(PineconeIndexer.parameters, { ...access(), ...params }), contextOf(settings));
const sent = () => stub.requests.slice(1).map(({ path, body }) => ({ path, ...JSON.parse(body) }));

describe('PineconeIndexer', () => {
  it('writes vectors with metadata as texts to the namespace default', async () => {
    const indexer = create({ defaultEmbeddingField: 'v', metadataFields: ['n', 'tags', 'missing'] });
    expect(await writeDocuments(indexer, [{ id: 'a', v: [1, 0.5], n: 3, tags: ['x', 'y'] }])).toEqual({});
    expect(stub.requests[0]?.headers).toMatchObject({ 'api-key': 'key' });
    const vectors = [{ id: 'a', values: [1, 0.5], metadata: { n: '3', tags: '[x, y]' } }];
    expect(sent()).toEqual([{ path: '/vectors/upsert', namespace: 'default', vectors }]);
  });

  it('deletes the vectors of a document that are not its children any more', async () => {
    const params = { defaultEmbeddingField: 'v', metadataFields: ['parent_id'] };
    const indexer = create(params, { ...QUICK, childrenField: 'parent_id' });
    await writeDocuments(indexer, [{ id: 'doc1', v: [1] }], { doc1: ['doc1', 'doc1-1'] });
    const [fetched] = stub.requests.filter(({ path }) => path.startsWith('/vectors/fetch'));
    expect(fetched?.path).toBe('/vectors/fetch?namespace=default&ids=doc1-2&ids=doc1-3');
    const { path, body } = stub.requests.at(-1) ?? { body: '' };
    expect([path, JSON.parse(body)]).toEqual(['/vectors/delete', { ids: ['doc1-2'], namespace: 'default' }]);
  });

  it('refuses childrenField if it is not sent as metadata', () => {
    const params = { ...access(), defaultEmbeddingField: 'v' };
    const problems = [
      ...PineconeIndexer.check(withDefaults(PineconeIndexer.parameters, params as never), {
        childrenField: 'parent_id',
      } as never),
    ];
    expect(problems.map(({ hint }) => hint)).toEqual(['Add parent_id to pinecone.metadataFields.']);
  });

  it('keeps the types of metadata if the config says so', async () => {
    const params = { defaultEmbeddingField: 'v', metadataFields: ['n', 'b', 'tags'], metadataTypes: 'native' };
    await writeDocuments(create(params), [{ id: 'a', v: [1], n: 3.5, b: true, tags: ['x', 1] }]);
    expect(sent()[0].vectors[0].metadata).toEqual({ n: 3.5, b: true, tags: ['x', '1'] });
  });

  it('writes to each namespace, and deletes in each before it writes', async () => {
    const settings = { ...QUICK, deletionMarkerField: 'gone', deletionMarkerFieldValue: 'true' };
    const indexer = create(
      {
        namespaces: new Map([
          ['one', 'v'],
          ['two', 'w'],
        ]),
      },
      settings,
    );
    await writeDocuments(indexer, [
      { id: 'a', v: [1], w: [2] },
      { id: 'b', gone: true },
    ]);
    expect(sent()).toEqual([
      { path: '/vectors/delete', ids: ['b'], namespace: 'one' },
      { path: '/vectors/upsert', namespace: 'one', vectors: [{ id: 'a', values: [1] }] },
      { path: '/vectors/delete', ids: ['b'], namespace: 'two' },
      { path: '/vectors/upsert', namespace: 'two', vectors: [{ id: 'a', values: [2] }] },
    ]);
  });

  it('updates only the values with the mode update', async () => {
    await writeDocuments(create({ defaultEmbeddingField: 'v', mode: 'UPDATE' }), [{ id: 'a', v: [1] }]);
    expect(sent()).toEqual([{ path: '/vectors/update', id: 'a', values: [1], namespace: 'default' }]);
  });

  it('splits requests at two megabytes', async () => {
    const v = Array.from({ length: 100_000 }, (_, i) => i + 0.12345);
    await writeDocuments(create({ defaultEmbeddingField: 'v' }), [
      { id: 'a', v },
      { id: 'b', v },
    ]);
    expect(sent().map(({ vectors }) => vectors.length)).toEqual([1, 1]);
  });

  it.each(['Initializing', 'InitializationFailed', 'Terminating'])('does not connect in the state %s', async (name) => {
    state = name;
    await expect(create({ defaultEmbeddingField: 'v' }).connect()).rejects.toThrow(`its state is ${name}`);
  });

  it('does not connect to an index that does not exist', async () => {
    const indexer = create({ index: 'none', defaultEmbeddingField: 'v' });
    await expect(indexer.connect()).rejects.toThrow('Pinecone has no index none');
  });

  it.each([
    [{}, {}, 'Neither namespaces nor defaultEmbeddingField names a field with the vector'],
    [{ defaultEmbeddingField: 'v', mode: 'replace' }, {}, 'mode must be upsert or update, was replace'],
    [{ defaultEmbeddingField: 'v' }, { batchSize: 2000 }, 'A request to Pinecone has at most 1000 vectors'],
    [{ defaultEmbeddingField: 'v' }, { batchByteSize: 1 }, 'A request to Pinecone has at most 1000 vectors'],
  ])('reports a mistake in %j with the settings %j', (params, settings, message) => {
    const problems = [
      ...PineconeIndexer.check(
        withDefaults(PineconeIndexer.parameters, { ...access(), ...params } as never),
        settings as never,
      ),
    ];
    expect(problems.map((problem) => problem.message)).toEqual([message]);
  });
});

describe('EmitDocsToDeleteByPrefix', () => {
  const marker = { deletionMarkerField: 'gone', deletionMarkerFieldValue: 'true' };

  it('satisfies the stage contract', async () => {
    await assertStageContract(EmitDocsToDeleteByPrefix, {
      params: { ...access(), ...marker },
      document: { id: 'doc1', gone: 'true' },
    });
  });

  it('emits a delete for each id with the prefix, page by page', async () => {
    const params = { ...access(), ...marker, addPrefix: '-', namespaces: { default: 1, other: 2 }, dropOriginal: true };
    const [outcome] = await runStage(EmitDocsToDeleteByPrefix, params, [{ id: 'doc1', gone: 'true' }]);
    const emitted = ['doc1-1', 'doc1-2', 'doc1-3', 'doc1-9'].map((id) => `{"id":"${id}","gone":"true"}`);
    expect(outcome?.documents.slice(0, -1)).toEqual(emitted);
    expect(outcome?.documents.at(-1)).toContain('"___dropped":true');
  });

  it('does not change documents without the mark', async () => {
    const params = { ...access(), ...marker };
    const [outcome] = await runStage(EmitDocsToDeleteByPrefix, params, [{ id: 'doc1', gone: 'false' }]);
    expect(outcome?.documents).toEqual(['{"id":"doc1","gone":"false"}']);
    expect(stub.requests.map(({ path }) => path)).toEqual(['/indexes/articles']);
  });

  it('warns if ids of other documents have the same prefix', () => {
    const [problem] = EmitDocsToDeleteByPrefix.check(
      withDefaults(EmitDocsToDeleteByPrefix.parameters, { ...access(), ...marker } as never),
    );
    expect(problem).toMatchObject({ severity: 'warning', message: expect.stringContaining('doc10') });
  });
});

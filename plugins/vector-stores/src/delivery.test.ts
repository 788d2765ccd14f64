import { StubServer } from '@headrace/testing/stub-server';
import { type Indexer, withDefaults } from 'headrace/engine';
import { afterEach, describe, expect, it } from 'vitest';
import { PineconeIndexer } from './pinecone-indexer.ts';
import { QdrantIndexer } from './qdrant-indexer.ts';
import { contextOf, QUICK, writeDocuments } from './testing/write-documents.ts';
import { WeaviateIndexer } from './weaviate-indexer.ts';

interface Uploaded {
  readonly objects?: readonly object[];
  readonly vectors?: readonly object[];
}

interface Store {
  readonly name: string;
  readonly create: (url: string, settings: object) => Indexer;
  /** Whether a request uploads documents. */
  readonly isUpload: (method: string, path: string) => boolean;
  /** What the store answers to other requests. */
  readonly found: (url: string) => object;
  /** What the store answers to an upload. */
  readonly written: (body: Uploaded) => object;
}

const STORES: readonly Store[] = [
  {
    name: 'Qdrant',
    create: (url, settings) =>
      new QdrantIndexer(
        withDefaults(QdrantIndexer.parameters, { url, collection: 'c', vectorField: 'v' }),
        contextOf(settings),
      ),
    isUpload: (method) => method === 'PUT',
    found: () => ({ status: 'ok' }),
    written: () => ({ status: 'ok' }),
  },
  {
    name: 'Pinecone',
    create: (url, settings) => {
      const params = { apiKey: 'k', index: 'i', controlPlaneUrl: url, defaultEmbeddingField: 'v' };
      return new PineconeIndexer(
        withDefaults(PineconeIndexer.parameters, { ...params, metadataFields: ['n'] }),
        contextOf(settings),
      );
    },
    isUpload: (_, path) => path === '/vectors/upsert',
    found: (url) => ({ host: url, status: { state: 'Ready' } }),
    written: ({ vectors = [] }) => ({ upsertedCount: vectors.length }),
  },
  {
    name: 'Weaviate',
    create: (url, settings) =>
      new WeaviateIndexer(
        withDefaults(WeaviateIndexer.parameters, { host: url, vectorField: 'v' }),
        contextOf(settings),
      ),
    isUpload: (method) => method === 'POST',
    found: () => ({}),
    written: ({ objects = [] }) => objects.map(() => ({ result: { status: 'SUCCESS' } })) as object,
  },
];

const documents = ['a', 'b', 'c', 'd', 'e'].map((id, n) => ({ id, n, v: [1] }));

describe.each(STORES)('the indexer of $name', ({ create, isUpload, found, written }) => {
  let stub: StubServer;
  afterEach(() => stub.close());

  /**
   * Writes documents to a server.
   * @param fault returns the status of an upload that fails; undefined cuts the connection, and 0 means success
   */
  async function write(
    fault: (body: string, upload: number) => number | undefined,
    sent: readonly { readonly id: string }[] = documents,
    settings: object = QUICK,
  ) {
    const uploads: string[] = [];
    stub = await StubServer.start(({ method, path, body }, response) => {
      if (!isUpload(method, path)) return void response.end(JSON.stringify(found(stub.url)));
      uploads.push(body);
      const status = fault(body, uploads.length);
      if (status === undefined) response.destroy();
      else if (status > 0) response.writeHead(status).end('{"error":"refused"}');
      else response.end(JSON.stringify(written(JSON.parse(body))));
    });
    return { failed: await writeDocuments(create(stub.url, settings), sent), uploads };
  }

  it.each([429, 503, undefined])('sends documents again after a temporary failure: %s', async (status) => {
    const { failed, uploads } = await write((_, upload) => (upload <= 2 ? status : 0));
    expect(failed).toEqual({});
    expect(new Set(uploads).size).toBe(1);
    expect(uploads).toHaveLength(3);
  });

  it('reports documents as undelivered after the last retry', async () => {
    const { failed, uploads } = await write(() => 503);
    expect(Object.keys(failed)).toEqual(documents.map(({ id }) => id));
    for (const failure of Object.values(failed)) expect(failure).toMatchObject({ status: 503, undelivered: true });
    expect(uploads).toHaveLength(1 + QUICK.maxRetries);
  });

  it('finds the document that the server refuses, and writes the others', async () => {
    const bad = /"id(_original)?":"c"/;
    const { failed, uploads } = await write((body) => (bad.test(body) ? 400 : 0));
    expect(failed).toEqual({ c: expect.objectContaining({ status: 400 }) });
    const accepted = uploads.filter((body) => !bad.test(body)).join();
    for (const id of ['a', 'b', 'd', 'e']) expect(accepted).toMatch(new RegExp(`"id(_original)?":"${id}"`));
  });

  it('divides a request that is too large', async () => {
    const { failed, uploads } = await write((body) => ((body.match(/"(vector|values)":/g) ?? []).length > 2 ? 413 : 0));
    expect(failed).toEqual({});
    expect(uploads.length).toBeGreaterThan(3);
  });

  it('sends only the last version of a document, also if it is a delete', async () => {
    const settings = { ...QUICK, deletionMarkerField: 'gone', deletionMarkerFieldValue: 'yes' };
    const versions = [
      { id: 'a', n: 1, v: [1] },
      { id: 'b', n: 1, v: [1] },
      { id: 'a', n: 2, v: [2] },
      { id: 'b', gone: 'yes' },
    ];
    const { failed, uploads } = await write(() => 0, versions, settings);
    expect(failed).toEqual({});
    expect(uploads).toHaveLength(1);
    expect(uploads[0]).toContain('[2]');
    expect(uploads[0]).not.toContain('[1]');
    const deletes = stub.requests.filter(({ method, path }) => method === 'DELETE' || path.includes('/delete'));
    expect(deletes).toHaveLength(1);
  });
});

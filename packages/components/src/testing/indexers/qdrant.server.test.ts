import { describeWithServer } from '@headrace/testing/real-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  byId,
  DELETES,
  EngineRuns,
  type EngineUnderTest,
  type Fields,
  lastOf,
  outcome,
  QUICK,
  versions,
} from './engine-runs.ts';
import { describeFailures } from './failure-conformance.ts';
import { describeFamilies } from './family-conformance.ts';
import { FaultyProxy } from './faulty-proxy.ts';
import { describeWriting } from './writing-conformance.ts';

/** A payload has no types, so a document with a wrong number gets a vector that Qdrant refuses. */
const vectorOf = ({ n_i }: Fields) => (typeof n_i === 'string' ? [1, 2, 3] : [0.5, Number(n_i ?? 1)]);

function withVector({ ___children: children, ...fields }: Fields): Fields {
  return {
    v: vectorOf(fields),
    ...fields,
    ...(children === undefined ? {} : { ___children: (children as Fields[]).map(withVector) }),
  };
}

await describeWithServer('qdrant', (server) => {
  let collections = 0;
  async function ask(method: string, path: string, body: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}${path}`, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { result: unknown }).result;
  }

  const engine: EngineUnderTest = {
    config: (url, name, settings, more) => `indexer { type: "Qdrant", ${settings} }
      qdrant { url: "${url}", collection: "${name}", vectorField: v, ${more} }`,
    create: async () => {
      const name = `headrace-${process.pid}-${++collections}`;
      await ask('PUT', `/collections/${name}`, { vectors: { size: 2, distance: 'Dot' } });
      return name;
    },
    prepare: (documents) => documents.map(withVector),
    contents: async (name) => {
      const body = { limit: 5000, with_payload: true, with_vector: true };
      const found = (await ask('POST', `/collections/${name}/points/scroll`, body)) as {
        points: { payload: Fields; vector: number[] }[];
      };
      return byId(
        found.points.map(({ payload: { id_original: id, run_id: _, ...fields }, vector }) => {
          // The vector belongs to this version of the document.
          expect(vector).toEqual(vectorOf(fields));
          return { id, ...fields };
        }),
      );
    },
  };

  describe('QdrantIndexer with the local mode of the client of Qdrant', () => {
    const runs = new EngineRuns(engine);
    let proxy: FaultyProxy;
    beforeAll(async () => {
      proxy = await FaultyProxy.start(server.url);
    });
    beforeEach(() => proxy.reset());
    afterAll(async () => {
      await proxy.close();
      await runs.close();
    });
    const send = (name: string, documents: readonly Fields[], settings = '') =>
      runs.send(server.url, name, documents, `${QUICK}, ${settings}`);

    describeWriting(engine, runs, () => server.url);
    describeFamilies(engine, () => server.url);
    describeFailures(engine, runs, () => proxy);

    it('writes payloads and vectors, and keeps the last version of each document', async () => {
      const name = await engine.create();
      const documents = versions(200);
      expect(outcome(await send(name, documents, `batchSize: 30, ${DELETES}`))).toMatchObject({ failed: {} });
      expect(await engine.contents(name)).toEqual(lastOf(documents));
    });

    it('fails only the documents whose vector Qdrant refuses, with its reason', async () => {
      const name = await engine.create();
      const result = await send(name, [{ id: 'a' }, { id: 'long', n_i: 'no number' }, { id: 'b' }]);
      expect(outcome(result).failed).toEqual({ long: expect.stringMatching(/Qdrant returned HTTP 400: .*dim/) });
      expect(Object.keys(await engine.contents(name)).sort()).toEqual(['a', 'b']);
    });

    it('reports a missing collection at the start', async () => {
      const { status, message } = await send('missing', [{ id: 'a' }]);
      expect([status, message]).toEqual(['FAILED', expect.stringContaining('Qdrant has no collection missing')]);
    });
  });
});

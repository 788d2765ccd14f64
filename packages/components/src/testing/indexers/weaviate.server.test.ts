import { describeOutsideCi, describeWithServer } from '@headrace/testing/real-server';
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

const TEXTS = ['s_s', 't_s', 'u_s', 'del_s', 'gone_s', 'drop_s', 'parent_s'];
const PROPERTIES: readonly (readonly [string, string])[] = [
  ...Object.entries({ n_i: 'int', d_d: 'number', b_b: 'boolean', ss_ss: 'text[]' }),
  ...TEXTS.map((name) => [name, 'text'] as const),
];

await describeOutsideCi('Weaviate: Go needs minutes to build it on a new machine', () =>
  describeWithServer('weaviate', (server) => {
    let classes = 0;
    async function ask(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${server.url}${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as Record<string, unknown>;
    }

    const engine: EngineUnderTest = {
      config: (url, name, settings, more) => `indexer { type: "Weaviate", ${settings} }
      weaviate { host: "${url}", className: "${name}", vectorField: v, ${more} }`,
      create: async () => {
        const name = `Headrace${process.pid}x${++classes}`;
        const properties = PROPERTIES.map(([property, type]) => ({
          name: property,
          dataType: [type],
          ...(type.startsWith('text') && { tokenization: 'field' }),
        }));
        await ask('POST', '/v1/schema', { class: name, vectorizer: 'none', properties });
        return name;
      },
      contents: async (name) => {
        const found = (await ask('GET', `/v1/objects?class=${name}&limit=5000&include=vector`)) as {
          objects: { properties: Fields; vector?: number[] }[];
        };
        return byId(
          found.objects.map(({ properties: { id_original: id, run_id: _, ...fields }, vector }) => ({
            id,
            ...fields,
            ...(vector === undefined ? {} : { v: vector }),
          })),
        );
      },
    };

    describe('WeaviateIndexer with a real server', () => {
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

      it('writes properties and vectors, and keeps the last version of each document', async () => {
        const name = await engine.create();
        const documents = versions(200).map((document, i) => ({ ...document, v: [i, 0.5] }));
        expect(outcome(await send(name, documents, `batchSize: 30, ${DELETES}`))).toMatchObject({ failed: {} });
        expect(await engine.contents(name)).toEqual(lastOf(documents));
      });

      it('fails only the objects that the server refuses, with its reason', async () => {
        const name = await engine.create();
        const documents = [
          { id: 'a', v: [1, 2, 3] },
          { id: 'word', v: [1, 2, 3], n_i: 'no number' },
          { id: 'b', v: [3, 2, 1] },
        ];
        const result = await send(name, documents);
        expect(outcome(result).failed).toEqual({ word: expect.stringMatching(/Weaviate refused the object: .*n_i/) });
        expect(Object.keys(await engine.contents(name)).sort()).toEqual(['a', 'b']);
      });

      it('refuses to delete old children by a property that is split into words', async () => {
        const name = await engine.create();
        await ask('POST', `/v1/schema/${name}/properties`, { name: 'words', dataType: ['text'] });
        const { status, message } = await send(name, [{ id: 'a' }], 'childrenField: words');
        expect([status, message]).toEqual([
          'FAILED',
          expect.stringContaining('words (indexer.childrenField) is split'),
        ]);
      });

      it('reports a missing collection at the start', async () => {
        const { status, message } = await send('Missing', [{ id: 'a' }]);
        expect([status, message]).toEqual(['FAILED', expect.stringContaining('Weaviate has no collection Missing')]);
      });
    });
  }),
);

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BulkEngine } from './bulk-engine.ts';
import { byId, DELETES, EngineRuns, type Fields, numbered, outcome, QUICK } from './engine-runs.ts';
import { bulkLines, FaultyProxy } from './faulty-proxy.ts';

/** The tests for indexers with bulk requests, in addition to those for all indexers. */
export function describeBulkConformance(engine: BulkEngine, url: () => string): void {
  describe('every indexer with bulk requests', () => {
    const runs = new EngineRuns(engine);
    let proxy: FaultyProxy;
    beforeAll(async () => {
      proxy = await FaultyProxy.start(url());
    });
    afterAll(async () => {
      await proxy.close();
      await runs.close();
    });
    beforeEach(() => proxy.reset());

    it('sends again only the documents that may succeed later', async () => {
      const target = await engine.create();
      const documents = numbered(30).map((document, i) => (i === 5 ? { ...document, n_i: 'no number' } : document));
      const busy = new Set(['d2', 'd5', 'd7', 'd20']);
      let requests = 0;
      proxy.fault = () => (++requests <= 2 ? { kind: 'items', status: 429, refuse: (id) => busy.has(id) } : undefined);
      const result = await runs.send(proxy.url, target, documents, QUICK);
      expect(outcome(result)).toMatchObject({ succeeded: 29, failed: { d5: expect.stringContaining('status 400') } });
      const sent = proxy.bodies.map((body) => bulkLines(body).map(({ id }) => id));
      expect(sent).toEqual([numbered(30).map(({ id }) => id), [...busy], [...busy]]);
      expect(await engine.contents(target)).toEqual(byId(documents.filter(({ id }) => id !== 'd5')));
    });

    it('writes rejected documents with a retry after the mapping was corrected', async () => {
      const target = await engine.create();
      const documents = numbered(30).map((document, i) => (i % 10 === 3 ? { ...document, n_i: `no ${i}` } : document));
      expect(outcome(await runs.send(url(), target, documents)).succeeded).toBe(27);
      const { failed } = runs;
      expect(failed.map((line) => JSON.parse(line))).toMatchObject(
        ['d3', 'd13', 'd23'].map((id) => ({ id, at: 'indexer', status: 400, processed: true })),
      );

      await engine.ask('DELETE', `/${target}`);
      await engine.ask('PUT', `/${target}`, { mappings: { properties: { n_i: { type: 'keyword' } } } });
      const result = await runs.send(url(), target, [], '', '', '', { retry: failed });
      expect(result.counts).toMatchObject({ published: 3, succeeded: 3, failed: 0 });
      const refused = documents.filter(({ n_i }) => typeof n_i === 'string');
      expect(await engine.contents(target)).toEqual(byId(refused));
    });

    it('never sends an older version again after a newer one was accepted', async () => {
      const target = await engine.create();
      const documents = Array.from({ length: 60 }, (_, i) => ({ id: `d${i % 4}`, n_i: i }));
      let items = 0;
      proxy.fault = () => ({ kind: 'items', status: 503, refuse: () => items++ % 3 === 1 });
      const settings = 'batchSize: 20, maxRetries: 50, retryWaitDurationMs: 1';
      expect(outcome(await runs.send(proxy.url, target, documents, settings)).succeeded).toBe(60);
      expect(await engine.contents(target)).toEqual(byId(documents));
    });

    it('updates existing documents in order, and reports missing ones', async () => {
      const target = await engine.create();
      await runs.send(url(), target, [
        { id: '1', n_i: 1, t_s: 'old' },
        { id: '2', n_i: 2 },
      ]);
      let [items, requests] = [0, 0];
      proxy.fault = () =>
        ++requests % 3 === 0 ? { kind: 'cut-reply' } : { kind: 'items', status: 429, refuse: () => items++ % 2 === 0 };
      const updates: Fields[] = [
        { id: '1', t_s: 'new' },
        { id: '3', t_s: 'new' },
        { id: '1', u_s: 'first' },
        { id: '1', u_s: 'second' },
        { id: '2', n_i: null, u_s: 'x' },
      ];
      const settings = 'maxRetries: 20, retryWaitDurationMs: 1';
      expect(outcome(await runs.send(proxy.url, target, updates, settings, 'update: true'))).toMatchObject({
        succeeded: 4,
        failed: { 3: expect.stringContaining('status 404') },
      });
      expect(await engine.contents(target)).toEqual({
        1: { id: '1', n_i: 1, t_s: 'new', u_s: 'second' },
        2: { id: '2', n_i: 2, u_s: 'x' },
      });
    });

    it('sends the routing of documents and deletes', async () => {
      const target = await engine.create({}, 5);
      const documents = Array.from({ length: 20 }, (_, i) => ({ id: `d${i}`, r_s: `k${i % 3}` }));
      proxy.faults({ kind: 'cut-reply' }, { kind: 'items', status: 429, refuse: (id) => id.endsWith('3') });
      const sent = await runs.send(proxy.url, target, documents, `routingField: r_s, ${QUICK}`);
      expect(outcome(sent)).toMatchObject({ succeeded: 20, failed: {} });
      const found = await engine.hits(target);
      expect(Object.fromEntries(found.map(({ _id, _routing }) => [_id, _routing]))).toEqual(
        Object.fromEntries(documents.map(({ id, r_s }) => [id, r_s])),
      );
      const deletes = documents.map((document) => ({ ...document, del: true }));
      const settings = `routingField: r_s, deletionMarkerField: del, deletionMarkerFieldValue: "true", ${QUICK}`;
      proxy.faults({ kind: 'items', status: 429, refuse: (id) => id.endsWith('3') }, { kind: 'cut-reply' });
      expect(outcome(await runs.send(proxy.url, target, deletes, settings))).toMatchObject({
        succeeded: 20,
        failed: {},
      });
      expect(await engine.contents(target)).toEqual({});
    });

    it('keeps the highest external version, without a failure', async () => {
      const target = await engine.create();
      const versions = [5, 3, 9, 9, 7, 1];
      const documents = versions.map((v, i) => ({ id: 'd', v, n_i: i }));
      const settings = `versionType: External, versionField: v, ${QUICK}`;
      const send = (sent: Fields[], more = '') => {
        // A lost response makes the indexer send versions twice.
        proxy.faults({ kind: 'cut-reply' }, { kind: 'cut-reply' });
        return runs.send(proxy.url, target, sent, `${settings}${more}`);
      };
      expect(outcome(await send(documents))).toMatchObject({ succeeded: 6, failed: {} });
      expect(await engine.hits(target)).toMatchObject([{ _id: 'd', _version: 9, _source: { v: 9, n_i: 2 } }]);
      const atLeast = await send(documents, ', versionType: ExternalGte');
      expect(outcome(atLeast)).toMatchObject({ succeeded: 6, failed: {} });
      expect(await engine.hits(target)).toMatchObject([{ _id: 'd', _version: 9, _source: { v: 9, n_i: 3 } }]);
      const bad = await send([{ id: 'x', v: -1 }, { id: 'y' }]);
      expect(outcome(bad)).toMatchObject({ succeeded: 1, failed: { x: expect.stringContaining('version') } });
      expect(Object.keys(await engine.contents(target)).sort()).toEqual(['d', 'y']);
      const deletes = [8, 10].map((v, i) => ({ id: 'dy'.charAt(i), v, del_s: 'yes' }));
      expect(outcome(await send(deletes, `, ${DELETES}`))).toMatchObject({ succeeded: 2, failed: {} });
      expect(Object.keys(await engine.contents(target))).toEqual(['d']);
    });

    it('nests children without their own children', async () => {
      const target = await engine.create();
      const children = [
        { id: 'c1', a_s: 'k', n_i: 1 },
        { id: 'c2', ___children: [{ id: 'g1' }] },
      ];
      const more = 'childDocumentsField: kids';
      const sent = await runs.send(url(), target, [{ id: 'p', ___children: children }], 'blacklist: [n_i]', more);
      expect(outcome(sent)).toMatchObject({ succeeded: 1, failed: {} });
      expect(await engine.contents(target)).toEqual({
        p: { id: 'p', kids: [{ id: 'c1', a_s: 'k' }, { id: 'c2' }] },
      });
    });

    it('writes to the index that a document names', async () => {
      const [one, two] = [await engine.create(), await engine.create()];
      const documents = [
        { id: '1', ix: two },
        { id: '1', n_i: 1 },
        { id: '2', ix: two },
      ];
      expect(outcome(await runs.send(url(), one, documents, 'indexOverrideField: ix')).succeeded).toBe(3);
      expect(await engine.contents(one)).toEqual({ 1: { id: '1', n_i: 1 } });
      expect(await engine.contents(two)).toEqual(byId(documents.filter(({ ix }) => ix === two)));
    });

    it('writes each document to the index of its date, and deletes it there', async () => {
      const prefix = `hr-${randomUUID()}`;
      const documents: Fields[] = [
        { id: '1', date: '2024-05-06T07:08:09Z' },
        { id: '2', date: '2024-05-07' },
        { id: '3', date: 1715040000000 },
        { id: '4', title: 'without a date' },
        { id: '5', date: '2024-05-06' },
      ];
      const index = `${prefix}-{date:yyyy.MM.dd}`;
      expect(outcome(await runs.send(url(), index, documents))).toMatchObject({
        succeeded: 4,
        failed: { 4: expect.stringContaining('the field date is missing') },
      });
      const deletion = [{ id: '5', date: '2024-05-06', del_s: 'yes' }];
      expect(outcome(await runs.send(url(), index, deletion, DELETES)).succeeded).toBe(1);
      expect(Object.keys(await engine.contents(`${prefix}-2024.05.06`))).toEqual(['1']);
      expect(Object.keys(await engine.contents(`${prefix}-2024.05.07`)).sort()).toEqual(['2', '3']);
    });

    it('retries a failed document in the index of its date', async () => {
      const prefix = `hr-${randomUUID()}`;
      const dated = `${prefix}-2024.05.06`;
      const index = `${prefix}-{date:yyyy.MM.dd}`;
      await engine.ask('PUT', `/${dated}`, { mappings: { properties: { n_i: { type: 'integer' } } } });
      const documents = [{ id: '1', date: '2024-05-06', n_i: 'no number' }];
      expect(outcome(await runs.send(url(), index, documents)).succeeded).toBe(0);
      const { failed } = runs;
      await engine.ask('DELETE', `/${dated}`);
      const result = await runs.send(url(), index, [], '', '', '', { retry: failed });
      expect(result.counts).toMatchObject({ published: 1, succeeded: 1, failed: 0 });
      expect(await engine.contents(dated)).toEqual(byId(documents));
    });

    it('finds the document that makes a whole request fail', async () => {
      const target = await engine.create();
      const documents = numbered(20);
      const bad = (body: string) => body.includes('"d13"');
      proxy.fault = (body) => (bad(body) ? { kind: 'answer', status: 400 } : undefined);
      expect(outcome(await runs.send(proxy.url, target, documents, QUICK))).toMatchObject({
        succeeded: 19,
        failed: { d13: expect.stringContaining('HTTP 400') },
      });
      expect(await engine.contents(target)).toEqual(byId(documents.filter(({ id }) => id !== 'd13')));
    });

    it('compresses requests', async () => {
      const target = await engine.create();
      expect(outcome(await runs.send(url(), target, numbered(50), '', 'useCompression: true')).succeeded).toBe(50);
      expect(await engine.contents(target)).toEqual(byId(numbered(50)));
    });
  });
}

import { afterAll, describe, expect, it } from 'vitest';
import { describeDeletesByField } from './delete-by-field-conformance.ts';
import { byId, EngineRuns, outcome } from './engine-runs.ts';
import type { SolrEngine } from './solr-engine.ts';

/** The tests for the Solr indexer, in addition to those for all indexers. */
export function describeSolrConformance(engine: SolrEngine, url: () => string): void {
  describe('SolrIndexer', () => {
    const runs = new EngineRuns(engine);
    afterAll(() => runs.close());

    describeDeletesByField(engine, url);

    it('nests children without their own children', async () => {
      const target = await engine.create();
      const children = [
        { id: 'c1', t_s: 'k', n_i: 1 },
        { id: 'c2', ___children: [{ id: 'g1' }] },
      ];
      const settings = 'blacklist: [n_i]';
      const parent = { id: 'p', t_s: 'parent', ___children: children };
      const sent = await runs.send(url(), target, [parent], settings);
      expect(outcome(sent)).toEqual({ status: 'SUCCEEDED', succeeded: 1, failed: {} });
      const found = await engine.select(target, '{!parent which="t_s:parent"}t_s:k');
      expect(found).toMatchObject([{ id: 'p' }]);
      const all = [{ id: 'c1', t_s: 'k' }, { id: 'c2' }, { id: 'p', t_s: 'parent' }];
      expect(await engine.contents(target)).toEqual(byId(all));
    });

    it('rejects each document with an object', async () => {
      const target = await engine.create();
      const documents = [
        { id: '1', o_s: { x: 1 } },
        { id: '2', n_i: 2 },
        { id: '3', o_ss: [{ x: 1 }] },
      ];
      expect(outcome(await runs.send(url(), target, documents))).toMatchObject({
        succeeded: 1,
        failed: {
          1: "Object field 'o_s' on document id=1 is not supported by the SolrIndexer.",
          3: "Object field 'o_ss' on document id=3 is not supported by the SolrIndexer.",
        },
      });
      expect(await engine.contents(target)).toEqual({ 2: { id: '2', n_i: 2 } });
    });

    it('reports a missing collection', async () => {
      const target = await engine.create();
      const documents = [{ id: '1', where: 'nowhere' }, { id: '2' }];
      const result = await runs.send(url(), target, documents, 'indexOverrideField: where');
      expect(outcome(result)).toMatchObject({ succeeded: 1, failed: { 1: expect.stringContaining('HTTP 404') } });
      expect(await engine.contents(target)).toEqual({ 2: { id: '2' } });
    });
  });
}

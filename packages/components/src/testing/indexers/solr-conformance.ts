import { afterAll, describe, expect, it } from 'vitest';
import { EngineRuns, type Fields, outcome } from './engine-runs.ts';
import type { SolrEngine } from './solr-engine.ts';

/** What the indexer for Solr must do besides what all must. */
export function describeSolrConformance(engine: SolrEngine, url: () => string): void {
  describe('the indexer for Solr', () => {
    const runs = new EngineRuns(engine);
    afterAll(() => runs.close());

    it('deletes by a field what was written before, and nothing that comes after', async () => {
      const target = await engine.create();
      const documents: Fields[] = [
        { id: '1', parent_s: 'P1' },
        { id: '2', parent_s: `it's, "P2" \\ OR *:*` },
        { id: '3', n_i: 7 },
        { id: '5', parent_s: 'P5' },
        { id: 'x', del: 'true', by: 'parent_s', value: 'P1' },
        { id: 'y', del: 'true', by: 'parent_s', value: `it's, "P2" \\ OR *:*` },
        { id: 'z', del: 'true', by: 'n_i', value: '7' },
        { id: '4', parent_s: 'P1' },
        { id: '5', del: 'true' },
      ];
      const settings =
        'deletionMarkerField: del, deletionMarkerFieldValue: "true", deleteByFieldField: by, deleteByFieldValue: value';
      expect(outcome(await runs.send(url(), target, documents, settings))).toMatchObject({ succeeded: 9, failed: {} });
      expect(await engine.contents(target)).toEqual({ 4: { id: '4', parent_s: 'P1' } });
    });

    it('nests children, their own left out', async () => {
      const target = await engine.create();
      const children = [
        { id: 'c1', t_s: 'k', n_i: 1 },
        { id: 'c2', ___children: [{ id: 'g1' }] },
      ];
      const settings = 'blacklist: [n_i]';
      const parent = { id: 'p', t_s: 'parent', ___children: children };
      expect(outcome(await runs.send(url(), target, [parent], settings)).failed).toEqual({});
      const found = await engine.select(target, '{!parent which="t_s:parent"}t_s:k');
      expect(found).toMatchObject([{ id: 'p' }]);
      const ids = (await engine.select(target, '*:*')).map(({ id }) => id);
      expect(ids.sort()).toEqual(['c1', 'c2', 'p']);
    });

    it('refuses objects, each document by itself', async () => {
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

    it('tells of a collection that there is not', async () => {
      const target = await engine.create();
      const documents = [{ id: '1', where: 'nowhere' }, { id: '2' }];
      const result = await runs.send(url(), target, documents, 'indexOverrideField: where');
      expect(outcome(result)).toMatchObject({ succeeded: 1, failed: { 1: expect.stringContaining('HTTP 404') } });
      expect(await engine.contents(target)).toEqual({ 2: { id: '2' } });
    });
  });
}

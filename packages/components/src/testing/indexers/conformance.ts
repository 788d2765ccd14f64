import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { byId, EngineRuns, type EngineUnderTest, numbered, outcome, QUICK } from './engine-runs.ts';
import { describeFailures } from './failure-conformance.ts';
import { type Fault, FaultyProxy } from './faulty-proxy.ts';
import { describeWriting } from './writing-conformance.ts';

/**
 * The tests for every indexer that writes to an engine. After each run, the engine must contain what the run reports.
 *
 * @param url returns the URL of the engine; called only inside tests and hooks
 */
export function describeConformance(engine: EngineUnderTest, url: () => string): void {
  describe('every indexer', () => {
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
    describeWriting(engine, runs, url);

    it('reports each rejected document, and writes the others', async () => {
      const target = await engine.create();
      const documents = numbered(30);
      const bad = new Set([3, 4, 17, 29]);
      const sent = documents.map((document, i) => (bad.has(i) ? { ...document, n_i: 'no number' } : document));
      const result = await runs.send(url(), target, sent);
      expect(outcome(result)).toEqual({
        status: 'SUCCEEDED',
        succeeded: 26,
        failed: {
          d3: expect.stringMatching(/400.*n_i/),
          d4: expect.stringMatching(/400.*n_i/),
          d17: expect.stringMatching(/400.*n_i/),
          d29: expect.stringMatching(/400.*n_i/),
        },
      });
      expect(await engine.contents(target)).toEqual(byId(documents.filter((_, i) => !bad.has(i))));
    });

    it.each<[string, Fault]>([
      ['is overloaded', { kind: 'answer', status: 429, headers: { 'retry-after': '0' } }],
      ['is behind a gateway that has lost it', { kind: 'answer', status: 503 }],
      ['closes the connection', { kind: 'cut' }],
      ['is lost in the middle of its reply', { kind: 'cut-reply' }],
    ])('sends documents again to an engine that %s', async (_, fault) => {
      const target = await engine.create();
      const documents = numbered(40);
      proxy.faults(fault, fault, undefined, fault);
      const result = await runs.send(proxy.url, target, documents, `batchSize: 10, ${QUICK}`);
      expect(outcome(result)).toEqual({ status: 'SUCCEEDED', succeeded: 40, failed: {} });
      expect(await engine.contents(target)).toEqual(byId(documents));
    });

    it('waits as long as the server requests', async () => {
      const target = await engine.create();
      const times: number[] = [];
      proxy.fault = () => {
        times.push(performance.now());
        return times.length === 1 ? { kind: 'answer', status: 503, headers: { 'retry-after': '1' } } : undefined;
      };
      const result = await runs.send(proxy.url, target, numbered(3), QUICK);
      expect(outcome(result).succeeded).toBe(3);
      expect(await engine.contents(target)).toEqual(byId(numbered(3)));
      expect((times[1] as number) - (times[0] as number)).toBeGreaterThan(990);
    });

    it('splits requests that are too large, and reports documents that are too large', async () => {
      const target = await engine.create();
      const documents = numbered(60).map((document) => ({ ...document, t_s: 'x'.repeat(100) }));
      const large = { id: 'large', t_s: 'x'.repeat(5000) };
      proxy.fault = (body) => (body.length > 3000 ? { kind: 'answer', status: 413 } : undefined);
      const result = await runs.send(proxy.url, target, [large, ...documents], `batchSize: 61, ${QUICK}`);
      expect(outcome(result)).toEqual({
        status: 'SUCCEEDED',
        succeeded: 60,
        failed: { large: expect.stringContaining('returned HTTP 413') },
      });
      expect(await engine.contents(target)).toEqual(byId(documents));
    });

    describeFailures(engine, runs, () => proxy);
  });
}

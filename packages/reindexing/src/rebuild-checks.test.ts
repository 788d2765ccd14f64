import { describe, expect, it } from 'vitest';
import { checkCounts, ndcg, reciprocalRank, runChecks } from './rebuild-checks.ts';
import { ReindexError } from './reindex-error.ts';

describe('the measures of a saved query', () => {
  it('nDCG is 1 for all expected documents at the top, in any order, and 0 for none', () => {
    expect(ndcg(['b', 'a', 'x'], new Set(['a', 'b']))).toBe(1);
    expect(ndcg(['x', 'y'], new Set(['a']))).toBe(0);
    expect(ndcg([], new Set(['a']))).toBe(0);
  });

  it('nDCG is lower if an expected document is lower or missing', () => {
    expect(ndcg(['x', 'a'], new Set(['a']))).toBeCloseTo(1 / Math.log2(3), 10);
    expect(ndcg(['a', 'x'], new Set(['a', 'b']))).toBeCloseTo(1 / (1 + 1 / Math.log2(3)), 10);
  });

  it('nDCG can reach 1 if more documents are expected than hits count', () => {
    const ids = Array.from({ length: 10 }, (_, i) => `d${i}`);
    expect(ndcg(ids, new Set([...ids, 'more', 'even more']))).toBe(1);
  });

  it('the reciprocal rank is that of the first expected document', () => {
    expect(reciprocalRank(['x', 'a', 'b'], new Set(['a', 'b']))).toBe(0.5);
    expect(reciprocalRank(['x'], new Set(['a']))).toBe(0);
  });
});

describe('a saved query', () => {
  const queries = [{ name: 'shoes', query: {}, expected: ['a', 'gone'], minMrr: 1 }];
  const checked = (search: () => Promise<string[]>) => ({
    what: 'index',
    checks: { queries },
    run: { failed: 0, losses: [] },
    count: async () => 2,
    countLive: async () => undefined,
    countWith: async () => 2,
    search,
  });

  it('lists the expected documents that are not among the hits', async () => {
    const results = await runChecks(checked(async () => ['b', 'a']));
    expect(results.at(-1)).toEqual({
      name: 'query shoes',
      outcome: 'failed',
      found: 'MRR is 0.5 (hits: b, a; expected but not among them: gone)',
      expected: 'at least 1',
    });
  });

  it('fails if the search engine refuses it, and the other checks have results', async () => {
    const refused = checked(() =>
      Promise.reject(new ReindexError('POST /x/_search answered 400: unknown query [foo]')),
    );
    const results = await runChecks({ ...refused, checks: { queries, maxFailed: 0 } });
    expect(results.map(({ name, outcome }) => [name, outcome])).toEqual(
      expect.arrayContaining([
        ['maxFailed', 'passed'],
        ['query shoes', 'failed'],
      ]),
    );
    expect(results.at(-1)?.found).toBe('the search failed: POST /x/_search answered 400: unknown query [foo]');
  });
});

it('a limit in percent is exact: a new index with exactly that many documents passes', async () => {
  const check = async (count: number, live: number, maxFewerPercent: number) => {
    const results = await checkCounts({ documents: { maxFewerPercent } }, count, 'index', async () => live);
    return results.at(-1)?.outcome;
  };
  expect([await check(3, 10, 70), await check(2, 10, 70)]).toEqual(['passed', 'failed']);
});

import { describe, expect, it } from 'vitest';
import { checkCounts, ndcg, reciprocalRank } from './rebuild-checks.ts';

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

it('a limit in percent is exact: a new index with exactly that many documents passes', async () => {
  const check = async (count: number, live: number, maxFewerPercent: number) => {
    const results = await checkCounts({ documents: { maxFewerPercent } }, count, 'index', async () => live);
    return results.at(-1)?.outcome;
  };
  expect([await check(3, 10, 70), await check(2, 10, 70)]).toEqual(['passed', 'failed']);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeNames } from './merge-names.ts';

describe('mergeNames', () => {
  it.each([
    [
      ['id', 'a'],
      ['id', 'b'],
      ['id', 'a', 'b'],
    ],
    [
      ['id', 'b'],
      ['id', 'a', 'b'],
      ['id', 'a', 'b'],
    ],
    [[], ['id'], ['id']],
    [['id', 'a', 'b'], ['id', 'b', 'a'], undefined],
  ])('merges %j and %j', (first, second, merged) => {
    expect(mergeNames(first, second)).toEqual(merged);
  });

  it('keeps the order of both lists, and refuses only lists with different orders', () => {
    const names = fc.uniqueArray(fc.constantFrom(...'abcdefgh'));
    fc.assert(
      fc.property(names, names, (first, second) => {
        const common = first.filter((name) => second.includes(name));
        const sameOrder = common.join() === second.filter((name) => first.includes(name)).join();
        const merged = mergeNames(first, second);
        expect(merged !== undefined).toBe(sameOrder);
        if (merged === undefined) return;
        expect(merged.filter((name) => first.includes(name))).toEqual(first);
        expect(merged.filter((name) => second.includes(name))).toEqual(second);
        expect(merged).toHaveLength(new Set([...first, ...second]).size);
      }),
    );
  });
});

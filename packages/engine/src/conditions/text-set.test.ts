import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextSet } from './text-set.ts';

const alphabet = fc.constantFrom('a', 'b', '0', '1', 'é', '\u{1f600}', ' ');
const text = fc.array(alphabet, { maxLength: 16 }).map((parts) => parts.join(''));

describe('a set of texts', () => {
  it('has the same texts as a plain set', () => {
    fc.assert(
      fc.property(fc.array(text), fc.array(text), (given, asked) => {
        const plain = new Set(given);
        const set = new TextSet(given);
        expect([...given, ...asked].map((one) => set.has(one))).toEqual(
          [...given, ...asked].map((one) => plain.has(one)),
        );
      }),
    );
  });

  it.each([
    ['whose last characters are equal', (i: number) => `${i}/a-long-common-end`],
    ['in large numbers', (i: number) => `text ${i}`],
  ])('finds texts %s', (_name, textOf) => {
    const texts = Array.from({ length: 12_000 }, (_, i) => textOf(i));
    const set = new TextSet(texts);
    expect(texts.every((one) => set.has(one))).toBe(true);
    expect(set.has(textOf(12_000))).toBe(false);
  });

  it('may be empty', () => {
    expect(new TextSet([]).has('')).toBe(false);
  });
});

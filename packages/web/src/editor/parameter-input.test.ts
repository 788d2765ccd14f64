import { parse } from '@headrace/hocon';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseInput, shownValue } from './parameter-input.ts';

const nodeOf = (value: unknown) => parse(JSON.stringify({ a: value })).root.entries.get('a');

it('a value that is shown and entered again is the same value', () => {
  const values = {
    string: fc.string().filter((text) => text.trim() !== ''),
    boolean: fc.boolean(),
    number: fc.integer(),
    list: fc.array(fc.oneof(fc.string(), fc.integer()), { minLength: 1 }),
    object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.string(), { minKeys: 1 }),
  } as const;
  for (const [type, value] of Object.entries(values) as ['string', fc.Arbitrary<unknown>][]) {
    fc.assert(
      fc.property(value, (given) => {
        expect(parseInput({ type }, shownValue({ type }, nodeOf(given)))).toEqual({ value: given });
      }),
    );
  }
});

it('a number keeps all its digits', () => {
  const long = '1234567890123456789';
  const node = parse(`a: { n: ${long}, list: [${long}] }`).root.entries.get('a')!;
  const parts = node.kind === 'object' ? node.entries : new Map<string, typeof node>();
  expect(shownValue({ type: 'number' }, parts.get('n'))).toBe(long);
  expect(parseInput({ type: 'number' }, long)).toEqual({ value: BigInt(long) });
  expect(parseInput({ type: 'list' }, shownValue({ type: 'list' }, parts.get('list')))).toEqual({
    value: [BigInt(long)],
  });
});

it('an empty input removes a parameter, and a wrong one has a reason', () => {
  expect(parseInput({ type: 'string' }, ' ')).toEqual({});
  expect(parseInput({ type: 'number' }, 'ten')).toEqual({ mistake: 'This is not a number.' });
  expect(parseInput({ type: 'object' }, '{"a": ').mistake).toMatch(/^This is not JSON/);
  expect(parseInput({ type: 'list' }, ' a \nb')).toEqual({ value: ['a', 'b'] });
  expect(parseInput({ type: 'any' }, 'plain')).toEqual({ value: 'plain' });
});

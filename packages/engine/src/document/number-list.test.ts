import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJson } from './any-value.test.lib.ts';
import { jsonErrorOf, readJson } from './json-reader.ts';
import { writeValue } from './json-writer.ts';
import { double, type Value } from './value.ts';

/** A number as JSON, in all its notations. */
const token = fc.oneof(
  { weight: 4, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true, min: -1, max: 1 }).map(String) },
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer().map(String),
  fc.integer().map((integer) => `${integer}.0`),
  fc.bigInt().map(String),
  fc.constantFrom('-0', '-0.0', '0.0', '1e2', '1E-7', '1e400', '-1e400', '9007199254740993', `1${'0'.repeat(400)}`),
);
const space = fc.constantFrom('', '', ' ', '\n', '\t\r\n');

describe('lists of numbers', () => {
  it('are read as each number alone, however long the list is', () => {
    fc.assert(
      fc.property(fc.array(token, { maxLength: 60 }), space, (tokens, blank) => {
        const list = readJson(`[${blank}${tokens.join(`${blank},${blank}`)}${blank}] `);
        expect(list).toStrictEqual(tokens.map(readJson));
      }),
    );
  });

  it('are written as each number alone, however long the list is', () => {
    const number = fc.oneof(
      { weight: 6, arbitrary: fc.double({ min: -1, max: 1 }) },
      fc.double(),
      fc.integer(),
      fc.integer().map(double),
      fc.constantFrom(-0, 1e-3, 1e7, 1e21, 2 ** 53, Number.MIN_VALUE, Number.NaN),
    );
    fc.assert(
      fc.property(fc.array(number as fc.Arbitrary<Value>, { maxLength: 90 }), (list) => {
        expect(writeValue(list)).toBe(`[${list.map(writeValue).join(',')}]`);
      }),
    );
  });

  it('may have other values after many numbers', () => {
    fc.assert(
      fc.property(fc.array(token, { minLength: 17, maxLength: 40 }), anyJson, token, (tokens, other, last) => {
        const text = `[${tokens.join(',')},${writeValue(other)},${last}]`;
        expect(writeValue(readJson(text))).toBe(`[${[...tokens, writeValue(other), last].map(written).join(',')}]`);
      }),
    );
  });

  it.each(['01', '1.', '--1', '.5', '1 2', '', '1e', `1${'0'.repeat(1000)}`])(
    'report a wrong number after many others at its position: %s',
    (wrong) => {
      const before = `[${'0.5,'.repeat(30)}`;
      const alone = jsonErrorOf(`[${wrong},1]`);
      const error = jsonErrorOf(`${before}${wrong},1]`);
      expect(error?.message).toBe(alone?.message);
      expect(error?.at).toBe((alone?.at as number) + before.length - 1);
    },
  );
});

function written(token: string): string {
  return writeValue(readJson(token));
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyValue } from './any-value.test.lib.ts';
import { copyValue, Double, double, equalValues, integer, textOf, toValue, type Value } from './value.ts';

describe('textOf', () => {
  it.each<[Value, string | null]>([
    ['text', 'text'],
    ['', ''],
    [5, '5'],
    [-0.5, '-0.5'],
    [1e21, '1.0E21'],
    [new Double(1), '1.0'],
    [new Double(1e10), '1.0E10'],
    [9007199254740993n, '9007199254740993'],
    [Number.NaN, 'NaN'],
    [true, 'true'],
    [null, null],
    [new Uint8Array([104, 105]), 'aGk='],
    [new Map([['a', 1]]), ''],
    [[1, 2], ''],
  ])('converts %o to the string %o', (value, text) => {
    expect(textOf(value)).toBe(text);
  });
});

it.each([['1'], [undefined], [{}], [3n]])('refuses %o as a double', (value) => {
  const refusal = expect.objectContaining({
    code: 'HR_COMPONENT_CONTRACT',
    message: expect.stringContaining('A double is a number, not '),
  });
  expect(() => new Double(value as never)).toThrow(refusal);
  expect(() => double(value as never)).toThrow(refusal);
});

describe('double and integer', () => {
  it('choose the type that represents the number exactly', () => {
    expect(double(1)).toEqual(new Double(1));
    expect(double(1.5)).toBe(1.5);
    expect(double(1e300)).toBe(1e300);
    expect(integer(5n)).toBe(5);
    expect(integer(2n ** 53n)).toBe(2n ** 53n);
    expect(integer(-(2n ** 53n) + 1n)).toBe(-(2 ** 53) + 1);
  });

  it('create doubles that convert to JavaScript numbers and strings', () => {
    expect(Number(new Double(2))).toBe(2);
    expect(`${new Double(2)}`).toBe('2.0');
  });
});

describe('equalValues', () => {
  it('distinguishes the types of numbers, and ignores the order of keys', () => {
    const values: Value[] = [1, new Double(1), '1', true, null, 1n << 60n, [1], new Map([['a', 1]]), [], new Map()];
    for (const [i, a] of values.entries()) {
      for (const [j, b] of values.entries()) expect(equalValues(a, b), `${i} ${j}`).toBe(i === j);
    }
    const ab = new Map([
      ['a', 1],
      ['b', 2],
    ]);
    expect(equalValues(ab, new Map([...ab].reverse()))).toBe(true);
    expect(equalValues(Number.NaN, Number.NaN)).toBe(true);
    expect(equalValues(new Double(0), new Double(-0))).toBe(false);
    expect(equalValues(new Uint8Array([1]), new Uint8Array([1]))).toBe(true);
    expect(equalValues(new Uint8Array([1]), new Uint8Array([2]))).toBe(false);
  });
});

describe('copyValue', () => {
  it('returns an equal value that shares nothing mutable', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const copy = copyValue(value);
        expect(equalValues(copy, value)).toBe(true);
        const parts = new Set<unknown>();
        collect(value, parts);
        const copied = new Set<unknown>();
        collect(copy, copied);
        expect([...copied].filter((part) => parts.has(part))).toEqual([]);
      }),
    );
  });

  it('does not share the memory of a Buffer', () => {
    const bytes = Buffer.from('abc');
    const copy = copyValue(bytes) as Uint8Array;
    bytes[0] = 0;
    expect(copy).toEqual(new Uint8Array([97, 98, 99]));
  });
});

describe('toValue', () => {
  it('converts objects to maps, dates to ISO strings and float arrays to lists', () => {
    const date = new Date('2020-01-02T03:04:05Z');
    expect(toValue({ b: [1, { a: null }], 10: date, none: undefined })).toEqual(
      new Map<string, Value>([
        ['10', '2020-01-02T03:04:05Z'],
        ['b', [1, new Map([['a', null]])]],
      ]),
    );
    expect(toValue(new Date('2020-01-02T03:04:05.120Z'))).toBe('2020-01-02T03:04:05.120Z');
    expect(toValue(new Float32Array([1.2, 2]))).toEqual([1.2, new Double(2)]);
    expect(toValue(new Map<unknown, unknown>([[1, { a: 1 }]]))).toEqual(new Map([['1', new Map([['a', 1]])]]));
    expect(toValue(Object.assign(Object.create(null), { a: 1 }))).toEqual(new Map([['a', 1]]));
  });

  it.each([
    [undefined, 'A undefined cannot be the value of a field'],
    [() => 1, 'A function cannot be'],
    [Symbol('s'), 'A symbol cannot be'],
    [new Set([1]), 'A Set cannot be'],
    [new Float64Array(1), 'A Float64Array cannot be'],
    [new Date(Number.NaN), 'An invalid Date cannot be'],
    [/x/, 'A RegExp cannot be'],
    [{ a: [() => 1] }, 'A function cannot be'],
  ])('refuses the value %o', (data, message) => {
    expect(() => toValue(data)).toThrow(message);
    expect(() => toValue(data)).toThrow(TypeError);
  });
});

function collect(value: Value, parts: Set<unknown>): void {
  if (Array.isArray(value)) {
    parts.add(value);
    for (const item of value) collect(item, parts);
  } else if (value instanceof Map) {
    parts.add(value);
    for (const member of value.values()) collect(member, parts);
  } else if (value instanceof Uint8Array) parts.add(value);
}

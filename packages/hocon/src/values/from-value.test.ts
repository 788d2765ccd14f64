import { describe, expect, it } from 'vitest';
import type { ConfigNode } from '../index.ts';
import { ArgumentError, ConfigError, Float, fromValue, parse, render, toValue } from '../index.ts';

/** Returns a plain value after it was rendered and parsed. */
const back = (value: unknown, format: 'json' | 'hocon' = 'json') =>
  parse(render(fromValue({ v: value }), { format }), { format }).value['v'];

describe('plain values that are rendered and parsed', () => {
  it('are equal to the original, with all digits of numbers', () => {
    for (const value of [2n ** 63n - 1n, -(2n ** 63n), 9007199254740993n, 0.1, 5e-324, -1.5, new Float(1e30)]) {
      expect(back(value)).toEqual(value);
      expect(back(value, 'hocon')).toEqual(value);
    }
    expect(back(-0)).toBe(0);
    expect(back(1e21)).toEqual(new Float(1e21));
    expect(back(Number.NEGATIVE_INFINITY)).toEqual(new Float(Number.NEGATIVE_INFINITY));
    expect(back(new Map([['a', [1, undefined]]]))).toEqual({ a: [1, null] });
    expect(toValue(fromValue({ a: undefined, b: null }))).toEqual({ b: null });
    expect(toValue(fromValue(undefined))).toBeNull();
  });

  it('are refused with their path if a config cannot contain them', () => {
    const circle: unknown[] = [];
    circle.push({ circle });
    const cases: [unknown, string][] = [
      [{ a: [0, Number.NaN] }, 'a[1] is NaN'],
      [{ a: 2n ** 64n }, 'a is an integer of more than 64 bits'],
      [{ 'a b': { c: new Date() } }, 'a b.c is an instance of Date'],
      [{ a: () => 1 }, 'a is a function'],
      [[Symbol('x')], '[0] is a symbol'],
      [new Set(), 'the value is an instance of Set'],
      [{ a: new Map([[{}, 1]]) }, 'a.* is under a key that is an instance of Object'],
      [circle, '[0].circle is a value that contains itself'],
      [new Float(Number.NaN), 'the value is NaN'],
    ];
    for (const [value, message] of cases) {
      const build = () => fromValue(value);
      expect(build).toThrow(ConfigError);
      expect(build).toThrow(expect.objectContaining({ kind: 'BadValue', hint: expect.any(String) }));
      expect(build).toThrow(message);
    }
    const node = { kind: 'number', value: Number.NaN, text: 'NaN', float: true, origin: fromValue(1).origin };
    expect(() => render(node as ConfigNode)).toThrow('NaN');
  });

  it('may contain the same value several times, and may be deeply nested', () => {
    const shared = { x: [1] };
    expect(toValue(fromValue({ a: shared, b: [shared] }))).toEqual({ a: shared, b: [shared] });
    let deep: unknown = 1;
    for (let i = 0; i < 20_000; i++) deep = i % 2 === 0 ? [deep] : { d: deep };
    expect(render(fromValue(deep), { indent: 0 })).toHaveLength(80_001);
    expect(render(fromValue(deep), { indent: 0, format: 'hocon' }).length).toBeGreaterThan(60_000);
  });
});

describe('render', () => {
  it('refuses options of the wrong type', () => {
    expect(() => render(1, { format: 'yaml' as 'json' })).toThrow(ArgumentError);
    expect(() => render(1, { indent: -1 })).toThrow('a whole number of spaces, not -1');
    expect(() => render(1, { indent: Number.NaN })).toThrow(ArgumentError);
  });
});

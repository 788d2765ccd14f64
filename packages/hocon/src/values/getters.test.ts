import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ObjectNode, PlainValue } from '../index.ts';
import {
  ConfigError,
  entryPaths,
  getBoolean,
  getBytes,
  getConfig,
  getConfigList,
  getDouble,
  getDuration,
  getDurationNanos,
  getInt,
  getIntList,
  getList,
  getLong,
  getPeriod,
  getString,
  getStringList,
  hasPath,
  parse,
  toValue,
} from '../index.ts';

const cases =
  process.env.HEADRACE_GOLDEN_CASES ?? fileURLToPath(new URL('../../../../tests/golden/cases/', import.meta.url));
const golden = join(cases, 'hocon.jsonl');

interface Row {
  in: string;
  path?: string;
  expect: { value?: unknown; nanos?: string; error?: { kind: string } };
  quirk?: boolean;
}

const getters: Record<string, (root: ObjectNode, path: string) => unknown> = {
  duration: (root, path) => ({ value: getDuration(root, path), nanos: String(getDurationNanos(root, path)) }),
  bytes: getBytes,
  getBoolean,
  getInt,
  getLong,
  getDouble,
  getString,
  getList: (root, path) => getList(root, path).map(toValue),
  getStringList,
  getIntList,
  getConfig: (root, path) => toValue(getConfig(root, path)),
  getConfigList: (root, path) => getConfigList(root, path).map(toValue),
  hasPath,
  entryPaths,
};

/**
 * Rows that this package refuses, although the reference accepts them as Java literals (`1f`, `0x1p3`) or as an
 * infinite duration.
 */
const better = new Set(['"1f"', '"0x1p3"', '"Infinity d"']);

function recorded(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : { $long: String(value) };
  if (typeof value === 'number' && !Number.isFinite(value)) return { $double: String(value) };
  return value;
}

for (const line of readFileSync(golden, 'utf8').split('\n').filter(Boolean)) {
  const { table, rows } = JSON.parse(line) as { table?: string; rows: Row[] };
  if (table === undefined) continue;
  describe(`recorded rows of ${table}`, () => {
    for (const row of rows) it(`${row.in} ${row.path ?? ''}`, () => check(table, row));
  });
}

function check(table: string, row: Row): void {
  const whole = table === 'hasPath' || table === 'entryPaths';
  const { root } = parse(whole ? row.in : `v = ${row.in}`);
  const get = () => getters[table]!(root, row.path ?? 'v');
  if (row.expect.error !== undefined || better.has(row.in)) {
    expect(get).toThrow(ConfigError);
    if (!better.has(row.in)) expect(get).toThrow(expect.objectContaining({ kind: row.expect.error?.kind }));
    return;
  }
  const value = get();
  if (table === 'duration') expect(value).toEqual({ value: row.expect.value, nanos: row.expect.nanos });
  else expect(JSON.parse(JSON.stringify(recorded(value)))).toEqual(row.expect.value);
}

describe('messages of getters', () => {
  const root = parse('a { b = text, n = null }\nl = [1, x]', { file: 'some.conf' }).root;
  const message = (get: () => unknown): string => {
    try {
      get();
    } catch (error) {
      return (error as ConfigError).message;
    }
    return '';
  };

  it('include the position, the path, the actual value and the required type', () => {
    expect(message(() => getInt(root, 'a.b'))).toBe(
      'some.conf:1:9: a.b is the string "text", but an integer of 32 bits is needed',
    );
    expect(message(() => getIntList(root, 'l'))).toBe(
      'some.conf:2:9: element 1 of l is the string "x", but l is a list of integers',
    );
    expect(message(() => getString(root, 'a.c'))).toBe('a.c is not set, but a string is needed');
    expect(message(() => getString(root, 'a.n'))).toBe('some.conf:1:19: a.n is null, but a string is needed');
    expect(message(() => getString(root, 'a.b.c'))).toBe(
      'some.conf:1:9: a.b is the string "text", but an object is needed',
    );
    expect(message(() => getDuration(root, 'a.b'))).toContain('there is no number in this duration');
  });

  it('include a hint', () => {
    const hint = (get: () => unknown): string | undefined => {
      try {
        get();
      } catch (error) {
        return (error as ConfigError).hint;
      }
      return undefined;
    };
    expect(hint(() => getInt(root, 'a.b'))).toBe('write a whole number from -2147483648 to 2147483647');
    expect(hint(() => getDuration(root, 'a.b'))).toContain('as in "10 s"');
    expect(hint(() => getString(root, 'a.c'))).toBe('set a.c in some.conf: write a string in double quotes');
    expect(hint(() => getConfigList(root, 'l'))).toBe('write fields in braces, as in { key = value }');
    expect(hint(() => getString(root, 'a..c'))).toContain('double quotes');
  });

  it('are the same if the path is given as a list of elements', () => {
    const dotted: PlainValue = toValue(parse('"a.b" = 1').root);
    expect(dotted).toEqual({ 'a.b': 1 });
    expect(getInt(parse('"a.b" = 1').root, ['a.b'])).toBe(1);
  });
});

describe('periods', () => {
  const period = (text: string) => getPeriod(parse(`v = ${text}`).root, 'v');

  it('are parsed in calendar units, or in days without a unit', () => {
    expect(period('10')).toEqual({ years: 0, months: 0, days: 10 });
    expect(period('2 weeks')).toEqual({ years: 0, months: 0, days: 14 });
    expect(period('-3 mo')).toEqual({ years: 0, months: -3, days: 0 });
    expect(period('1year')).toEqual({ years: 1, months: 0, days: 0 });
    for (const text of ['1.5 d', '1 h', '99999999999 d', '400000000 w', 'd']) {
      expect(() => period(text)).toThrow(expect.objectContaining({ kind: 'BadValue', path: 'v' }));
    }
    expect(() => period('[1]')).toThrow('v is a list, but a period is needed');
  });
});

import { describe, expect, it } from 'vitest';
import { ColumnFilter } from './row-filter.ts';
import { hasOrder, storedValue } from './stored-bounds.ts';

const INT96 = { name: 'v', type: 'INT96' } as const;
const TEXT = { name: 'v', type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;
const INT64 = { name: 'v', type: 'INT64' } as const;
const UINT64 = { ...INT64, converted_type: 'UINT_64' } as const;
const DOUBLE = { name: 'v', type: 'DOUBLE' } as const;
const HALF = { name: 'v', type: 'FIXED_LEN_BYTE_ARRAY', type_length: 2, logical_type: { type: 'FLOAT16' } } as const;
const DECIMAL = { name: 'v', type: 'BYTE_ARRAY', converted_type: 'DECIMAL', scale: 2, precision: 20 } as const;

const [BY_TYPE, FLOATS, CHRONOLOGICAL, UNKNOWN] = [{ field_1: {} }, { field_2: {} }, { field_3: {} }, { field_9: {} }];

describe('bounds', () => {
  it.each([
    ['INT96', INT96, [false, false, false, true, false]],
    ['a text', TEXT, [false, true, false, false, false]],
    ['an integer', INT64, [true, true, false, false, false]],
    ['an integer without a sign', UINT64, [false, true, false, false, false]],
    ['a double', DOUBLE, [true, true, true, false, false]],
    ['a float of 16 bits', HALF, [false, true, true, false, false]],
    ['a decimal in bytes', DECIMAL, [false, true, false, false, false]],
  ] as const)('of %s are trusted only if their order is known', (_, element, expected) => {
    const orders = [undefined, BY_TYPE, FLOATS, CHRONOLOGICAL, UNKNOWN];
    expect(orders.map((order) => hasOrder(order, element))).toEqual(expected);
  });

  it('that are NaN or have the wrong size are unknown', () => {
    const nan = Buffer.alloc(8);
    nan.writeDoubleLE(Number.NaN);
    expect(storedValue(nan, DOUBLE)).toBeUndefined();
    expect(storedValue(Buffer.of(0, 0x7e), HALF)).toBeUndefined();
    expect(storedValue(Buffer.of(1, 2, 3), INT64)).toBeUndefined();
    expect(storedValue(Buffer.of(), DECIMAL)).toBeUndefined();
    expect(storedValue(undefined, TEXT)).toBeUndefined();
  });

  it('of INT96 are compared as instants', () => {
    const bound = (nanos: bigint, julianDay: number) => {
      const bytes = Buffer.alloc(12);
      bytes.writeBigInt64LE(nanos);
      bytes.writeInt32LE(julianDay, 8);
      return storedValue(bytes, INT96);
    };
    // 1970-01-02T00:00:01 to 1970-01-03T00:00:00.5: the bytes of the first bound are larger.
    const bounds = { low: bound(1_000_000_000n, 2_440_589), high: bound(500_000_000n, 2_440_590), nulls: undefined };
    const may = (operator: 'eq' | 'gt' | 'lt', value: string) =>
      new ColumnFilter(INT96, [{ column: 'v', operator, value }]).mayPass(bounds);
    expect(may('eq', '1970-01-02T00:00:01Z')).toBe(true);
    expect(may('eq', '1970-01-02T00:00:00.9Z')).toBe(false);
    expect(may('gt', '1970-01-03T00:00:00.5Z')).toBe(false);
    expect(may('gt', '1970-01-03T00:00:00.4Z')).toBe(true);
    expect(may('lt', '1970-01-02T00:00:01Z')).toBe(false);
  });

  it.each([
    ['eq', 1, 'all', false],
    ['ne', 1, 'all', true],
    ['ne', 5, 'none', false],
    ['ne', 5, undefined, true],
    ['ne', 6, 'none', true],
  ] as const)('for %s %i with nulls: %s', (operator, value, nulls, expected) => {
    const filter = new ColumnFilter(INT64, [{ column: 'v', operator, value }]);
    expect(filter.mayPass({ low: 5n, high: 5n, nulls })).toBe(expected);
  });

  it('of doubles do not exclude NaN, which differs from every number', () => {
    const filter = new ColumnFilter(DOUBLE, [{ column: 'v', operator: 'ne', value: 5 }]);
    expect(filter.mayPass({ low: 5, high: 5, nulls: 'none' })).toBe(true);
  });

  it.each([
    [{ name: 'v', type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' }, '2024-01-01T00:00:00.0001Z', 'at most 3 digits'],
    [{ name: 'v', type: 'INT32', converted_type: 'TIME_MILLIS' }, '10:00:00.1234', 'at most 3 digits'],
    [
      { name: 'v', type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 2 },
      Number('1234567890123456.78'),
      'must be in quotes, to keep all its digits',
    ],
    [{ name: 'v', type: 'INT32', converted_type: 'TIME_MILLIS' }, '10 pm', 'must be a time such as'],
    [
      { name: 'v', type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } },
      'x',
      'must be a UUID',
    ],
  ] as const)('a value that a column cannot have is refused', (element, value, message) => {
    expect(() => new ColumnFilter(element, [{ column: 'v', operator: 'lt', value }])).toThrow(message);
  });
});

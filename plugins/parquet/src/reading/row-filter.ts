import type { SchemaElement, Statistics } from 'hyparquet';
import { logicalType } from './convert.ts';
import { parseDecimal, unscaled } from './decimals.ts';
import { int96Nanos, PER_SECOND } from './instants.ts';
import type { Convert, RawValue } from './stored-values.ts';

/** The comparisons of the parameter `filter`. */
export const OPERATORS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'] as const;

export type Operator = (typeof OPERATORS)[number];

/** A scalar of the config, or a list of scalars for `in`. */
export type FilterValue = string | number | boolean | readonly (string | number | boolean)[];

/** A comparison of a column with a value. Plain data. */
export interface Comparison {
  readonly column: string;
  readonly operator: Operator;
  readonly value: FilterValue;
}

/** A value that `<` orders: numbers, or bytes as hexadecimal digits. */
type Key = number | bigint | string;

/** Tests the rows and the row groups of a column. */
export class ColumnFilter {
  readonly #tests: readonly { readonly operator: Operator; readonly keys: readonly Key[] }[];
  /** False if the library converts the statistics of the type to numbers that are not exact. */
  readonly #hasBounds: boolean;

  /** Returns the key of a stored value. */
  readonly keyOf: Convert<Key>;

  /** Throws an error that says why a value cannot be compared with the column. */
  constructor(element: SchemaElement, comparisons: readonly Comparison[]) {
    this.keyOf = keyOf(element);
    this.#hasBounds = logicalType(element).type !== 'DECIMAL' && element.type !== 'INT96';
    this.#tests = comparisons.map(({ operator, value }) => ({
      operator,
      keys: (Array.isArray(value) ? value : [value]).map((one) => parseKey(one, element)),
    }));
  }

  /** Returns whether a row passes. A missing value passes no comparison but `ne`. */
  passes(key: Key | undefined): boolean {
    for (const { operator, keys } of this.#tests) if (!compare(key, operator, keys)) return false;
    return true;
  }

  /**
   * Returns whether a row group with these statistics may have rows that pass. The bounds are stored values, not
   * rounded towards the inside.
   */
  mayPass({ min_value, max_value }: Statistics): boolean {
    if (!this.#hasBounds || min_value === undefined || max_value === undefined) return true;
    const low = this.keyOf(min_value as RawValue);
    const high = this.keyOf(max_value as RawValue);
    return this.#tests.every(({ operator, keys }) => mayCompare(low, high, operator, keys));
  }
}

/** Returns whether a key between two bounds may pass. */
function mayCompare(low: Key, high: Key, operator: Operator, keys: readonly Key[]): boolean {
  const [key] = keys as readonly [Key];
  switch (operator) {
    case 'eq':
    case 'in':
      return keys.some((one) => one >= low && one <= high);
    case 'gt':
      return high > key;
    case 'gte':
      return high >= key;
    case 'lt':
      return low < key;
    case 'lte':
      return low <= key;
    case 'ne':
      return true;
  }
}

function compare(key: Key | undefined, operator: Operator, keys: readonly Key[]): boolean {
  if (key === undefined) return operator === 'ne';
  const [other] = keys as readonly [Key];
  switch (operator) {
    case 'eq':
    case 'in':
      // A number and a bigint with the same value are equal for ==, but not for ===.
      return keys.some((one) => one >= key && one <= key);
    case 'ne':
      return !(other >= key && other <= key);
    case 'gt':
      return key > other;
    case 'gte':
      return key >= other;
    case 'lt':
      return key < other;
    case 'lte':
      return key <= other;
  }
}

function keyOf(element: SchemaElement): Convert<Key> {
  const { type } = logicalType(element);
  if (type === 'DECIMAL') return (raw) => unscaled(raw as bigint);
  if (type === 'UNSIGNED') {
    return element.type === 'INT64'
      ? (raw) => BigInt.asUintN(64, BigInt(raw as bigint))
      : (raw) => (raw as number) >>> 0;
  }
  if (element.type === 'INT96') return (raw) => int96Nanos(raw as bigint);
  return (raw) => {
    if (raw instanceof Uint8Array) return hexOf(raw);
    return typeof raw === 'boolean' ? Number(raw) : raw;
  };
}

/** UTF-8 bytes have the order of their characters, and hexadecimal digits have the order of their bytes. */
function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

function parseKey(value: string | number | boolean, element: SchemaElement): Key {
  const logical = logicalType(element);
  const text = String(value);
  const wrong = (expected: string) => new Error(`${JSON.stringify(value)} must be ${expected}`);
  switch (logical.type) {
    case 'DECIMAL': {
      const key = parseDecimal(text, logical.scale);
      if (key === undefined) throw wrong(`a decimal with at most ${logical.scale} digits after the point`);
      return key;
    }
    case 'DATE': {
      const time = /^\d{4,}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
      if (Number.isNaN(time)) throw wrong('a date such as 2024-12-31');
      return time / 86_400_000;
    }
    case 'TIMESTAMP':
      return instantKey(text, PER_SECOND[logical.unit], wrong);
    case 'TEXT':
      return Buffer.from(text).toString('hex');
    case 'NONE':
    case 'UNSIGNED':
      break;
    default:
      throw new Error(`a column of type ${logical.type} cannot be filtered`);
  }
  switch (element.type) {
    case 'BOOLEAN':
      if (text !== 'true' && text !== 'false') throw wrong('true or false');
      return Number(text === 'true');
    case 'INT32':
    case 'INT64':
      if (!/^-?\d+$/.test(text)) throw wrong('a whole number');
      return BigInt(text);
    case 'INT96':
      return instantKey(text, PER_SECOND.NANOS, wrong);
    case 'FLOAT':
    case 'DOUBLE':
      if (text.trim() === '' || Number.isNaN(Number(text))) throw wrong('a number');
      return element.type === 'FLOAT' ? Math.fround(Number(text)) : Number(text);
    default:
      return Buffer.from(text).toString('hex');
  }
}

/** Returns an ISO instant in units since 1970. Without a zone, it is UTC. */
function instantKey(text: string, perSecond: number, wrong: (expected: string) => Error): bigint {
  const [, second, digits = ''] = /^(\d{4,}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?)(?:\.(\d{1,9}))?Z?$/.exec(text) ?? [];
  const millis = Date.parse(second?.includes('T') ? `${second}Z` : (second ?? ''));
  if (Number.isNaN(millis)) throw wrong('a date or an instant such as 2024-12-31T23:59:59.123Z');
  const nanos = BigInt(millis) * 1_000_000n + BigInt(digits.padEnd(9, '0'));
  return (nanos * BigInt(perSecond)) / 1_000_000_000n;
}

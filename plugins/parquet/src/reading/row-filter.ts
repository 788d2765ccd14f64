import { messageOf } from 'headrace/engine';
import type { SchemaElement } from 'hyparquet';
import { float16, logicalType } from './convert.ts';
import { parseDecimal, unscaled } from './decimals.ts';
import { int96Nanos, PER_SECOND } from './instants.ts';
import type { StoredBounds } from './stored-bounds.ts';
import type { Convert } from './stored-values.ts';

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

/** A decimal with at most so many digits does not change if it becomes a number and a text again. */
const EXACT_DIGITS = 15;

/** A value that `<` orders: numbers, or a text with a character for each byte. */
type Key = number | bigint | string;

/** Tests the rows and the row groups of a column. */
export class ColumnFilter {
  readonly #tests: readonly { readonly operator: Operator; readonly keys: readonly Key[] }[];
  /** Whether NaN is possible, which is not between bounds. */
  readonly #hasNaN: boolean;

  /** Returns the key of a stored value. */
  readonly keyOf: Convert<Key>;

  /** Throws an error that says why a value cannot be compared with the column. */
  constructor(element: SchemaElement, comparisons: readonly Comparison[]) {
    this.keyOf = keyOf(element);
    const { type } = element;
    this.#hasNaN = type === 'FLOAT' || type === 'DOUBLE' || logicalType(element).type === 'FLOAT16';
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

  /** Returns whether some of the values of a row group or a page may pass. */
  mayPass({ low, high, nulls }: StoredBounds): boolean {
    const bounds: Bounds = {
      low: low === undefined ? undefined : this.keyOf(low),
      high: high === undefined ? undefined : this.keyOf(high),
    };
    return this.#tests.every(({ operator, keys }) => {
      if (operator === 'ne') return nulls !== 'none' || this.#hasNaN || mayDiffer(bounds, keys[0] as Key);
      return nulls !== 'all' && mayCompare(bounds, operator, keys);
    });
  }
}

/** Returns the test of a column. Throws an error that names the column if a value cannot be compared with it. */
export function columnFilter(element: SchemaElement, comparisons: readonly Comparison[]): ColumnFilter {
  try {
    return new ColumnFilter(element, comparisons);
  } catch (error) {
    throw new Error(`filter.${element.name}: ${messageOf(error)}`, { cause: error });
  }
}

/** Bounds of keys; undefined if they are unknown. */
interface Bounds {
  readonly low: Key | undefined;
  readonly high: Key | undefined;
}

/** Returns whether a key between two bounds may be another one. */
function mayDiffer({ low, high }: Bounds, key: Key): boolean {
  return !(low !== undefined && high !== undefined && low >= key && high <= key);
}

/** Returns whether a key between two bounds may pass. */
function mayCompare({ low, high }: Bounds, operator: Exclude<Operator, 'ne'>, keys: readonly Key[]): boolean {
  const [key] = keys as readonly [Key];
  switch (operator) {
    case 'eq':
    case 'in':
      return keys.some((one) => (low === undefined || one >= low) && (high === undefined || one <= high));
    case 'gt':
      return high === undefined || high > key;
    case 'gte':
      return high === undefined || high >= key;
    case 'lt':
      return low === undefined || low < key;
    case 'lte':
      return low === undefined || low <= key;
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
  if (type === 'FLOAT16') return (raw) => float16(raw as Uint8Array);
  if (element.type === 'INT96') return (raw) => int96Nanos(raw as bigint);
  return (raw) => {
    if (raw instanceof Uint8Array) return bytesKey(raw);
    return typeof raw === 'boolean' ? Number(raw) : raw;
  };
}

/** UTF-8 bytes have the order of their characters. */
function bytesKey(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** Returns the key of a value of the config. Throws an error that says what the value must be. */
export function parseKey(value: string | number | boolean, element: SchemaElement): Key {
  const logical = logicalType(element);
  const text = String(value);
  const wrong = (expected: string) => new Error(`${JSON.stringify(value)} must be ${expected}`);
  switch (logical.type) {
    case 'DECIMAL': {
      if (typeof value === 'number' && digitsOf(value) > EXACT_DIGITS) throw wrong('in quotes, to keep all its digits');
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
    case 'TIME': {
      const [, clock, digits = ''] = /^(\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?$/.exec(text) ?? [];
      const millis = Date.parse(`1970-01-01T${clock}Z`);
      if (Number.isNaN(millis)) throw wrong('a time such as 23:59:59.123');
      return unitsOf(millis, digits, PER_SECOND[logical.unit], wrong);
    }
    case 'UUID':
      if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) {
        throw wrong('a UUID such as a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11');
      }
      return bytesKey(Buffer.from(text.replaceAll('-', ''), 'hex'));
    case 'FLOAT16':
      return Math.f16round(parseNumber(text, wrong));
    case 'TEXT':
      return bytesKey(Buffer.from(text));
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
      return element.type === 'FLOAT' ? Math.fround(parseNumber(text, wrong)) : parseNumber(text, wrong);
    default:
      return bytesKey(Buffer.from(text));
  }
}

/** Returns how many digits a number has, without zeros at the start. */
function digitsOf(value: number): number {
  return String(value).replace(/e.*$/, '').replaceAll(/[-.]/g, '').replace(/^0+/, '').length;
}

/** Returns an ISO instant in units since 1970. Without a zone, it is UTC. */
function instantKey(text: string, perSecond: number, wrong: (expected: string) => Error): bigint {
  const [, second, digits = ''] = /^(\d{4,}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?)(?:\.(\d{1,9}))?Z?$/.exec(text) ?? [];
  const millis = Date.parse(second?.includes('T') ? `${second}Z` : (second ?? ''));
  if (Number.isNaN(millis)) throw wrong('a date or an instant such as 2024-12-31T23:59:59.123Z');
  return unitsOf(millis, digits, perSecond, wrong);
}

/** @param digits the digits after the second */
function unitsOf(millis: number, digits: string, perSecond: number, wrong: (expected: string) => Error): bigint {
  const nanos = BigInt(millis) * 1_000_000n + BigInt(digits.padEnd(9, '0'));
  const perUnit = BigInt(PER_SECOND.NANOS / perSecond);
  // A fraction of a unit has no key, and the nearest one would let other rows pass.
  if (nanos % perUnit !== 0n)
    throw wrong(`written with at most ${String(perSecond).length - 1} digits after the second`);
  return nanos / perUnit;
}

function parseNumber(text: string, wrong: (expected: string) => Error): number {
  if (text.trim() === '' || Number.isNaN(Number(text))) throw wrong('a number');
  return Number(text);
}

import type { SchemaElement } from 'hyparquet';
import { logicalType } from './convert.ts';
import type { RawValue } from './stored-values.ts';
import { readThrift, type Thrift } from './thrift.ts';

/** What is known about the values of a column in a row group or a page. */
export interface StoredBounds {
  /** Stored values: none that is not null is smaller or larger. Undefined if unknown. */
  readonly low: RawValue | undefined;
  readonly high: RawValue | undefined;
  /** Whether all values are null, or none. Undefined if unknown. */
  readonly nulls: 'all' | 'none' | undefined;
}

/** The members of the union ColumnOrder. */
const TYPE_ORDER = 'field_1';
const FLOAT_ORDER = 'field_2';
const INT96_ORDER = 'field_3';

/**
 * The statistics of a footer. hyparquet converts those of decimals to doubles, and does not return the order of columns.
 */
export class FooterStatistics {
  readonly #footer: Thrift;

  /** @param footer the footer with the four bytes of its length and the four after them */
  constructor(footer: Uint8Array) {
    const view = new DataView(footer.buffer, footer.byteOffset, footer.byteLength - 8);
    this.#footer = readThrift({ view, offset: 0 });
  }

  /** Returns the order of the bounds of a column, by its position in the row groups. */
  orderOf(column: number): Thrift | undefined {
    return (this.#footer.field_7 as Thrift[] | undefined)?.[column];
  }

  /** Returns the bounds of a column in a row group, by their positions. */
  boundsOf(group: number, column: number, element: SchemaElement): StoredBounds {
    const chunks = (this.#footer.field_4 as Thrift[])[group]?.field_1 as Thrift[] | undefined;
    const about = chunks?.[column]?.field_3 as Thrift | undefined;
    const { field_1, field_2, field_3, field_5, field_6, field_7, field_8 } = (about?.field_12 ?? {}) as Thrift;
    const order = this.orderOf(column);
    const isTrusted = hasOrder(order, element);
    const old = isTrusted && isSigned(element);
    const nulls = field_3 === about?.field_5 ? 'all' : field_3 === 0n ? 'none' : undefined;
    // Bounds that are no values are shortened texts. The bytes of a shortened decimal would be another number.
    const isWhole = logicalType(element).type !== 'DECIMAL';
    const low = field_8 !== false || isWhole ? (field_6 ?? (old ? field_2 : undefined)) : undefined;
    const high = field_7 !== false || isWhole ? (field_5 ?? (old ? field_1 : undefined)) : undefined;
    return {
      low: isTrusted ? storedValue(low, element) : undefined,
      high: isTrusted ? storedValue(high, element) : undefined,
      nulls,
    };
  }
}

/**
 * Returns whether bounds have the order in which values are compared. Without a stated order, only types that have one
 * order are trusted: bytes, and numbers without a sign, were compared with a sign by some writers. INT96 needs its own
 * order, because many writers compared its bytes. (Source: ColumnOrder in parquet.thrift.)
 */
export function hasOrder(order: Thrift | undefined, element: SchemaElement): boolean {
  if (order === undefined) return isSigned(element);
  if (TYPE_ORDER in order) return element.type !== 'INT96';
  if (FLOAT_ORDER in order) return isFloat(element);
  return INT96_ORDER in order && element.type === 'INT96';
}

/** Returns whether all writers order the values of a type by their sign. */
function isSigned(element: SchemaElement): boolean {
  switch (element.type) {
    case 'BOOLEAN':
    case 'FLOAT':
    case 'DOUBLE':
      return true;
    case 'INT32':
    case 'INT64':
      return logicalType(element).type !== 'UNSIGNED';
    default:
      return false;
  }
}

function isFloat(element: SchemaElement): boolean {
  return element.type === 'FLOAT' || element.type === 'DOUBLE' || logicalType(element).type === 'FLOAT16';
}

/**
 * Returns a bound as a stored value; undefined if it is missing, has the wrong size, or is NaN, which has no place in
 * the order.
 */
export function storedValue(bytes: unknown, element: SchemaElement): RawValue | undefined {
  if (!(bytes instanceof Uint8Array)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = bytes.length;
  switch (element.type) {
    case 'BOOLEAN':
      return size === 1 ? bytes[0] === 1 : undefined;
    case 'INT32':
      return size === 4 ? view.getInt32(0, true) : undefined;
    case 'INT64':
      return size === 8 ? view.getBigInt64(0, true) : undefined;
    case 'INT96':
      return size === 12 ? (BigInt(view.getInt32(8, true)) << 64n) | view.getBigUint64(0, true) : undefined;
    case 'FLOAT':
      return size === 4 ? notNaN(view.getFloat32(0, true)) : undefined;
    case 'DOUBLE':
      return size === 8 ? notNaN(view.getFloat64(0, true)) : undefined;
  }
  switch (logicalType(element).type) {
    case 'DECIMAL':
      return size > 0 && (element.type === 'BYTE_ARRAY' || size === element.type_length) ? bytes : undefined;
    case 'FLOAT16':
      return size === 2 && !Number.isNaN(view.getFloat16(0, true)) ? bytes : undefined;
    default:
      return bytes;
  }
}

function notNaN(number: number): number | undefined {
  return Number.isNaN(number) ? undefined : number;
}

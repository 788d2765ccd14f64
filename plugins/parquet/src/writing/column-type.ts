import { Double, textOf, type Value, writeValue } from 'headrace/engine';
import type { ParquetWriter } from 'hyparquet-writer';

/** An element of the schema of a file. The library does not export its type. */
export type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

/** The types of the values of a column. */
export const CELL_TYPES = ['text', 'integer', 'number', 'boolean', 'timestamp', 'date', 'json', 'binary'] as const;
export type CellType = (typeof CELL_TYPES)[number];

/** What a column contains: one value, or a list of values. */
export interface ColumnType {
  readonly cell: CellType;
  readonly list: boolean;
}

/** A value between the threads, as JSON: long integers, NaN and bytes are texts. */
export type WireCell = string | number | boolean | null;

interface Cell {
  /** How values are stored. */
  readonly element: Omit<SchemaElement, 'name'>;
  /** Returns the value for the other thread. Returns undefined if the value does not have the type. */
  toWire(value: Value): WireCell | undefined;
  /** Returns the value for the library, which is an instance of the type that it expects. */
  fromWire(cell: WireCell): unknown;
}

const INTEGER = /^[-+]?\d+$/;
const DATE = /^[-+]?\d{4,6}-\d\d-\d\d$/;
const OFFSET = /(?:Z|[-+]\d\d(?::?\d\d)?)$/i;
const MICROS_PER_MILLI = 1000n;
const NANOS_PER_MICRO = 1000n;
const DAY_MILLIS = 86_400_000;

const CELLS: Readonly<Record<CellType, Cell>> = {
  text: {
    element: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
    toWire: (value) => (isObject(value) ? writeValue(value) : (textOf(value) as string)),
    fromWire: (cell) => cell,
  },
  integer: {
    element: { type: 'INT64' },
    toWire: (value) => {
      const integer = integerOf(value);
      if (integer === undefined || BigInt.asIntN(64, integer) !== integer) return undefined;
      return wireInteger(integer);
    },
    fromWire: (cell) => BigInt(cell as string | number),
  },
  number: {
    element: { type: 'DOUBLE' },
    toWire: (value) => {
      const number = numberOf(value);
      return number === undefined || Number.isFinite(number) ? number : String(number);
    },
    fromWire: Number,
  },
  boolean: {
    element: { type: 'BOOLEAN' },
    toWire: (value) => {
      if (typeof value === 'boolean') return value;
      const text = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
      return text === 'true' ? true : text === 'false' ? false : undefined;
    },
    fromWire: (cell) => cell,
  },
  timestamp: {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MICROS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    },
    toWire: (value) => {
      const micros = microsOf(value);
      return micros === undefined || BigInt.asIntN(64, micros) !== micros ? undefined : wireInteger(micros);
    },
    fromWire: (cell) => BigInt(cell as string | number),
  },
  date: {
    element: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
    toWire: (value) => {
      if (typeof value !== 'string') return undefined;
      const text = value.trim();
      const millis = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
      // Date.parse accepts February 30.
      if (Number.isNaN(millis) || !new Date(millis).toISOString().startsWith(text)) return undefined;
      return millis / DAY_MILLIS;
    },
    fromWire: (cell) => cell,
  },
  json: {
    element: { type: 'BYTE_ARRAY', logical_type: { type: 'JSON' } },
    toWire: (value) => writeValue(value),
    fromWire: (cell) => Buffer.from(cell as string),
  },
  binary: {
    element: { type: 'BYTE_ARRAY' },
    toWire: (value) => (value instanceof Uint8Array || typeof value === 'string' ? base64Of(value) : undefined),
    fromWire: (cell) => Buffer.from(cell as string, 'base64'),
  },
};

/** Returns the type of a column from its text in the config, such as `integer` or `text[]`. */
export function columnType(text: string): ColumnType | undefined {
  const list = text.endsWith('[]');
  const name = list ? text.slice(0, -2) : text;
  const cell = CELL_TYPES.find((type) => type === name);
  return cell === undefined ? undefined : { cell, list };
}

/** Returns the elements of a column in the schema of a file. Lists have three levels, as the specification says. */
export function columnElements(name: string, { cell, list }: ColumnType): SchemaElement[] {
  const { element } = CELLS[cell];
  if (!list) return [{ ...element, name, repetition_type: 'OPTIONAL' }];
  return [
    { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', logical_type: { type: 'LIST' }, num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { ...element, name: 'element', repetition_type: 'OPTIONAL' },
  ];
}

/**
 * Returns the value of a field as JSON for the thread that writes. Returns undefined if it does not have the type of
 * the column.
 */
export function toWire({ cell, list }: ColumnType, value: Value): string | undefined {
  const { toWire } = CELLS[cell];
  if (value === null) return 'null';
  if (cell === 'json' && !list) return JSON.stringify(toWire(value));
  const values = Array.isArray(value) ? value : [value];
  if (!list && values.length !== 1) return undefined;
  const cells = values.map((each) => (each === null ? null : toWire(each)));
  if (cells.includes(undefined)) return undefined;
  return JSON.stringify(list ? cells : cells[0]);
}

/** Returns the function that returns the values of a column for the library. */
export function wireReader({ cell, list }: ColumnType): (wire: WireCell | readonly WireCell[]) => unknown {
  const { fromWire } = CELLS[cell];
  if (!list) return (wire) => (wire === null ? null : fromWire(wire as WireCell));
  return (wire) =>
    wire === null ? null : (wire as readonly WireCell[]).map((each) => (each === null ? null : fromWire(each)));
}

function isObject(value: Value): boolean {
  return Array.isArray(value) || value instanceof Map;
}

function wireInteger(integer: bigint): number | string {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : String(integer);
}

function integerOf(value: Value): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' || value instanceof Double) {
    return Number.isInteger(Number(value)) ? BigInt(Number(value)) : undefined;
  }
  return typeof value === 'string' && INTEGER.test(value.trim()) ? BigInt(value.trim().replace('+', '')) : undefined;
}

function numberOf(value: Value): number | undefined {
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Double) return Number(value);
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return Number.isNaN(number) && value.trim() !== 'NaN' ? undefined : number;
}

/** Returns microseconds since 1970. Integers are milliseconds. A text without an offset is in UTC. */
function microsOf(value: Value): bigint | undefined {
  if (typeof value !== 'string') {
    const millis = typeof value === 'number' || typeof value === 'bigint' ? integerOf(value) : undefined;
    return millis === undefined ? undefined : millis * MICROS_PER_MILLI;
  }
  const text = value.trim();
  try {
    const instant = DATE.test(text)
      ? Temporal.Instant.from(`${text}T00:00Z`)
      : Temporal.Instant.from(OFFSET.test(text.slice(10)) ? text : `${text}Z`);
    return floorDivide(instant.epochNanoseconds, NANOS_PER_MICRO);
  } catch {
    return undefined;
  }
}

function floorDivide(a: bigint, b: bigint): bigint {
  return a < 0n && a % b !== 0n ? a / b - 1n : a / b;
}

function base64Of(value: Uint8Array | string): string | undefined {
  if (typeof value === 'string') {
    return Buffer.from(value, 'base64').toString('base64') === value ? value : undefined;
  }
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
}

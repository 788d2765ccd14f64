import { copyValue, double, readJson, type Value, widenFloat } from 'headrace/engine';
import type { SchemaElement } from 'hyparquet';
import { decimalText, unscaled } from './decimals.ts';
import { dateText, int96Nanos, type TimeUnit, timestampText, timeText } from './instants.ts';
import type { Convert, RawValue } from './page-reader.ts';

/** How values are converted that JSON cannot hold, or that have no type. */
export interface ConvertSettings {
  /** How decimals are written: as numbers, as texts with all digits, or as numbers if a double holds all digits. */
  readonly decimals: 'auto' | 'number' | 'text';
  /** Whether binary columns without a type are text in UTF-8. */
  readonly binaryAsText: boolean;
}

/** A double holds this number of decimal digits exactly. */
const EXACT_DIGITS = 15;

/** The logical type of a column, from either of the two places in which files store it. */
export type Logical =
  | { readonly type: 'TIMESTAMP' | 'TIME'; readonly unit: TimeUnit; readonly utc: boolean }
  | { readonly type: 'DECIMAL'; readonly scale: number; readonly precision: number }
  | { readonly type: 'UNSIGNED' | 'DATE' | 'TEXT' | 'JSON' | 'UUID' | 'FLOAT16' | 'INTERVAL' | 'NONE' };

const CONVERTED: Readonly<Record<string, Logical>> = {
  DATE: { type: 'DATE' },
  TIME_MILLIS: { type: 'TIME', unit: 'MILLIS', utc: true },
  TIME_MICROS: { type: 'TIME', unit: 'MICROS', utc: true },
  TIMESTAMP_MILLIS: { type: 'TIMESTAMP', unit: 'MILLIS', utc: true },
  TIMESTAMP_MICROS: { type: 'TIMESTAMP', unit: 'MICROS', utc: true },
  UINT_32: { type: 'UNSIGNED' },
  UINT_64: { type: 'UNSIGNED' },
  UTF8: { type: 'TEXT' },
  ENUM: { type: 'TEXT' },
  JSON: { type: 'JSON' },
  INTERVAL: { type: 'INTERVAL' },
};

/** Returns the logical type of a column. */
export function logicalType({
  logical_type: logical,
  converted_type,
  scale = 0,
  precision = 0,
}: SchemaElement): Logical {
  switch (logical?.type) {
    case 'TIMESTAMP':
    case 'TIME':
      return { type: logical.type, unit: logical.unit, utc: logical.isAdjustedToUTC };
    case 'DECIMAL':
      return { type: 'DECIMAL', scale: logical.scale, precision: logical.precision };
    case 'INTEGER':
      return { type: logical.isSigned ? 'NONE' : 'UNSIGNED' };
    case 'STRING':
    case 'ENUM':
      return { type: 'TEXT' };
    case 'DATE':
    case 'JSON':
    case 'UUID':
    case 'FLOAT16':
    case 'INTERVAL':
      return { type: logical.type };
  }
  if (converted_type === 'DECIMAL') return { type: 'DECIMAL', scale, precision };
  return CONVERTED[converted_type ?? ''] ?? { type: 'NONE' };
}

/** Returns the function that converts the stored values of a column to values of a field. */
export function converterOf(element: SchemaElement, settings: ConvertSettings): Convert<Value> {
  const logical = logicalType(element);
  switch (logical.type) {
    case 'TIMESTAMP': {
      const zone = logical.utc ? 'Z' : '';
      return (raw) => timestampText(BigInt(raw as bigint), logical.unit, zone);
    }
    case 'TIME':
      return (raw) => timeText(BigInt(raw as bigint), logical.unit);
    case 'DATE':
      return (raw) => dateText(Number(raw));
    case 'DECIMAL':
      return decimalConverter(logical.scale, logical.precision, settings.decimals);
    case 'UUID':
      return (raw) => uuidText(raw as Uint8Array);
    case 'FLOAT16':
      return (raw) => double(float16(raw as Uint8Array));
    case 'INTERVAL':
      return (raw) => interval(raw as Uint8Array);
    case 'JSON':
      return (raw) => readJson(utf8(raw as Uint8Array));
    case 'TEXT':
      return (raw) => utf8(raw as Uint8Array);
  }
  return plainConverter(element, logical.type === 'UNSIGNED', settings);
}

function plainConverter({ type }: SchemaElement, unsigned: boolean, { binaryAsText }: ConvertSettings): Convert<Value> {
  switch (type) {
    case 'INT32':
      return unsigned ? (raw) => (raw as number) >>> 0 : (raw) => raw as number;
    case 'INT64':
      return unsigned ? (raw) => exactInteger(BigInt.asUintN(64, raw as bigint)) : (raw) => exactInteger(raw as bigint);
    case 'INT96':
      return (raw) => timestampText(int96Nanos(raw as bigint), 'NANOS', 'Z');
    case 'FLOAT':
      return (raw) => double(widenFloat(raw as number));
    case 'DOUBLE':
      return (raw) => double(raw as number);
    case 'BYTE_ARRAY':
      return binaryAsText ? (raw) => utf8(raw as Uint8Array) : copyBytes;
    case 'FIXED_LEN_BYTE_ARRAY':
      return copyBytes;
    default:
      return (raw) => raw as boolean;
  }
}

/** The memory of the page is used again, so the bytes are copied. */
function copyBytes(raw: RawValue): Value {
  return copyValue(raw as Uint8Array);
}

/** Returns a number if it is exact, otherwise the bigint. */
function exactInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function decimalConverter(scale: number, precision: number, decimals: ConvertSettings['decimals']): Convert<Value> {
  const asText = decimals === 'text' || (decimals === 'auto' && precision > EXACT_DIGITS);
  if (asText) return (raw) => decimalText(unscaled(raw as bigint), scale);
  if (scale <= 0) return (raw) => exactInteger(unscaled(raw as bigint) * 10n ** BigInt(-scale));
  return (raw) => double(Number(decimalText(unscaled(raw as bigint), scale)));
}

function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function uuidText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function float16(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getFloat16(0, true);
}

/** Returns the three numbers of an interval, which no calendar relates to each other. */
function interval(bytes: Uint8Array): Value {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return new Map([
    ['months', view.getUint32(0, true)],
    ['days', view.getUint32(4, true)],
    ['millis', view.getUint32(8, true)],
  ]);
}

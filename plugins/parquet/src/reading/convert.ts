import { copyValue, double, readJson, type Value, widenFloat } from 'headrace/engine';
import type { SchemaElement } from 'hyparquet';
import { decimalText, decimalTexts, decimalTextsAt, unscaledAt, unscaledBlock } from './decimals.ts';
import {
  dateText,
  int96Nanos,
  int96Texts,
  PER_SECOND,
  type TimeUnit,
  timestampText,
  timestampTexts,
  timeText,
  timeTexts,
} from './instants.ts';
import { doubleBlock, floatBlock, halvesOf, int32Block, integerBlock, unsignedBlock } from './number-blocks.ts';
import type { Converter, RawValue } from './stored-values.ts';

/** How values are converted that JSON cannot hold, or that have no type. */
export interface ConvertSettings {
  /** How decimals are written: as numbers, as texts with all digits, or as numbers if a double holds all digits. */
  readonly decimals: 'auto' | 'number' | 'text';
  /** Whether binary columns without a type are text in UTF-8. */
  readonly binaryAsText: boolean;
}

/** A double holds this number of decimal digits exactly. */
const EXACT_DIGITS = 15;
/** The largest power of ten that a double holds exactly. */
const EXACT_POWER = 22;

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

/** Returns how the stored values of a column become values of a field. */
export function converterOf(element: SchemaElement, settings: ConvertSettings): Converter<Value> {
  const logical = logicalType(element);
  switch (logical.type) {
    case 'TIMESTAMP': {
      const { unit } = logical;
      const perSecond = PER_SECOND[unit];
      const zone = logical.utc ? ('Z' as const) : '';
      return {
        of: (raw) => timestampText(BigInt(raw as bigint), unit, zone),
        ofHalves: (halves, from, count) => timestampTexts(halves, from, count, perSecond, zone),
      };
    }
    case 'TIME': {
      const perSecond = PER_SECOND[logical.unit];
      return {
        of: (raw) => timeText(BigInt(raw as bigint), logical.unit),
        ofNumbers: (numbers, from, count) => timeTexts(halvesOf(numbers, from, count), 0, count, perSecond),
        ofHalves: (halves, from, count) => timeTexts(halves, from, count, perSecond),
      };
    }
    case 'DATE':
      return { of: (raw) => dateText(Number(raw)) };
    case 'DECIMAL':
      return decimalConverter(logical.scale, logical.precision, settings.decimals);
    case 'UUID':
      return { of: (raw) => uuidText(raw as Uint8Array) };
    case 'FLOAT16':
      return { of: (raw) => double(float16(raw as Uint8Array)) };
    case 'INTERVAL':
      return { of: (raw) => interval(raw as Uint8Array) };
    case 'JSON':
      return { of: (raw) => readJson(utf8(raw as Uint8Array)) };
    case 'TEXT':
      return TEXT;
  }
  return plainConverter(element, logical.type === 'UNSIGNED', settings);
}

const TEXT: Converter<Value> = {
  of: (raw) => utf8(raw as Uint8Array),
  ofBytes: (bytes, places) =>
    Array.from({ length: places.length / 2 }, (_, i) => bytes.toString('utf8', places[2 * i], places[2 * i + 1])),
  isText: true,
};

function plainConverter(
  { type }: SchemaElement,
  unsigned: boolean,
  { binaryAsText }: ConvertSettings,
): Converter<Value> {
  switch (type) {
    case 'INT32':
      return unsigned ? { of: (raw) => (raw as number) >>> 0 } : { of: (raw) => raw as number, ofNumbers: int32Block };
    case 'INT64':
      return unsigned
        ? { of: (raw) => exactInteger(BigInt.asUintN(64, raw as bigint)), ofHalves: unsignedBlock }
        : { of: (raw) => exactInteger(raw as bigint), ofHalves: integerBlock };
    case 'INT96':
      return { of: (raw) => timestampText(int96Nanos(raw as bigint), 'NANOS', 'Z'), ofBytes: int96Texts };
    case 'FLOAT':
      return { of: (raw) => double(widenFloat(raw as number)), ofNumbers: floatBlock };
    case 'DOUBLE':
      return { of: (raw) => double(raw as number), ofNumbers: doubleBlock };
    case 'BYTE_ARRAY':
      return binaryAsText ? TEXT : { of: copyBytes };
    case 'FIXED_LEN_BYTE_ARRAY':
      return { of: copyBytes };
    default:
      return { of: (raw) => raw as boolean };
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

function decimalConverter(scale: number, precision: number, decimals: ConvertSettings['decimals']): Converter<Value> {
  if (decimals === 'text' || (decimals === 'auto' && precision > EXACT_DIGITS)) {
    const of = (raw: RawValue) => decimalText(unscaled(raw as RawNumber), scale);
    if (scale < 0 || scale > MAX_WRITTEN_SCALE) return { of };
    return {
      of,
      ofNumbers: (numbers, from, count) => decimalTexts(halvesOf(numbers, from, count), 0, count, scale),
      ofHalves: (halves, from, count) => decimalTexts(halves, from, count, scale),
      ofBytes: (bytes, places) => decimalTextsAt(bytes, places, scale),
    };
  }
  const value = decimalNumber(scale);
  return {
    of: (raw) => value(unscaled(raw as RawNumber)),
    ofNumbers: (numbers, from, count) => replaced(int32Block(numbers, from, count), value),
    ofHalves: (halves, from, count) => replaced(integerBlock(halves, from, count), value),
    ofBytes: (bytes, places) => replaced(unscaledBlock(bytes, places), value),
  };
}

/** Replaces all values of an array. */
function replaced<T>(values: T[], by: (value: T) => Value): Value[] {
  const replaced: Value[] = values as never;
  for (let i = 0; i < values.length; i++) replaced[i] = by(values[i] as T);
  return replaced;
}

/** A larger scale, or a negative one, is that of a damaged or hostile file. */
const MAX_WRITTEN_SCALE = 1000;

type RawNumber = number | bigint | Uint8Array;

function unscaled(raw: RawNumber): number | bigint {
  return raw instanceof Uint8Array ? unscaledAt(raw, 0, raw.length) : raw;
}

/** Returns the function that returns the number of an unscaled one. */
function decimalNumber(scale: number): (unscaled: number | bigint) => Value {
  if (scale <= 0) return (raw) => exactInteger(BigInt(raw) * 10n ** BigInt(-scale));
  // The quotient of two exact numbers is the nearest double.
  const power = scale <= EXACT_POWER ? 10 ** scale : undefined;
  return (raw) =>
    double(typeof raw === 'number' && power !== undefined ? raw / power : Number(decimalText(raw, scale)));
}

function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function uuidText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Returns the number of a float of 16 bits. */
export function float16(bytes: Uint8Array): number {
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

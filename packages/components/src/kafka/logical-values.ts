import { base64, type Value } from '@headrace/engine';
import { exactDecimal } from '../fields/exact-decimal.ts';

const NANOS_PER_SECOND = 1_000_000_000n;
const SECONDS_PER_DAY = 86_400n;
const DAY_MS = 86_400_000;
/** ISO dates have years of four digits. */
const FIRST_SECOND = -62_167_219_200n;
const LAST_SECOND = 253_402_300_799n;

/** The number of nanoseconds of a unit. */
export const UNITS = { millis: 1_000_000n, micros: 1000n, nanos: 1n } as const;
export type Unit = keyof typeof UNITS;

/**
 * Returns the instant of a number of units since 1970, with all its digits: `2024-01-02T03:04:05.678901Z`. A value
 * outside the years 0 to 9999 stays a number, because databases use such values for infinity.
 * @param zone `Z`, or an empty text for a local time
 */
export function instantOf(value: Value, unit: Unit, zone: 'Z' | ''): Value {
  if (!isInteger(value)) return value;
  const nanos = BigInt(value) * UNITS[unit];
  const second = floorDivide(nanos, NANOS_PER_SECOND);
  if (second < FIRST_SECOND || second > LAST_SECOND) return value;
  const text = new Date(Number(second) * 1000).toISOString().slice(0, 19);
  return text + fractionOf(nanos - second * NANOS_PER_SECOND) + zone;
}

/** Returns the date of a number of days since 1970. */
export function dateOf(value: Value): Value {
  if (!isInteger(value)) return value;
  const second = BigInt(value) * SECONDS_PER_DAY;
  if (second < FIRST_SECOND || second > LAST_SECOND) return value;
  return new Date(Number(value) * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the time of day of a number of units since midnight: `03:04:05.678`. */
export function timeOf(value: Value, unit: Unit): Value {
  if (!isInteger(value)) return value;
  const nanos = BigInt(value) * UNITS[unit];
  const seconds = Number(floorDivide(nanos, NANOS_PER_SECOND));
  // Databases have 24:00:00.
  if (seconds < 0 || seconds > DAY_MS / 1000) return value;
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const text = `${two(seconds / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`;
  return text + fractionOf(nanos - BigInt(seconds) * NANOS_PER_SECOND);
}

/** Returns the decimal of a big-endian unscaled integer in two's complement, exact. */
export function decimalOf(bytes: Uint8Array, scale: number): Value {
  return exactDecimal(decimalText(unscaled(bytes), scale));
}

/** Returns the unscaled bytes of a decimal from their base64. Returns undefined if the text is not base64. */
export function bytesOfBase64(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  return base64(bytes) === text ? bytes : undefined;
}

function unscaled(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  return BigInt.asIntN(8 * bytes.length, BigInt(`0x${hex}`));
}

function decimalText(value: bigint, scale: number): string {
  if (scale <= 0) return `${value}${value === 0n ? '' : '0'.repeat(-scale)}`;
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function isInteger(value: Value): value is number | bigint {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

function floorDivide(value: bigint, by: bigint): bigint {
  return (value - (((value % by) + by) % by)) / by;
}

/** Returns a fraction of a second with three, six or nine digits. */
function fractionOf(nanos: bigint): string {
  if (nanos === 0n) return '';
  return `.${String(nanos)
    .padStart(9, '0')
    .replace(/(000){1,2}$/, '')}`;
}

import { quotientOf, restOf, UNIT_OF_HIGH } from './halves.ts';
import { type TextBlock, textOf, writeText, writeThreeDigits, writeTwoDigits } from './text-block.ts';

/** The units of Parquet's times, in units per second. */
export const PER_SECOND = { MILLIS: 1_000, MICROS: 1_000_000, NANOS: 1_000_000_000 } as const;

export type TimeUnit = keyof typeof PER_SECOND;

const SECONDS_PER_DAY = 86_400;
/** The days before and after 1970 that JavaScript's dates support. */
const MAX_DAYS = 100_000_000;

/** The texts of recent dates, by day. Columns repeat their dates, and creating a `Date` object is slow. */
const dates = new Map<number, string>();
const MAX_DATES = 100_000;

/** Returns a date as `2024-12-31`. */
export function dateText(days: number): string {
  let text = dates.get(days);
  if (text === undefined) {
    if (!(Math.abs(days) <= MAX_DAYS)) throw tooFar(days);
    text = new Date(days * SECONDS_PER_DAY * 1000).toISOString().slice(0, -'T00:00:00.000Z'.length);
    if (dates.size === MAX_DATES) dates.clear();
    dates.set(days, text);
  }
  return text;
}

function tooFar(days: number): RangeError {
  return new RangeError(`the date ${days} days from 1970 is too far away`);
}

/**
 * The dates of four digits for the year that were written last, each at its day modulo the number of them. Days are
 * small numbers near 1970, so those of a column do not share places.
 */
const DATES = 1 << 12;
const DATE_BYTES = 10;
const dayOfPlace = new Int32Array(DATES).fill(-(2 ** 31));
const dateAtPlace = new Uint8Array(DATES * DATE_BYTES);

/** Writes a date like `dateText`, and returns the position after it. */
function writeDate(bytes: Uint8Array, at: number, days: number): number {
  const place = days & (DATES - 1);
  const from = place * DATE_BYTES;
  if (dayOfPlace[place] !== days) {
    const text = dateText(days);
    if (text.length !== DATE_BYTES) return writeText(bytes, at, text);
    writeText(dateAtPlace, from, text);
    dayOfPlace[place] = days;
  }
  for (let i = 0; i < DATE_BYTES; i++) bytes[at + i] = dateAtPlace[from + i] as number;
  return at + DATE_BYTES;
}

/** The length of `+275760-09-13T00:00:00.000000000Z`. */
const LONGEST = 33;

/**
 * Returns a timestamp as `2024-12-31T23:59:59.123456`, with 0, 3, 6 or 9 digits after the second, as Java writes it.
 * @param zone the end of the text: `Z` for an instant, empty for a local time
 */
export function timestampText(time: bigint, unit: TimeUnit, zone: Zone): string {
  return textOf((to) => writeTimestamp(to, Number(time >> 32n), Number(time & LOW_32_BITS), unit, zone));
}

export type Zone = 'Z' | '';

/** Writes the text of a timestamp like `timestampText`, from its higher half and its lower one, which has no sign. */
export function writeTimestamp(to: TextBlock, high: number, low: number, unit: TimeUnit, zone: Zone): void {
  const perSecond = PER_SECOND[unit];
  const seconds = quotientOf(high, low, perSecond);
  writeInstant(to, seconds, restOf(low, seconds, perSecond), unit, zone);
}

/** Writes the text of an INT96: a Julian day, and the nanoseconds of the day in two halves. */
export function writeJulian(to: TextBlock, day: number, signedHigh: number, low: number): void {
  // Only a few nanoseconds before the day are meant as a negative number.
  const high = Number.isSafeInteger(signedHigh * UNIT_OF_HIGH + low) ? signedHigh : signedHigh >>> 0;
  const seconds = quotientOf(high, low, PER_SECOND.NANOS);
  const rest = restOf(low, seconds, PER_SECOND.NANOS);
  writeInstant(to, (day - JULIAN_DAY_OF_1970) * SECONDS_PER_DAY + seconds, rest, 'NANOS', 'Z');
}

/** Returns the text of an INT96 with the day in the highest 32 bits. */
export function int96Text(value: bigint): string {
  const [day, high, low] = [value >> 64n, BigInt.asIntN(32, value >> 32n), value & LOW_32_BITS].map(Number);
  return textOf((to) => writeJulian(to, day as number, high as number, low as number));
}

/** @param rest the fraction of the second in units */
function writeInstant(to: TextBlock, seconds: number, rest: number, unit: TimeUnit, zone: Zone): void {
  const days = Math.floor(seconds / SECONDS_PER_DAY);
  if (!(Math.abs(days) <= MAX_DAYS)) throw tooFar(days);
  const start = to.reserve(LONGEST);
  const bytes = to.bytes;
  let at = writeDate(bytes, start, days);
  writeClock(bytes, at, seconds - days * SECONDS_PER_DAY);
  at += CLOCK_BYTES;
  if (rest !== 0) at = writeFraction(bytes, at, rest, unit);
  if (zone !== '') bytes[at++] = 0x5a;
  to.end(at);
}

const LOW_32_BITS = 0xffff_ffffn;

/** Returns a time of day as `23:59:59.123456`. */
export function timeText(time: bigint, unit: TimeUnit): string {
  const [, text = ''] = timestampText(time, unit, '').split('T');
  return text;
}

const CLOCK_BYTES = 9;

/** Writes a time of day with the `T` before it. */
function writeClock(bytes: Uint8Array, at: number, second: number): void {
  const minute = (second / 60) | 0;
  const hour = (minute / 60) | 0;
  bytes[at] = 0x54;
  writeTwoDigits(bytes, at + 1, hour);
  bytes[at + 3] = COLON;
  writeTwoDigits(bytes, at + 4, minute - hour * 60);
  bytes[at + 6] = COLON;
  writeTwoDigits(bytes, at + 7, second - minute * 60);
}

const COLON = 0x3a;

/** Writes the fraction of a second with a dot, in as few groups of three digits as it needs. Returns the end. */
function writeFraction(bytes: Uint8Array, at: number, rest: number, unit: TimeUnit): number {
  const nanos = rest * (PER_SECOND.NANOS / PER_SECOND[unit]);
  const micros = (nanos / 1000) | 0;
  const millis = (micros / 1000) | 0;
  bytes[at] = 0x2e;
  writeThreeDigits(bytes, at + 1, millis);
  if (millis * 1_000_000 === nanos) return at + 4;
  writeThreeDigits(bytes, at + 4, micros - millis * 1000);
  if (micros * 1000 === nanos) return at + 7;
  writeThreeDigits(bytes, at + 7, nanos - micros * 1000);
  return at + 10;
}

const JULIAN_DAY_OF_1970 = 2_440_588;
const NANOS_PER_DAY = 86_400_000_000_000n;
const LOW_64_BITS = 0xffff_ffff_ffff_ffffn;

/** Returns the nanoseconds since 1970 of an INT96: the Julian day and the nanoseconds of the day. */
export function int96Nanos(value: bigint): bigint {
  return ((value >> 64n) - BigInt(JULIAN_DAY_OF_1970)) * NANOS_PER_DAY + (value & LOW_64_BITS);
}

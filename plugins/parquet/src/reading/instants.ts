import { quotientOf, restOf, UNIT_OF_HIGH } from './halves.ts';
import { TextBlock, THREE_DIGITS, wordOf, writeText } from './text-block.ts';

/** The units of Parquet's times, in units per second. */
export const PER_SECOND = { MILLIS: 1_000, MICROS: 1_000_000, NANOS: 1_000_000_000 } as const;

export type TimeUnit = keyof typeof PER_SECOND;
type PerSecond = (typeof PER_SECOND)[TimeUnit];

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
/** Three words for each date. */
const dateAtPlace = new Int32Array(3 * DATES);

/** Writes a date like `dateText` and up to two more bytes. Returns the position after the date. */
function writeDate(to: TextBlock, at: number, days: number): number {
  const { bytes, view } = to;
  const place = days & (DATES - 1);
  const first = 3 * place;
  if (dayOfPlace[place] !== days) {
    const text = dateText(days);
    if (text.length !== DATE_BYTES) return writeText(bytes, at, text);
    for (let i = 0; i < 3; i++) dateAtPlace[first + i] = wordOf(text.slice(4 * i));
    dayOfPlace[place] = days;
  }
  view.setInt32(at, dateAtPlace[first] as number, true);
  view.setInt32(at + 4, dateAtPlace[first + 1] as number, true);
  view.setInt32(at + 8, dateAtPlace[first + 2] as number, true);
  return at + DATE_BYTES;
}

/** The length of `+275760-09-13T00:00:00.000000000Z`, and what is written after it. */
const LONGEST = 33 + 4;

/**
 * Returns a timestamp as `2024-12-31T23:59:59.123456`, with 0, 3, 6 or 9 digits after the second, as Java writes it.
 * @param zone the end of the text: `Z` for an instant, empty for a local time
 */
export function timestampText(time: bigint, unit: TimeUnit, zone: Zone): string {
  const halves = Int32Array.of(Number(BigInt.asIntN(32, time)), Number(time >> 32n));
  return timestampTexts(halves, 0, 1, PER_SECOND[unit], zone)[0] as string;
}

/** Returns the texts of timestamps like `timestampText`, from their halves, of which the lower one is first. */
export function timestampTexts(
  halves: Int32Array,
  from: number,
  count: number,
  perSecond: PerSecond,
  zone: Zone,
): string[] {
  TEXTS.clear();
  for (let at = 2 * from; at < 2 * (from + count); at += 2) {
    const low = (halves[at] as number) >>> 0;
    const seconds = quotientOf(halves[at + 1] as number, low, perSecond);
    writeInstant(TEXTS, seconds, restOf(low, seconds, perSecond), perSecond, zone);
  }
  return TEXTS.takeAll();
}

/** It is cleared before use, because a date that cannot be written leaves those before it. */
const TEXTS = new TextBlock();

export type Zone = 'Z' | '';

/** Returns the texts of INT96 at pairs of positions: the nanoseconds of a day, and the Julian day. */
export function int96Texts(bytes: Buffer, places: Int32Array): string[] {
  TEXTS.clear();
  for (let i = 0; i < places.length; i += 2) {
    const at = places[i] as number;
    const low = bytes.readUInt32LE(at);
    const signed = bytes.readInt32LE(at + 4);
    // Only a few nanoseconds before the day are meant as a negative number.
    const high = Number.isSafeInteger(signed * UNIT_OF_HIGH + low) ? signed : signed >>> 0;
    const seconds = quotientOf(high, low, PER_SECOND.NANOS);
    const midnight = (bytes.readInt32LE(at + 8) - JULIAN_DAY_OF_1970) * SECONDS_PER_DAY;
    writeInstant(TEXTS, midnight + seconds, restOf(low, seconds, PER_SECOND.NANOS), PER_SECOND.NANOS, 'Z');
  }
  return TEXTS.takeAll();
}

/** @param rest the fraction of the second in units */
function writeInstant(to: TextBlock, seconds: number, rest: number, perSecond: PerSecond, zone: Zone): void {
  const days = Math.floor(seconds / SECONDS_PER_DAY);
  if (!(Math.abs(days) <= MAX_DAYS)) throw tooFar(days);
  const start = to.reserve(LONGEST);
  const { bytes, view } = to;
  let at = writeDate(to, start, days);
  writeClock(view, at, seconds - days * SECONDS_PER_DAY);
  at += CLOCK_BYTES;
  if (rest !== 0) at = writeFraction(view, at, rest * (PER_SECOND.NANOS / perSecond));
  if (zone !== '') bytes[at++] = 0x5a;
  to.end(at);
}

/** Returns a time of day as `23:59:59.123456`. */
export function timeText(time: bigint, unit: TimeUnit): string {
  return timeOf(timestampText(time, unit, ''));
}

/** Returns times of day like `timeText`, from their halves, of which the lower one is first. */
export function timeTexts(halves: Int32Array, from: number, count: number, perSecond: PerSecond): string[] {
  const texts = timestampTexts(halves, from, count, perSecond, '');
  for (let i = 0; i < count; i++) texts[i] = timeOf(texts[i] as string);
  return texts;
}

function timeOf(timestamp: string): string {
  return timestamp.slice(timestamp.indexOf('T') + 1);
}

const CLOCK_BYTES = 9;
/** Two words for each minute of a day: `T23:` and `59:`, which leaves one byte unused. */
const MINUTES = Int32Array.from({ length: 2 * 24 * 60 }, (_, i) => {
  const [hour, minute] = [Math.floor(i / 120), Math.floor(i / 2) % 60].map((n) => String(n).padStart(2, '0'));
  return wordOf(i % 2 === 0 ? `T${hour}:` : `${minute}:`);
});

/** Writes a time of day with the `T` before it, and up to two more bytes. */
function writeClock(view: DataView, at: number, second: number): void {
  const minute = (second / 60) | 0;
  view.setInt32(at, MINUTES[2 * minute] as number, true);
  view.setInt32(at + 4, MINUTES[2 * minute + 1] as number, true);
  view.setInt32(at + 7, (THREE_DIGITS[second - minute * 60] as number) >>> 8, true);
}

/**
 * Writes the fraction of a second with a dot, in as few groups of three digits as it needs, and one more byte. Returns
 * the position after the fraction.
 */
function writeFraction(view: DataView, at: number, nanos: number): number {
  const micros = (nanos / 1000) | 0;
  const millis = (micros / 1000) | 0;
  view.setUint8(at, DOT);
  view.setInt32(at + 1, THREE_DIGITS[millis] as number, true);
  if (millis * 1_000_000 === nanos) return at + 4;
  view.setInt32(at + 4, THREE_DIGITS[micros - millis * 1000] as number, true);
  if (micros * 1000 === nanos) return at + 7;
  view.setInt32(at + 7, THREE_DIGITS[nanos - micros * 1000] as number, true);
  return at + 10;
}

const DOT = 0x2e;

const JULIAN_DAY_OF_1970 = 2_440_588;
const NANOS_PER_DAY = 86_400_000_000_000n;
const LOW_64_BITS = 0xffff_ffff_ffff_ffffn;

/** Returns the nanoseconds since 1970 of an INT96: the Julian day and the nanoseconds of the day. */
export function int96Nanos(value: bigint): bigint {
  return ((value >> 64n) - BigInt(JULIAN_DAY_OF_1970)) * NANOS_PER_DAY + (value & LOW_64_BITS);
}

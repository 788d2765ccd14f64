import { type TextBlock, textOf } from './text-block.ts';

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
    if (!(Math.abs(days) <= MAX_DAYS)) throw new RangeError(`the date ${days} days from 1970 is too far away`);
    text = new Date(days * SECONDS_PER_DAY * 1000).toISOString().slice(0, -'T00:00:00.000Z'.length);
    if (dates.size === MAX_DATES) dates.clear();
    dates.set(days, text);
  }
  return text;
}

/**
 * Returns a timestamp as `2024-12-31T23:59:59.123456`, with 0, 3, 6 or 9 digits after the second, as Java writes it.
 * @param zone the end of the text: `Z` for an instant, empty for a local time
 */
export function timestampText(time: bigint, unit: TimeUnit, zone: string): string {
  return textOf((to) => writeHalves(to, Number(time >> 32n), Number(time & LOW_32_BITS), unit, zone));
}

/** Writes the text of a timestamp like `timestampText`, from its higher half and its lower one, which has no sign. */
export function writeHalves(to: TextBlock, high: number, low: number, unit: TimeUnit, zone: string): void {
  const perSecond = PER_SECOND[unit];
  const time = high * UNIT_OF_HIGH + low;
  let seconds: number;
  let rest: number;
  if (Number.isSafeInteger(time)) {
    seconds = Math.floor(time / perSecond);
    rest = time - seconds * perSecond;
  } else {
    // A long division, of which each step is exact.
    const first = Math.floor(high / perSecond);
    const second = (high - first * perSecond) * UNIT_OF_QUARTER + (low >>> 16);
    const third = (second % perSecond) * UNIT_OF_QUARTER + (low & 0xffff);
    seconds = first * UNIT_OF_HIGH + Math.floor(second / perSecond) * UNIT_OF_QUARTER + Math.floor(third / perSecond);
    rest = third % perSecond;
  }
  const days = Math.floor(seconds / SECONDS_PER_DAY);
  to.write(dateText(days));
  writeClock(to, seconds - days * SECONDS_PER_DAY);
  writeFraction(to, rest, unit);
  to.write(zone);
}

/** Returns the text of an instant: its Julian day, and the nanoseconds of the day in two halves. */
export function julianText(day: number, low: number, high: number): string {
  const nanos = high * UNIT_OF_HIGH + low;
  if (!Number.isSafeInteger(nanos)) {
    return timestampText(int96Nanos((BigInt(day) << 64n) | (BigInt(high >>> 0) << 32n) | BigInt(low)), 'NANOS', 'Z');
  }
  const seconds = Math.floor(nanos / PER_SECOND.NANOS);
  const days = Math.floor(seconds / SECONDS_PER_DAY);
  return textOf((to) => {
    to.write(dateText(day - Number(JULIAN_DAY_OF_1970) + days));
    writeClock(to, seconds - days * SECONDS_PER_DAY);
    writeFraction(to, nanos - seconds * PER_SECOND.NANOS, 'NANOS');
    to.write('Z');
  });
}

const LOW_32_BITS = 0xffff_ffffn;
const UNIT_OF_HIGH = 2 ** 32;
const UNIT_OF_QUARTER = 2 ** 16;

/** Returns a time of day as `23:59:59.123456`. */
export function timeText(time: bigint, unit: TimeUnit): string {
  const [, text = ''] = timestampText(time, unit, '').split('T');
  return text;
}

/** Writes a time of day with the `T` before it. */
function writeClock(to: TextBlock, second: number): void {
  const minute = Math.floor(second / 60);
  const hour = Math.floor(minute / 60);
  to.write('T');
  to.writeDigits(hour, 2);
  to.write(':');
  to.writeDigits(minute - hour * 60, 2);
  to.write(':');
  to.writeDigits(second - minute * 60, 2);
}

/** Writes the fraction of a second with a dot, in 3, 6 or 9 digits; nothing for zero. */
function writeFraction(to: TextBlock, rest: number, unit: TimeUnit): void {
  if (rest === 0) return;
  let digits = unit === 'MILLIS' ? 3 : unit === 'MICROS' ? 6 : 9;
  let value = rest;
  // A fraction is shown with as few groups of three digits as it needs.
  while (value % 1000 === 0) {
    value /= 1000;
    digits -= 3;
  }
  to.write('.');
  to.writeDigits(value, digits);
}

const JULIAN_DAY_OF_1970 = 2_440_588n;
const NANOS_PER_DAY = 86_400_000_000_000n;
const LOW_64_BITS = 0xffff_ffff_ffff_ffffn;

/** Returns the nanoseconds since 1970 of an INT96: the Julian day and the nanoseconds of the day. */
export function int96Nanos(value: bigint): bigint {
  return ((value >> 64n) - JULIAN_DAY_OF_1970) * NANOS_PER_DAY + (value & LOW_64_BITS);
}

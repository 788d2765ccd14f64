/** The units of Parquet's times, in units per second. */
export const PER_SECOND = { MILLIS: 1_000, MICROS: 1_000_000, NANOS: 1_000_000_000 } as const;

export type TimeUnit = keyof typeof PER_SECOND;

const SECONDS_PER_DAY = 86_400;
/** The days before and after 1970 that JavaScript's dates support. */
const MAX_DAYS = 100_000_000;

const TWO_DIGITS = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, '0'));

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
  const perSecond = PER_SECOND[unit];
  const number = Number(time);
  let seconds: number;
  let rest: number;
  if (Number.isSafeInteger(number)) {
    seconds = Math.floor(number / perSecond);
    rest = number - seconds * perSecond;
  } else {
    rest = Number(time % BigInt(perSecond));
    if (rest < 0) rest += perSecond;
    seconds = Number((time - BigInt(rest)) / BigInt(perSecond));
  }
  const days = Math.floor(seconds / SECONDS_PER_DAY);
  return `${dateText(days)}T${clock(seconds - days * SECONDS_PER_DAY)}${fraction(rest, unit)}${zone}`;
}

/** Returns a time of day as `23:59:59.123456`. */
export function timeText(time: bigint, unit: TimeUnit): string {
  const [, text = ''] = timestampText(time, unit, '').split('T');
  return text;
}

function clock(second: number): string {
  const minute = Math.floor(second / 60);
  const hour = Math.floor(minute / 60);
  return `${TWO_DIGITS[hour]}:${TWO_DIGITS[minute - hour * 60]}:${TWO_DIGITS[second - minute * 60]}`;
}

/** Returns the fraction of a second with a dot, in 3, 6 or 9 digits; empty for zero. */
function fraction(rest: number, unit: TimeUnit): string {
  if (rest === 0) return '';
  let digits = 3;
  let value = unit === 'MILLIS' ? rest : rest / 1000;
  if (unit === 'NANOS') value /= 1000;
  // A fraction in milliseconds is shown with as few groups of three digits as it needs.
  if (!Number.isInteger(value)) {
    digits = unit === 'NANOS' && rest % 1000 !== 0 ? 9 : 6;
    value = digits === 9 ? rest : unit === 'NANOS' ? rest / 1000 : rest;
  }
  return `.${String(value).padStart(digits, '0')}`;
}

const JULIAN_DAY_OF_1970 = 2_440_588n;
const NANOS_PER_DAY = 86_400_000_000_000n;
const LOW_64_BITS = 0xffff_ffff_ffff_ffffn;

/** Returns the nanoseconds since 1970 of an INT96: the Julian day and the nanoseconds of the day. */
export function int96Nanos(value: bigint): bigint {
  return ((value >> 64n) - JULIAN_DAY_OF_1970) * NANOS_PER_DAY + (value & LOW_64_BITS);
}

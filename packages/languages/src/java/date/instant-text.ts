import { civilOf } from './calendar.ts';

const TWO_DIGITS: readonly string[] = Array.from({ length: 100 }, (_, n) => (n < 10 ? `0${n}` : `${n}`));

/**
 * Returns the ISO text of an instant in UTC, as Java writes it. The text always has seconds, and a fraction of 0, 3, 6
 * or 9 digits. Years have at least four digits, with a `+` after year 9999 and a `-` before year 0.
 * @param epochSeconds seconds since 1970-01-01T00:00:00Z
 * @param nanos nanoseconds of that second, 0 to 999,999,999
 */
export function formatInstant(epochSeconds: bigint | number, nanos: number): string {
  if (typeof epochSeconds === 'number') {
    const epochDay = Math.floor(epochSeconds / 86_400);
    return formatUtc(epochDay, epochSeconds - epochDay * 86_400, nanos);
  }
  const secondOfDay = ((epochSeconds % 86_400n) + 86_400n) % 86_400n;
  return formatUtc(Number((epochSeconds - secondOfDay) / 86_400n), Number(secondOfDay), nanos);
}

/** Returns the same text as `formatInstant`, for a day and a second of the day. Exact for every year of Java. */
export function formatUtc(epochDay: number, secondOfDay: number, nanos: number): string {
  const { year, month, day } = civilOf(epochDay);
  const hour = (secondOfDay / 3600) | 0;
  const minute = ((secondOfDay / 60) | 0) % 60;
  const date = `${yearText(year)}-${TWO_DIGITS[month]}-${TWO_DIGITS[day]}`;
  const time = `${TWO_DIGITS[hour]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[secondOfDay % 60]}`;
  return `${date}T${time}${nanos === 0 ? '' : fractionText(nanos)}Z`;
}

function yearText(year: number): string {
  if (year >= 1000 && year <= 9999) return String(year);
  if (year < 0) return `-${String(-year).padStart(4, '0')}`;
  return year > 9999 ? `+${year}` : String(year).padStart(4, '0');
}

function fractionText(nanos: number): string {
  const digits = String(nanos).padStart(9, '0');
  if (nanos % 1_000_000 === 0) return `.${digits.slice(0, 3)}`;
  return nanos % 1000 === 0 ? `.${digits.slice(0, 6)}` : `.${digits}`;
}

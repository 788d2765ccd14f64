/// <reference lib="esnext.temporal" />
import { carryDay, civilOf, epochDayOf } from './calendar.ts';
import { type LocalDate, readCommonDate } from './common-date.ts';
import { type DateZone, UTC } from './date-zone.ts';

/** An instant in UTC. */
export interface Instant {
  /** Days since 1970-01-01. */
  readonly epochDay: number;
  readonly secondOfDay: number;
  /** The nanosecond of the second, 0 to 999,999,999. */
  readonly nanos: number;
}

const ISO_DATE = /^[+-]?\d{4,6}-\d\d-\d\d(?:[Tt ]\d\d:\d\d\S*)?$/;
const ISO_OFFSET = /[Tt ].*(?:[Zz]|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)$/;

/**
 * Reads a date or an instant in ISO form: `2024-01-02`, `2024-01-02T03:04:05`, `2024-01-02 03:04:05.678901+02:00`.
 * Returns undefined for any other text.
 * @param zone the zone of a text without an offset. A date without a time is midnight there.
 */
export function readInstant(text: string, zone: DateZone = UTC): Instant | undefined {
  const common = readCommonDate(text);
  if (common !== undefined) return instantOf(common, common.isUtc ? UTC : zone);
  if (!ISO_DATE.test(text)) return undefined;
  try {
    if (ISO_OFFSET.test(text)) return instantOfNanos(Temporal.Instant.from(text).epochNanoseconds);
    const { year, month, day, hour, minute, second, millisecond, microsecond, nanosecond } =
      Temporal.PlainDateTime.from(text);
    const secondOfDay = hour * 3600 + minute * 60 + second;
    const nanos = millisecond * 1_000_000 + microsecond * 1000 + nanosecond;
    return instantOf({ year, month, day, secondOfDay, nanos }, zone);
  } catch (error) {
    // The day or hour does not exist.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function instantOf({ year, month, day, secondOfDay, nanos }: LocalDate, zone: DateZone): Instant {
  const epochDay = epochDayOf(year, month, day);
  if (zone === UTC) return { epochDay, secondOfDay, nanos };
  const offset = zone.offsetAt(year, epochDay, secondOfDay, false);
  const start = carryDay(epochDay, secondOfDay - offset);
  return { epochDay: start.epochDay, secondOfDay: start.secondOfDay, nanos };
}

/** Returns the instant this many milliseconds after 1970-01-01 in UTC, or undefined beyond the supported years. */
export function instantOfMillis(millis: number | bigint): Instant | undefined {
  const whole = typeof millis === 'bigint' ? millis : BigInt(Math.floor(millis));
  const instant = instantOfNanos(whole * 1_000_000n);
  const { year } = civilOf(instant.epochDay);
  return Math.abs(year) > MOST_YEARS ? undefined : instant;
}

/** The largest year of an ISO text. */
const MOST_YEARS = 999_999;
const NANOS_PER_SECOND = 1_000_000_000n;

function instantOfNanos(epochNanos: bigint): Instant {
  const nanos = ((epochNanos % NANOS_PER_SECOND) + NANOS_PER_SECOND) % NANOS_PER_SECOND;
  const seconds = Number((epochNanos - nanos) / NANOS_PER_SECOND);
  return { ...carryDay(0, seconds), nanos: Number(nanos) };
}

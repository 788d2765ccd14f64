import {
  type CivilDate,
  civilOf,
  dayOfWeekOf,
  epochDayOf,
  floorMod,
  isLeapYear,
  localizedDayOfWeek,
  MAX_YEAR,
  monthLength,
  type WeekRule,
  weekBasedDate,
  weekBasedYearOf,
  weekOfMonth,
  weekOfWeekBasedYear,
  weeksInWeekBasedYear,
} from './calendar.ts';
import { type DateFields, Field } from './date-fields.ts';

const MJD_OF_EPOCH = 40_587;
const NANOS_PER_DAY = 86_400_000_000_000;
const MILLIS_PER_DAY = 86_400_000;

/** Means that the fields of a text contradict each other, or are outside their ranges. */
export const INVALID = Symbol('invalid');
/** Means that the fields are valid, but incomplete. */
export const MISSING = Symbol('missing');

type Found<T> = T | typeof INVALID | typeof MISSING;

/**
 * Returns the time of day in seconds, and whether it is the midnight at the day's end (`24:00`). The nanoseconds stay
 * in the field. Java's smart resolution. A text without an hour means midnight; the hour comes from `H`, `k`, `h` or
 * `K` with `a`, or a count since midnight.
 */
export function resolveTime(fields: DateFields): Found<number> {
  if (fields.has(Field.clockHour)) {
    const hour = fields.get(Field.clockHour);
    if (hour < 0 || hour > 24 || !fields.put(Field.hour, hour % 24)) return INVALID;
  }
  if (fields.has(Field.clockHourOfAmPm)) {
    const hour = fields.get(Field.clockHourOfAmPm);
    if (hour < 0 || hour > 12 || !fields.put(Field.hourOfAmPm, hour % 12)) return INVALID;
  }
  if (fields.has(Field.amPm) && fields.has(Field.hourOfAmPm)) {
    const hour = fields.get(Field.hourOfAmPm);
    if (hour < 0 || hour > 11 || !fields.put(Field.hour, fields.get(Field.amPm) * 12 + hour)) return INVALID;
  }
  if (!splitCounts(fields)) return INVALID;
  if (!fields.has(Field.hour)) fields.put(Field.hour, 0);

  const hour = fields.get(Field.hour);
  const minute = fields.has(Field.minute) ? fields.get(Field.minute) : 0;
  const second = fields.has(Field.second) ? fields.get(Field.second) : 0;
  const nano = fields.has(Field.nano) ? fields.get(Field.nano) : 0;
  const midnight = hour === 24 && minute === 0 && second === 0 && nano === 0;
  if (!inRange(hour, midnight ? 24 : 23) || !inRange(minute, 59) || !inRange(second, 59)) return INVALID;
  if (!inRange(nano, 999_999_999)) return INVALID;
  const hourOfDay = hour % 24;
  if (fields.has(Field.amPm) && fields.get(Field.amPm) !== Math.floor(hourOfDay / 12)) return INVALID;
  if (fields.has(Field.hourOfAmPm) && fields.get(Field.hourOfAmPm) !== hourOfDay % 12) return INVALID;
  // A small unit without all larger units is not a time.
  if (!fields.has(Field.minute) && (fields.has(Field.second) || fields.has(Field.nano))) return MISSING;
  if (fields.has(Field.nano) && !fields.has(Field.second)) return MISSING;
  return hour * 3600 + minute * 60 + second;
}

/** Turns counts since midnight into hour, minute, second and nanosecond. */
function splitCounts(fields: DateFields): boolean {
  if (fields.has(Field.nanoOfDay)) {
    const nanos = fields.get(Field.nanoOfDay);
    if (nanos >= NANOS_PER_DAY || !putSecondOfDay(fields, Math.floor(nanos / 1e9))) return false;
    if (!fields.put(Field.nano, nanos % 1e9)) return false;
  }
  if (fields.has(Field.milliOfDay)) {
    const millis = fields.get(Field.milliOfDay);
    if (millis >= MILLIS_PER_DAY || !putSecondOfDay(fields, Math.floor(millis / 1000))) return false;
    const nano = (millis % 1000) * 1e6;
    // If the text also has nanoseconds, they are kept, and must agree with the milliseconds.
    if (!fields.has(Field.nano)) fields.put(Field.nano, nano);
    else if (fields.get(Field.nano) - (fields.get(Field.nano) % 1e6) !== nano) return false;
  }
  return true;
}

function putSecondOfDay(fields: DateFields, second: number): boolean {
  return (
    fields.put(Field.hour, Math.floor(second / 3600)) &&
    fields.put(Field.minute, Math.floor(second / 60) % 60) &&
    fields.put(Field.second, second % 60)
  );
}

function inRange(value: number, max: number): boolean {
  return value >= 0 && value <= max;
}

/**
 * Returns the day of the fields, as days since 1970, with Java's smart resolution. Days 29 to 31 beyond the end of a
 * month mean its last day. Every other field of the text must agree with the date.
 */
export function resolveDate(fields: DateFields, rule: WeekRule): Found<number> {
  if (!resolveEra(fields)) return INVALID;
  if (fields.has(Field.localizedDayOfWeek)) {
    const position = fields.get(Field.localizedDayOfWeek);
    if (position < 1 || position > 7) return INVALID;
    if (!fields.put(Field.dayOfWeek, floorMod(rule.firstDay + position - 2, 7) + 1)) return INVALID;
  }
  const epochDay = findDate(fields, rule);
  if (typeof epochDay !== 'number') return epochDay;
  return agrees(fields, rule, epochDay) ? epochDay : INVALID;
}

/** Turns a year of an era into a year. */
function resolveEra(fields: DateFields): boolean {
  if (!fields.has(Field.yearOfEra)) return true;
  const year = fields.get(Field.yearOfEra);
  if (year < 1 || year > MAX_YEAR) return false;
  let common = !fields.has(Field.era) || fields.get(Field.era) === 1;
  // Without an era, the sign of the other year field may show the era.
  if (!fields.has(Field.era) && fields.has(Field.year)) common = fields.get(Field.year) > 0;
  return fields.put(Field.year, common ? year : 1 - year);
}

function findDate(fields: DateFields, rule: WeekRule): Found<number> {
  if (fields.has(Field.year)) {
    const year = fields.get(Field.year);
    if (fields.has(Field.month)) {
      if (fields.has(Field.dayOfMonth)) return dateOfMonth(fields, year);
      if (fields.has(Field.dayOfWeek)) {
        if (fields.has(Field.alignedWeekOfMonth)) return dateOfAlignedWeek(fields, year);
        if (fields.has(Field.weekOfMonth)) return dateOfWeekOfMonth(fields, rule, year);
      }
    }
    if (fields.has(Field.dayOfYear)) {
      const day = fields.get(Field.dayOfYear);
      if (!validYear(year) || day < 1 || day > (isLeapYear(year) ? 366 : 365)) return INVALID;
      return epochDayOf(year, 1, 1) + day - 1;
    }
  } else if (fields.has(Field.weekBasedYear) && fields.has(Field.weekOfWeekBasedYear) && fields.has(Field.dayOfWeek)) {
    const year = fields.get(Field.weekBasedYear);
    const week = fields.get(Field.weekOfWeekBasedYear);
    if (!validYear(year) || week < 1 || week > weeksInWeekBasedYear(rule, year)) return INVALID;
    return weekBasedDate(rule, year, week, localizedDayOfWeek(rule, fields.get(Field.dayOfWeek)));
  }
  if (fields.has(Field.modifiedJulianDay)) return fields.get(Field.modifiedJulianDay) - MJD_OF_EPOCH;
  return MISSING;
}

function validYear(year: number): boolean {
  return year >= -MAX_YEAR && year <= MAX_YEAR;
}

function validMonth(year: number, month: number): boolean {
  return validYear(year) && month >= 1 && month <= 12;
}

function dateOfMonth(fields: DateFields, year: number): Found<number> {
  const month = fields.get(Field.month);
  const day = fields.get(Field.dayOfMonth);
  if (!validMonth(year, month) || day < 1 || day > 31) return INVALID;
  const clamped = day > 28 ? Math.min(day, monthLength(year, month)) : day;
  fields.drop(Field.dayOfMonth);
  return epochDayOf(year, month, clamped);
}

/** Returns the given day of the week in the nth seven days of a month. */
function dateOfAlignedWeek(fields: DateFields, year: number): Found<number> {
  const month = fields.get(Field.month);
  const week = fields.get(Field.alignedWeekOfMonth);
  if (!validMonth(year, month) || week < 1 || week > 5) return INVALID;
  const start = epochDayOf(year, month, 1) + (week - 1) * 7;
  fields.drop(Field.month);
  fields.drop(Field.year);
  fields.drop(Field.alignedWeekOfMonth);
  return start + floorMod(fields.get(Field.dayOfWeek) - dayOfWeekOf(start), 7);
}

function dateOfWeekOfMonth(fields: DateFields, rule: WeekRule, year: number): Found<number> {
  const month = fields.get(Field.month);
  const week = fields.get(Field.weekOfMonth);
  if (!validMonth(year, month) || week > 6) return INVALID;
  const first = epochDayOf(year, month, 1);
  const weeks = week - weekOfMonth(rule, first, { year, month, day: 1 });
  const position = localizedDayOfWeek(rule, fields.get(Field.dayOfWeek));
  fields.drop(Field.month);
  fields.drop(Field.year);
  fields.drop(Field.weekOfMonth);
  return first + weeks * 7 + position - localizedDayOfWeek(rule, dayOfWeekOf(first));
}

const PLAIN_DATE = (1 << Field.year) | (1 << Field.month) | (1 << Field.yearOfEra);
const TIME_FIELDS =
  (1 << Field.amPm) |
  (1 << Field.hour) |
  (1 << Field.clockHour) |
  (1 << Field.hourOfAmPm) |
  (1 << Field.clockHourOfAmPm) |
  (1 << Field.minute) |
  (1 << Field.second) |
  (1 << Field.nano) |
  (1 << Field.milliOfDay) |
  (1 << Field.nanoOfDay) |
  (1 << Field.offset);

/** Returns whether the fields that the date did not need agree with it. */
function agrees(fields: DateFields, rule: WeekRule, epochDay: number): boolean {
  // Most patterns have only a year, a month and a day, so there is nothing to compare.
  if ((fields.present & ~(PLAIN_DATE | TIME_FIELDS)) === 0) return true;
  const date: CivilDate = civilOf(epochDay);
  const { year, month, day } = date;
  const is = (field: Field, value: () => number): boolean => !fields.has(field) || fields.get(field) === value();
  return (
    is(Field.era, () => (year > 0 ? 1 : 0)) &&
    is(Field.year, () => year) &&
    is(Field.quarter, () => Math.floor((month + 2) / 3)) &&
    is(Field.month, () => month) &&
    is(Field.dayOfMonth, () => day) &&
    is(Field.dayOfYear, () => epochDay - epochDayOf(year, 1, 1) + 1) &&
    is(Field.dayOfWeek, () => dayOfWeekOf(epochDay)) &&
    is(Field.alignedWeekOfMonth, () => Math.floor((day - 1) / 7) + 1) &&
    is(Field.modifiedJulianDay, () => epochDay + MJD_OF_EPOCH) &&
    is(Field.weekBasedYear, () => weekBasedYearOf(rule, epochDay, year)) &&
    is(Field.weekOfWeekBasedYear, () => weekOfWeekBasedYear(rule, epochDay, year)) &&
    is(Field.weekOfMonth, () => weekOfMonth(rule, epochDay, date))
  );
}

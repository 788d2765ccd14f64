// The proleptic ISO calendar on plain numbers, because Temporal objects would take longer than parsing a text.

/** The largest year, positive or negative, of Java's date classes. */
export const MAX_YEAR = 999_999_999;

const DAYS_PER_ERA = 146_097;

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Returns the days of `month` (1–12) in `year`. */
export function monthLength(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

// Below, `| 0` rounds small positive numbers down. V8 compiles it to an integer division.

/**
 * Returns the days from 1970-01-01 to the given date (month and day from 1). Algorithm: H. Hinnant, "days_from_civil".
 */
export function epochDayOf(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = (y - era * 400) | 0;
  const dayOfYear = (((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) | 0) + day - 1;
  const dayOfEra = yearOfEra * 365 + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra - 719_468;
}

export interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Returns the date `epochDay` days after 1970-01-01. Algorithm: H. Hinnant, "civil_from_days". */
export function civilOf(epochDay: number): CivilDate {
  const shifted = epochDay + 719_468;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = (shifted - era * DAYS_PER_ERA) | 0;
  const leapDays = ((dayOfEra / 1460) | 0) - ((dayOfEra / 36_524) | 0) + ((dayOfEra / 146_096) | 0);
  const yearOfEra = ((dayOfEra - leapDays) / 365) | 0;
  const dayOfYear = dayOfEra - (365 * yearOfEra + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0));
  const shiftedMonth = ((5 * dayOfYear + 2) / 153) | 0;
  const day = dayOfYear - (((153 * shiftedMonth + 2) / 5) | 0) + 1;
  const month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9);
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

/** Returns the day of the week: Monday is 1, Sunday 7. */
export function dayOfWeekOf(epochDay: number): number {
  return floorMod(epochDay + 3, 7) + 1;
}

export function floorMod(value: number, divisor: number): number {
  return value - Math.floor(value / divisor) * divisor;
}

/** The week rule of a region: the ISO day on which weeks begin, and the minimum number of days in the first week. */
export interface WeekRule {
  readonly firstDay: number;
  readonly minimalDays: number;
}

/** Returns the position of an ISO day of the week in the region's week, from 1. */
export function localizedDayOfWeek(rule: WeekRule, isoDayOfWeek: number): number {
  return floorMod(isoDayOfWeek - rule.firstDay, 7) + 1;
}

/** Returns the epoch day on which week 1 of a week-based year begins. */
function weekBasedYearStart(rule: WeekRule, year: number): number {
  return weekOneStart(rule, epochDayOf(year, 1, 1));
}

function weekOneStart(rule: WeekRule, firstDayOfPeriod: number): number {
  const position = localizedDayOfWeek(rule, dayOfWeekOf(firstDayOfPeriod)) - 1;
  const daysInFirstWeek = 7 - position;
  return firstDayOfPeriod - position + (daysInFirstWeek >= rule.minimalDays ? 0 : 7);
}

export function weeksInWeekBasedYear(rule: WeekRule, year: number): number {
  return (weekBasedYearStart(rule, year + 1) - weekBasedYearStart(rule, year)) / 7;
}

/** Returns the epoch day of a week-based date; `dayOfWeek` counts in the region's week, from 1. */
export function weekBasedDate(rule: WeekRule, year: number, week: number, dayOfWeek: number): number {
  return weekBasedYearStart(rule, year) + (week - 1) * 7 + dayOfWeek - 1;
}

export function weekBasedYearOf(rule: WeekRule, epochDay: number, year: number): number {
  if (epochDay < weekBasedYearStart(rule, year)) return year - 1;
  return epochDay < weekBasedYearStart(rule, year + 1) ? year : year + 1;
}

export function weekOfWeekBasedYear(rule: WeekRule, epochDay: number, year: number): number {
  const start = weekBasedYearStart(rule, weekBasedYearOf(rule, epochDay, year));
  return Math.floor((epochDay - start) / 7) + 1;
}

/** Returns the week of the month, from 0 for a first week that has too few days. */
export function weekOfMonth(rule: WeekRule, epochDay: number, date: CivilDate): number {
  return Math.floor((epochDay - weekOneStart(rule, epochDay - date.day + 1)) / 7) + 1;
}

/** Moves a second outside its day to the right day. Returns the day and the second. */
export function carryDay(epochDay: number, second: number): { epochDay: number; secondOfDay: number } {
  const days = Math.floor(second / 86_400);
  return { epochDay: epochDay + days, secondOfDay: floorMod(second, 86_400) };
}

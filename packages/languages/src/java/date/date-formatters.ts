import { carryDay, epochDayOf, monthLength } from './calendar.ts';
import { compileDatePattern, type DatePattern } from './date-pattern.ts';
import type { DateZone } from './date-zone.ts';
import { formatInstant, formatUtc } from './instant-text.ts';

/** Finds a date in a text and returns its instant in ISO form, or undefined if the text has none. */
export type DateFormatter = (text: string, zone: DateZone) => string | undefined;

const JAVA_PACKAGE = 'com.kmwllc.lucille.stage.dateformatters.';

/** Created at its first use, because the names of the months take 20 ms and every run loads this module. */
let monthDayYear: DatePattern | undefined;

/** Finds `February 3, 2021`. The year is literal: `February 3, 21` is in the year 21. */
export function dateMonthStrFormatter(text: string, zone: DateZone): string | undefined {
  const found = /\b\w+ \d{1,2}, \d{1,4}/.exec(text)?.[0];
  if (found === undefined) return undefined;
  monthDayYear ??= compileDatePattern('MMMM d, y');
  return monthDayYear.parse(found, zone);
}

/** Finds `2021|2|3`. */
export function datePipeFormatter(text: string, zone: DateZone): string | undefined {
  const found = /(\d{1,4})\|(\d{1,2})\|(\d{1,2})/.exec(text);
  if (found?.[1]?.length !== 4) return undefined;
  return midnight(Number(found[1]), Number(found[2]), Number(found[3]), zone);
}

/** Finds `1998-1999` and returns the first day of the first year. */
export function dateTwoYearsFormatter(text: string, zone: DateZone): string | undefined {
  const found = /\d{1,4}\W\d{1,4}/.exec(text)?.[0].slice(0, 4);
  return found !== undefined && /^\d{4}$/.test(found) ? midnight(Number(found), 1, 1, zone) : undefined;
}

/** Reads a text that is only a year of two to four digits, meant literally. Returns the first day of that year. */
export function dateYearOnlyFormatter(text: string, zone: DateZone): string | undefined {
  return /^\d{2,4}$/.test(text) ? midnight(Number(text), 1, 1, zone) : undefined;
}

const LARGEST_LONG = 2n ** 63n - 1n;

/** Reads a text that is only a number of milliseconds since 1970. */
export function unixTimestampFormatter(text: string): string | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const millis = BigInt(text.startsWith('+') ? text.slice(1) : text);
  if (millis > LARGEST_LONG || millis < -LARGEST_LONG - 1n) return undefined;
  const ofSecond = ((millis % 1000n) + 1000n) % 1000n;
  return formatInstant((millis - ofSecond) / 1000n, Number(ofSecond) * 1_000_000);
}

function midnight(year: number, month: number, day: number, zone: DateZone): string | undefined {
  if (month < 1 || month > 12 || day < 1 || day > monthLength(year, month)) return undefined;
  const date = epochDayOf(year, month, day);
  const { epochDay, secondOfDay } = carryDay(date, -zone.offsetAt(year, date, 0, false));
  return formatUtc(epochDay, secondOfDay, 0);
}

/** The formatters, by their short name and by the Java class name of the reference. */
export const DATE_FORMATTERS: ReadonlyMap<string, DateFormatter> = new Map(
  Object.entries({
    DateMonthStrFormatter: dateMonthStrFormatter,
    DatePipeFormatter: datePipeFormatter,
    DateTwoYearsFormatter: dateTwoYearsFormatter,
    DateYearOnlyFormatter: dateYearOnlyFormatter,
    UnixTimestampFormatter: unixTimestampFormatter,
  }).flatMap(([name, formatter]): [string, DateFormatter][] => [
    [name, formatter],
    [JAVA_PACKAGE + name, formatter],
  ]),
);

import {
  civilOf,
  dayOfWeekOf,
  epochDayOf,
  localizedDayOfWeek,
  type WeekRule,
  weekBasedYearOf,
  weekOfMonth,
  weekOfWeekBasedYear,
} from './calendar.ts';
import { Field } from './date-fields.ts';
import { type Element, Kind, Sign } from './pattern-element.ts';

/** An instant in the local time of a zone. */
export interface LocalTime {
  /** Days since 1970-01-01. */
  readonly epochDay: number;
  readonly secondOfDay: number;
  /** The nanosecond of the second, 0 to 999,999,999. */
  readonly nanos: number;
  /** The offset from UTC in seconds, positive to the east. */
  readonly offset: number;
  readonly zoneId: string;
}

/** Returns the text of a time in a pattern. Throws if a number has more digits than its letters allow, as Java does. */
export function writeElements(elements: readonly Element[], time: LocalTime, rule: WeekRule): string {
  let text = '';
  for (const element of elements) text += writeElement(element, time, rule);
  return text;
}

function writeElement(element: Element, time: LocalTime, rule: WeekRule): string {
  switch (element.kind) {
    case Kind.literal:
      return element.text;
    case Kind.twoDigits:
    case Kind.number:
      return writeNumber(element, fieldOf(element.field, time, rule));
    case Kind.reducedYear:
      return String(Math.abs(fieldOf(element.field, time, rule) % 100)).padStart(2, '0');
    case Kind.fraction:
      return String(time.nanos).padStart(9, '0').slice(0, element.max);
    case Kind.name: {
      const value = fieldOf(element.field, time, rule);
      return element.names.find((named) => named.value === value)?.name ?? String(value);
    }
    case Kind.offset:
      return writeOffset(element, time.offset);
    case Kind.localizedOffset:
      return writeLocalizedOffset(element.long, time.offset);
    case Kind.zoneId:
      return time.zoneId;
    case Kind.zoneName:
      throw new Error('Names of zones are not written');
    case Kind.optional:
      return writeElements(element.inner, time, rule);
    case Kind.padded: {
      const text = writeElements(element.inner, time, rule);
      if (text.length > element.min) throw new Error(`"${text}" is longer than the ${element.min} characters for it`);
      return text.padStart(element.min, ' ');
    }
  }
}

function writeNumber({ min, max, sign }: Element, value: number): string {
  const digits = String(Math.abs(value));
  if (digits.length > max || (value < 0 && sign === Sign.none)) {
    throw new Error(`${value} does not fit into ${max} digits`);
  }
  const padded = digits.padStart(min, '0');
  if (value < 0) return `-${padded}`;
  return sign === Sign.plusBeyondWidth && digits.length > min ? `+${padded}` : padded;
}

/** Returns the hours, minutes and seconds of an offset, each with two digits. */
function partsOf(offset: number): readonly [sign: string, hours: string, minutes: string, seconds: string] {
  const total = Math.abs(offset);
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(total / 60) % 60;
  return [offset < 0 ? '-' : '+', two(Math.floor(total / 3600)), two(minutes), two(total % 60)];
}

function writeOffset({ text, minutes: always, seconds: allowed, colon }: Element, offset: number): string {
  const [sign, hours, minutes, seconds] = partsOf(offset);
  const between = colon ? ':' : '';
  const isShort = hours === '00' && minutes === '00' && !(allowed && seconds !== '00');
  if (isShort) return text;
  let written = sign + hours;
  const withSeconds = allowed && seconds !== '00';
  if (always || minutes !== '00') written += between + minutes;
  return withSeconds ? written + between + seconds : written;
}

function writeLocalizedOffset(long: boolean, offset: number): string {
  if (offset === 0) return 'GMT';
  const [sign, hours, minutes, seconds] = partsOf(offset);
  const rest = seconds === '00' ? '' : `:${seconds}`;
  if (long) return `GMT${sign}${hours}:${minutes}${rest}`;
  return `GMT${sign}${Number(hours)}${minutes === '00' && rest === '' ? '' : `:${minutes}${rest}`}`;
}

const MODIFIED_JULIAN_DAYS = 40_587;

function fieldOf(field: Field, { epochDay, secondOfDay, nanos, offset }: LocalTime, rule: WeekRule): number {
  const date = civilOf(epochDay);
  const { year, month, day } = date;
  const hour = Math.floor(secondOfDay / 3600);
  switch (field) {
    case Field.era:
      return year > 0 ? 1 : 0;
    case Field.yearOfEra:
      return year > 0 ? year : 1 - year;
    case Field.year:
      return year;
    case Field.weekBasedYear:
      return weekBasedYearOf(rule, epochDay, year);
    case Field.quarter:
      return Math.floor((month + 2) / 3);
    case Field.month:
      return month;
    case Field.weekOfWeekBasedYear:
      return weekOfWeekBasedYear(rule, epochDay, year);
    case Field.weekOfMonth:
      return weekOfMonth(rule, epochDay, date);
    case Field.alignedWeekOfMonth:
      return Math.floor((day - 1) / 7) + 1;
    case Field.dayOfYear:
      return epochDay - epochDayOf(year, 1, 1) + 1;
    case Field.dayOfMonth:
      return day;
    case Field.modifiedJulianDay:
      return epochDay + MODIFIED_JULIAN_DAYS;
    case Field.dayOfWeek:
      return dayOfWeekOf(epochDay);
    case Field.localizedDayOfWeek:
      return localizedDayOfWeek(rule, dayOfWeekOf(epochDay));
    case Field.amPm:
      return hour < 12 ? 0 : 1;
    case Field.hour:
      return hour;
    case Field.clockHour:
      return hour === 0 ? 24 : hour;
    case Field.hourOfAmPm:
      return hour % 12;
    case Field.clockHourOfAmPm:
      return hour % 12 === 0 ? 12 : hour % 12;
    case Field.minute:
      return Math.floor(secondOfDay / 60) % 60;
    case Field.second:
      return secondOfDay % 60;
    case Field.nano:
      return nanos;
    case Field.milliOfDay:
      return secondOfDay * 1000 + Math.floor(nanos / 1_000_000);
    case Field.nanoOfDay:
      return secondOfDay * 1_000_000_000 + nanos;
    case Field.offset:
      return offset;
  }
}

import type { DateZone } from './date-zone.ts';

/** The fields that a pattern can read, numbered as bits of `DateFields.present`. */
export const Field = {
  era: 0,
  yearOfEra: 1,
  year: 2,
  weekBasedYear: 3,
  quarter: 4,
  month: 5,
  weekOfWeekBasedYear: 6,
  weekOfMonth: 7,
  alignedWeekOfMonth: 8,
  dayOfYear: 9,
  dayOfMonth: 10,
  modifiedJulianDay: 11,
  dayOfWeek: 12,
  localizedDayOfWeek: 13,
  amPm: 14,
  hour: 15,
  clockHour: 16,
  hourOfAmPm: 17,
  clockHourOfAmPm: 18,
  minute: 19,
  second: 20,
  nano: 21,
  milliOfDay: 22,
  nanoOfDay: 23,
  offset: 24,
} as const;

export type Field = (typeof Field)[keyof typeof Field];

/** The fields that one parse has found so far. All parses of a pattern reuse one object. */
export class DateFields {
  /** The fields that have a value, as bits. */
  present = 0;
  readonly values: number[] = new Array<number>(25).fill(0);
  zone: DateZone | undefined = undefined;
  /** True if the name of the zone selects the later instant of an ambiguous local time. */
  later = false;

  clear(): void {
    this.present = 0;
    this.zone = undefined;
    this.later = false;
  }

  has(field: Field): boolean {
    return (this.present & (1 << field)) !== 0;
  }

  get(field: Field): number {
    return this.values[field] as number;
  }

  /** Sets a field. Returns false if it already has another value. */
  put(field: Field, value: number): boolean {
    const bit = 1 << field;
    if ((this.present & bit) !== 0) return this.values[field] === value;
    this.present |= bit;
    this.values[field] = value;
    return true;
  }

  drop(field: Field): void {
    this.present &= ~(1 << field);
  }
}

import { double, integer, type Value, widenFloat } from '@headrace/engine';
import { instantOfDate } from '@headrace/languages/java/sql';
import type { ValueSettings } from '../database.ts';
import { RowTooLarge } from '../row-limit.ts';

/** Converts a value of the driver. */
export type SqlServerReader = (value: unknown) => Value;

/**
 * Throws if a value of a row may have been cut. A text counts with two bytes for each character.
 * @param longest the size at which the server cuts
 */
export function requireWhole(row: readonly unknown[], longest: number): void {
  for (const value of row) {
    if (
      typeof value === 'string' ? 2 * value.length >= longest : value instanceof Uint8Array && value.length >= longest
    )
      throw new RowTooLarge();
  }
}

/** Returns the reader for the values of a column, by the name of its type. It returns null for NULL. */
export function sqlServerReader(type: string, column: string, values: ValueSettings): SqlServerReader {
  const read = readerOf(type, column, values);
  return (value) => (value === null || value === undefined ? null : read(value));
}

function readerOf(type: string, column: string, { forms, report }: ValueSettings): SqlServerReader {
  switch (type) {
    case 'BigInt':
      // The driver returns a text, because a number would be inexact.
      return (value) => integer(BigInt(value as string));
    case 'Decimal':
    case 'Numeric':
    case 'Money':
    case 'SmallMoney':
    case 'Float':
      return (value) => double(Number(value));
    case 'Real':
      return (value) => double(widenFloat(Number(value)));
    case 'Date':
      return (value) => {
        if (!(value instanceof Date)) return plain(value);
        const date = dateOf(value);
        if (forms.dates === 'plain') return date;
        const instant = instantOfDate(value);
        if (!instant.startsWith(date)) {
          report?.('date.shifted', { field: column, value: date, hint: `It became ${instant}` });
        }
        return instant;
      };
    case 'Time':
      return (value) => (value instanceof Date ? timeOf(value) : plain(value));
    default:
      return plain;
  }
}

function plain(value: unknown): Value {
  if (value instanceof Date) return instantOfDate(value);
  if (value instanceof Uint8Array) return new Uint8Array(value);
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'number':
    case 'bigint':
      return value;
    default:
      // Points and shapes are written as JSON text.
      return JSON.stringify(value);
  }
}

/** Returns the local date, which is the value of a column of type date. */
function dateOf(date: Date): string {
  const two = (n: number) => String(n).padStart(2, '0');
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Returns the local time of day, which is the value of a column of type time. */
function timeOf(date: Date): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const millis = date.getMilliseconds();
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return millis === 0 ? time : `${time}.${String(millis).padStart(3, '0')}`;
}

/** Returns the text of an id. */
export function sqlServerIdText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return value instanceof Date ? instantOfDate(value) : String(value);
}

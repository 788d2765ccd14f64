import { double, integer, type Value, widenFloat } from '@headrace/engine';
import type { ColumnValues } from '../column-values.ts';
import type { MysqlSettings } from './mysql-settings.ts';

/** A column in the description of `mysql2`. */
export interface MysqlColumn {
  readonly name: string;
  readonly columnType?: number | undefined;
  readonly columnLength?: number | undefined;
  readonly characterSet?: number | undefined;
}

/** A value of `mysql2`. Dates, decimals and integers beyond 2^53 are texts. */
export type MysqlValue = null | number | string | Buffer | object;

type Reader = (value: MysqlValue) => Value;

// The numbers of the column types in the protocol (MySQL internals, "Column Definition").
const DECIMAL = 0;
const TINY = 1;
const FLOAT = 4;
const DOUBLE = 5;
const TIMESTAMP = 7;
const LONGLONG = 8;
const DATE = 10;
const DATETIME = 12;
const YEAR = 13;
const BIT = 16;
const NEWDECIMAL = 246;

/** Returns the reader for the values of a column. It returns null for NULL. */
export function mysqlReader(column: MysqlColumn, settings: MysqlSettings, values: ColumnValues): Reader {
  const read = readerOf(column, settings, values);
  return (value) => (value === null ? null : read(value));
}

function readerOf(
  { name, columnType, columnLength }: MysqlColumn,
  settings: MysqlSettings,
  values: ColumnValues,
): Reader {
  const { times } = values;
  switch (columnType) {
    case TINY:
      return settings.tinyIsBoolean && columnLength === 1 ? (value) => Number(value) !== 0 : Number;
    case LONGLONG:
      return (value) => (typeof value === 'number' ? value : integer(BigInt(value as string)));
    case DECIMAL:
    case NEWDECIMAL: {
      const read = values.decimal(name);
      return (value) => read(value as string);
    }
    case DOUBLE:
      return (value) => double(Number(value));
    case FLOAT:
      return (value) => double(widenFloat(Number(value)));
    case DATE: {
      const read = values.date(name);
      return (value) => read(value as string);
    }
    case DATETIME:
    case TIMESTAMP:
      return (value) => times.instant(value as string);
    case YEAR:
      return settings.yearIsDate ? yearReader(values.date(name)) : Number;
    case BIT:
      return columnLength === 1 ? (value) => (value as Buffer)[0] !== 0 : plain;
    default:
      return plain;
  }
}

function yearReader(read: (date: string) => Value): Reader {
  return (value) => read(`${String(value).padStart(4, '0')}-01-01`);
}

function plain(value: MysqlValue): Value {
  if (typeof value !== 'object' || value === null) return value;
  return value instanceof Uint8Array ? new Uint8Array(value) : JSON.stringify(value);
}

/** Returns the text of an id. */
export function mysqlIdText(value: MysqlValue): string | null {
  if (value === null) return null;
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);
}

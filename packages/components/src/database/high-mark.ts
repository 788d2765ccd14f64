import { Double, HeadraceError, type Value } from '@headrace/engine';
import type { Database, DatabaseConnection, Row, SqlParameter } from './database.ts';
import { columnOf } from './row-documents.ts';

/** A value of the column of an incremental query, without loss of precision. It is plain data. */
export interface HighMark {
  readonly kind: 'integer' | 'decimal' | 'text';
  readonly text: string;
}

/** A query with values for its `?`. */
export interface BoundQuery {
  /** The query with the placeholders that the database expects, such as `$1`. */
  readonly text: string;
  readonly parameters: readonly SqlParameter[];
}

const ALIAS = 'headrace_rows';
/**
 * The casts for values in MySQL. Without a cast, MySQL compares a text and an integer as doubles, which is inexact
 * beyond 2^53. `DECIMAL(65, 30)` is its largest decimal type.
 */
const MYSQL_CASTS = { integer: 'UNSIGNED', decimal: 'DECIMAL(65, 30)', text: undefined } as const;

/** Returns the mark for the initial value in the config, for the first run. */
export function initialMark(text: string): HighMark {
  if (/^-?\d+$/.test(text)) return { kind: 'integer', text };
  return { kind: /^-?\d+\.\d+$/.test(text) ? 'decimal' : 'text', text };
}

/** Returns the query with the mark as the value of each `?`. Throws `HR_CONNECTOR_FAILED` if the query has no `?`. */
export function bindMark({ driver, kind }: Database, sql: string, mark: HighMark): BoundQuery {
  const { text, parameters } = driver.prepare(sql, kind === 'mysql' ? mysqlPlaceholder(mark) : undefined);
  if (parameters === 0) {
    throw new HeadraceError('HR_CONNECTOR_FAILED', 'sql has no ? for the value that incremental remembers', {
      hint: 'Write WHERE column >= ?. A ? in a text or in a comment does not count.',
    });
  }
  return { text, parameters: new Array(parameters).fill(kind === 'sqlite' ? sqliteParameter(mark) : mark.text) };
}

function mysqlPlaceholder({ kind, text }: HighMark): string | undefined {
  const type = kind === 'integer' && text.startsWith('-') ? 'SIGNED' : MYSQL_CASTS[kind];
  return type === undefined ? undefined : `CAST(? AS ${type})`;
}

function sqliteParameter({ kind, text }: HighMark): SqlParameter {
  if (kind === 'text') return text;
  return kind === 'integer' ? BigInt(text) : Number(text);
}

/**
 * Returns the highest value of a column in the result of a query, in the order of the database, or undefined if there
 * are no rows.
 * Call it before reading the query. Otherwise a row that is added in between would count as read, and be missed.
 */
export async function highestMark(
  connection: DatabaseConnection,
  { kind }: Database,
  query: BoundQuery,
  column: string,
): Promise<HighMark | undefined> {
  // The line break ends a comment at the end of the query, so that the bracket is not part of it.
  const rows = `FROM (${query.text.replace(/[;\s]+$/, '')}\n) ${ALIAS}`;
  const { parameters } = query;
  const none = { text: `SELECT * ${rows} WHERE 1 = 0`, parameters: parameters.length };
  const { columns } = await connection.query(none, parameters);
  const label = columns[columnOf(columns, column)];
  if (label === undefined) {
    throw new HeadraceError(
      'HR_CONNECTOR_FAILED',
      `The result has no column ${column}, which incremental.column names`,
      { hint: `Its columns are ${columns.join(', ')}.` },
    );
  }
  const quote = kind === 'mysql' ? '`' : '"';
  const name = quote + label.replaceAll(quote, quote + quote) + quote;
  // The query is streamed, because a stream may take longer than a small query. The second column is the value in the
  // spelling of the database.
  const stream = await connection.stream(`SELECT MAX(${ALIAS}.${name}) AS highest ${rows}`, parameters);
  let found: Row | undefined;
  for await (const batch of stream.rows(0)) found ??= batch[0];
  await stream.close();
  const [value = null, text = null] = found ?? [];
  if (text === null) return undefined;
  if (value === null) {
    throw new HeadraceError('HR_CONNECTOR_FAILED', `The highest value of the column ${column} is ${text}`, {
      hint: `Nothing would be newer. Exclude such rows: AND ${column} < '9999-01-01'.`,
    });
  }
  if (typeof value === 'object' && !(value instanceof Double)) {
    throw new HeadraceError(
      'HR_CONNECTOR_FAILED',
      `The column ${column}, which incremental.column names, has neither numbers nor dates nor texts`,
      { hint: 'Choose a column that only grows: a serial number, or the time of the last change.' },
    );
  }
  return { kind: kind === 'postgres' ? 'text' : kindOf(value), text: text as string };
}

function kindOf(value: Value): HighMark['kind'] {
  if (typeof value === 'bigint' || typeof value === 'boolean' || Number.isSafeInteger(value)) return 'integer';
  return typeof value === 'number' || value instanceof Double ? 'decimal' : 'text';
}

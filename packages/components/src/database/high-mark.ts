import { Double, HeadraceError, type Value } from '@headrace/engine';
import type { Database, DatabaseConnection, Row, SqlParameter } from './database.ts';
import { columnOf } from './row-documents.ts';

/** A value of the column of an incremental query, exactly as the database has it. Plain data. */
export interface HighMark {
  readonly kind: 'integer' | 'decimal' | 'text';
  readonly text: string;
}

/** A query whose `?` are bound. */
export interface BoundQuery {
  /** In the form of the database. */
  readonly text: string;
  readonly parameters: readonly SqlParameter[];
}

const ALIAS = 'headrace_rows';
/**
 * MySQL compares a text with an integer as doubles: beyond 2^53 that is inexact. Its largest decimals have this form.
 */
const MYSQL_CASTS = { integer: 'UNSIGNED', decimal: 'DECIMAL(65, 30)', text: undefined } as const;

/** The mark for a value in the config, for the first run. */
export function initialMark(text: string): HighMark {
  if (/^-?\d+$/.test(text)) return { kind: 'integer', text };
  return { kind: /^-?\d+\.\d+$/.test(text) ? 'decimal' : 'text', text };
}

/** The query with the mark for each `?`. Throws `HR_CONNECTOR_FAILED` if it has none. */
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
 * The highest value of a column in the result of a query, in the order of the database; undefined if there is none.
 * Call it before the query is read: then no row up to this value is missing there.
 */
export async function highestMark(
  connection: DatabaseConnection,
  { kind }: Database,
  query: BoundQuery,
  column: string,
): Promise<HighMark | undefined> {
  // A comment at the end must not hide the bracket.
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
  // Streamed, because a stream may take longer than a small query. The second column is the value as the database
  // writes it.
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

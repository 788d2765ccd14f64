import type { ParameterProblem } from '@headrace/engine';
import { isSqlServer } from './driver-class.ts';

/** The parameters of a connector for incremental reading. */
interface IncrementalSettings {
  readonly sql: string;
  readonly connectionString: string;
  readonly incremental?: { readonly column: string; readonly initial: string };
  readonly state?: object;
}

/** Matches clauses that limit the number of rows. */
const LIMITS = /\b(limit\s+\S|fetch\s+(first|next)\b|top\s*[(\d])/i;

/** Reports problems of `incremental` and of its query. */
export function* checkIncremental({
  sql,
  incremental,
  state,
  connectionString,
}: IncrementalSettings): Generator<ParameterProblem> {
  if (incremental === undefined) {
    if (state !== undefined) {
      yield {
        parameter: 'state',
        message: 'state has no effect without incremental',
        hint: 'Add incremental { column: …, initial: … }, or remove state.',
        severity: 'warning',
      };
    }
    return;
  }
  if (isSqlServer(connectionString)) {
    yield { parameter: 'incremental', message: 'incremental is not supported for SQL Server' };
  }
  if (incremental.column === '') yield { parameter: 'incremental.column', message: 'incremental.column is empty' };
  if (!sql.includes('?')) {
    yield {
      parameter: 'sql',
      message: 'sql has no ? for the value that incremental remembers',
      hint: `Write WHERE ${incremental.column || 'column'} >= ?.`,
    };
  } else if (/>\s*\?/.test(sql)) {
    yield {
      parameter: 'sql',
      message: 'Later rows with exactly the remembered value are missed',
      hint: 'Write >= ? instead of > ?.',
      severity: 'warning',
    };
  }
  if (LIMITS.test(sql) && !/\border\s+by\b/i.test(sql)) {
    yield {
      parameter: 'sql',
      message: 'sql limits its rows without ORDER BY: rows beyond the limit are never read',
      hint: `Write ORDER BY ${incremental.column || 'column'}, ascending, or remove the limit.`,
      severity: 'warning',
    };
  }
}

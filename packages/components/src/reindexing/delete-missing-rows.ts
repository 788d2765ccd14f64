import type { CheckResult } from '@headrace/engine';
import { deleteWithinLimit, type Missing } from './deletion-check.ts';
import { ReindexError } from './reindex-error.ts';
import { inTransaction, refusedBecause, type SqlSession } from './sql-session.ts';
import type { FinishedRun, Log } from './types.ts';

interface FinishedTable {
  readonly session: SqlSession;
  /** The name as in SQL. */
  readonly table: string;
  /** Defaults to 20. */
  readonly maxDeletePercent: number | undefined;
  /** A condition in SQL for the rows of the source. Defaults to all rows. */
  readonly where: string | undefined;
  readonly runId: string;
  readonly run: FinishedRun;
  /** The codes of notices of the class loss that the run may have. Defaults to none. */
  readonly allowNotices: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Deletes the rows of a source that a complete run did not write, within the limit and in one transaction. The rows have
 * the id of their run in the column `run_id`.
 */
export async function deleteMissingRows({
  session,
  table,
  maxDeletePercent,
  where = 'TRUE',
  runId,
  run,
  allowNotices,
  signal,
  log,
}: FinishedTable): Promise<CheckResult> {
  const find = async (): Promise<Missing> => {
    // Rows that other sessions insert meanwhile are not counted and not deleted.
    await session.execute('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    await requireRunId(session, table);
    const old = `run_id IS DISTINCT FROM ?`;
    const counts = `SELECT count(*), count(*) FILTER (WHERE ${old}) FROM ${table} WHERE (${where})`;
    const hint = 'Correct sync.where: it must be a condition in SQL about the rows of the table.';
    const [row] = await refusedBecause('sync.where is refused', hint, () => session.query(counts, [runId]));
    const deleteAll = async () => {
      const [deleted] = await session.query(
        `WITH gone AS (DELETE FROM ${table} WHERE (${where}) AND ${old} RETURNING 1) SELECT count(*) FROM gone`,
        [runId],
      );
      // The transaction then deletes nothing.
      signal.throwIfAborted();
      return Number(deleted?.[0]);
    };
    return { all: Number(row?.[0]), old: Number(row?.[1]), deleteAll };
  };
  const check = await inTransaction(session, () =>
    deleteWithinLimit({ maxDeletePercent, run, allowNotices, noun: 'row', find }),
  );
  log.info(`deleteMissing: ${check.found}`);
  return check;
}

async function requireRunId(session: SqlSession, table: string): Promise<void> {
  const columns = `select 1 from pg_catalog.pg_attribute
    where attrelid = to_regclass(?) and attname = 'run_id' and not attisdropped`;
  if ((await session.query(columns, [table])).length > 0) return;
  throw new ReindexError(
    `The table ${table} has no column run_id, so deleteMissing cannot find old rows`,
    `Add it: ALTER TABLE ${table} ADD COLUMN run_id text.`,
  );
}

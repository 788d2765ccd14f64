import { ReindexError } from './reindex-error.ts';
import { inTransaction, type SqlSession } from './sql-session.ts';
import type { CheckResult, Log } from './types.ts';

interface FinishedTable {
  readonly session: SqlSession;
  /** The name as in SQL. */
  readonly table: string;
  /** Defaults to 20. */
  readonly maxDeletePercent: number | undefined;
  /** A condition in SQL for the rows of the source. Defaults to all rows. */
  readonly where: string | undefined;
  readonly runId: string;
  /** How many documents of the run failed. */
  readonly failed: number;
  readonly log: Log;
}

/**
 * Deletes the rows of a source that a complete run did not write, in one transaction. The rows have the id of their run
 * in the column `run_id`. If a document failed, or if too many rows would go, deletes nothing.
 */
export async function deleteMissingRows({
  session,
  table,
  maxDeletePercent = 20,
  where = 'TRUE',
  runId,
  failed,
  log,
}: FinishedTable): Promise<CheckResult> {
  const result = (outcome: CheckResult['outcome'], found: string): CheckResult => ({
    name: 'deleteMissing',
    outcome,
    found,
    expected: `at most ${maxDeletePercent} % to delete`,
  });
  if (failed > 0)
    return result(
      'not run',
      `nothing was deleted, because ${failed} ${failed === 1 ? 'document' : 'documents'} failed`,
    );
  const columns = `select 1 from pg_catalog.pg_attribute
    where attrelid = to_regclass(?) and attname = 'run_id' and not attisdropped`;
  if ((await session.query(columns, [table])).length === 0) {
    throw new ReindexError(
      `The table ${table} has no column run_id, so deleteMissing cannot find old rows`,
      `Add it: ALTER TABLE ${table} ADD COLUMN run_id text.`,
    );
  }
  return inTransaction(session, async () => {
    // Rows that other sessions insert meanwhile are not counted and not deleted.
    await session.execute('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    const old = `run_id IS DISTINCT FROM ?`;
    const [row] = await session.query(
      `SELECT count(*), count(*) FILTER (WHERE ${old}) FROM ${table} WHERE (${where})`,
      [runId],
    );
    const [all, missing] = [Number(row?.[0]), Number(row?.[1])];
    if (missing === 0) return result('passed', 'the source still has all rows');
    const percent = (missing / all) * 100;
    const share = `${missing} rows of ${all} (${Math.ceil(percent * 100) / 100} %)`;
    if (percent > maxDeletePercent) return result('failed', `the source no longer has ${share}: nothing was deleted`);
    const [deleted] = await session.query(
      `WITH gone AS (DELETE FROM ${table} WHERE (${where}) AND ${old} RETURNING 1) SELECT count(*) FROM gone`,
      [runId],
    );
    log.info(`deleteMissing: ${deleted?.[0]} rows deleted from ${table}`);
    return result('passed', `the source no longer had ${share}: ${deleted?.[0]} deleted`);
  });
}

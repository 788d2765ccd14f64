import type { CheckResult } from '@headrace/engine';
import { checkLosses } from './lost-data.ts';
import { asResult, checkCounts } from './rebuild-checks.ts';
import { quoteName, type SqlSession } from './sql-session.ts';
import type { Checks, FinishedRun } from './types.ts';

const COLUMNS = `SELECT attname FROM pg_catalog.pg_attribute
  WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped`;

interface CheckedTable {
  readonly session: SqlSession;
  /** The name of the new table as in SQL. */
  readonly table: string;
  /** The live table; undefined if there is none. */
  readonly live: string | undefined;
  readonly checks: Checks;
  readonly run: FinishedRun;
}

/** Runs the checks of a new table. */
export async function runTableChecks({ session, table, live, checks, run }: CheckedTable): Promise<CheckResult[]> {
  const count = async (name: string, condition = 'TRUE') =>
    Number((await session.query(`SELECT count(*) FROM ${name} WHERE ${condition}`))[0]?.[0]);
  const all = await count(table);
  const results = await checkCounts(checks, all, 'table', async () => (live === undefined ? undefined : count(live)));
  results.push(...checkLosses(run, checks.allowNotices));
  if (checks.maxFailed !== undefined) {
    const passed = run.failed <= checks.maxFailed;
    results.push({ name: 'maxFailed', ...asResult(passed, `${run.failed} failed`, `at most ${checks.maxFailed}`) });
  }
  const columns = new Set((await session.query(COLUMNS, [table])).map(([name]) => name));
  for (const [column, percent] of checks.required ?? []) {
    if (!columns.has(column)) {
      results.push({
        name: `required ${column}`,
        ...asResult(false, `the table has no column ${column}`, `at least ${percent} %`),
      });
      continue;
    }
    const filled = all === 0 ? 0 : ((await count(table, `${quoteName(column)} IS NOT NULL`)) * 100) / all;
    const found = `${Math.floor(filled * 100) / 100} % of the rows have it`;
    results.push({ name: `required ${column}`, ...asResult(filled >= percent, found, `at least ${percent} %`) });
  }
  return results;
}

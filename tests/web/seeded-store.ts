import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** How many runs and failed documents a seeded store has. */
export const RUNS = 10_000;
export const FAILURES = 100_000;

/**
 * Fills the store of a stopped service: copies one finished run many times, and gives it many failed documents of
 * three reasons. Returns nothing that is not in the store.
 * @param directory the folder of the store
 */
export function seedStore(directory: string, runId: string): void {
  const db = new DatabaseSync(join(directory, 'headrace.db'));
  db.exec('PRAGMA foreign_keys = ON; BEGIN');
  db.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO runs (id, config_id, status, done, start_time, requested_by, details)
     SELECT printf('seed-%05d', i), config_id, status, 1, start_time + i, requested_by,
       json_set(details, '$.runId', printf('seed-%05d', i), '$.startTime', start_time + i, '$.endTime', start_time + i + 1)
     FROM n JOIN runs AS first ON first.id = ?`,
  ).run(RUNS - 1, runId);
  db.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO run_failures (run_id, connector, at, replayable, line, group_key)
     SELECT ?, 'numbers', 'picky', 1,
       json_object('id', 'doc-' || i, 'connector', 'numbers', 'at', 'picky', 'code', 'HR_STAGE_FAILED',
         'message', printf('reason %s of document %d', char(65 + i % 4 / 2 + i % 2), i), 'processed', json('false'),
         'document', json_object('id', 'doc-' || i)),
       printf('group-%d', i % 4 / 2 + i % 2)
     FROM n`,
  ).run(FAILURES, runId);
  db.prepare('UPDATE kept_bytes SET documents = documents + ?').run(FAILURES);
  db.exec('COMMIT');
  db.close();
}

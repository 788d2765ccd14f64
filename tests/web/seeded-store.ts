import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** How many configs, runs and failed documents a seeded store has. */
export const CONFIGS = 10_000;
export const RUNS = 10_000;
export const FAILURES = 100_000;

/**
 * Fills the store of a stopped service: copies one finished run many times, and gives it many failed documents of
 * at most three reasons.
 * @param directory the folder of the store
 */
export function seedStore(directory: string, runId: string, reasons = 3): void {
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
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO run_failures (run_id, connector, at, replayable, line, group_key)
     SELECT ?2, 'numbers', 'picky', 1,
       json_object('id', 'doc-' || i, 'connector', 'numbers', 'at', 'picky', 'code', 'HR_STAGE_FAILED',
         'message', printf('reason %s of document %d', char(65 + (i % 4 / 2 + i % 2) % ?3), i), 'processed', json('false'),
         'document', json_object('id', 'doc-' || i)),
       printf('group-%d', (i % 4 / 2 + i % 2) % ?3)
     FROM n`,
  ).run(FAILURES, runId, reasons);
  db.prepare('UPDATE kept_bytes SET documents = documents + ?').run(FAILURES);
  db.exec('COMMIT');
  db.close();
}

/** Copies the only config of a store, named config-00, until there are `CONFIGS`. Uploads would take half a minute. */
export function seedConfigs(directory: string): void {
  const db = new DatabaseSync(join(directory, 'headrace.db'));
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${CONFIGS - 1})`;
  db.exec(`BEGIN;
    ${numbers} INSERT INTO configs (seq, id, name, version, created_time, created_by, labels, description)
      SELECT seq + i, id || i, 'config-' || printf('%02d', i), version, created_time, created_by, labels, 'Number ' || i
      FROM n, configs ORDER BY i;
    ${numbers} INSERT INTO config_versions (config, version, digest, created_time, created_by, format, answer, text)
      SELECT config + i, version, digest, created_time, created_by, format, answer, text FROM n, config_versions;
    COMMIT;`);
  db.close();
}

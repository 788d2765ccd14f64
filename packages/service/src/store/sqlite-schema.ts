import type { DatabaseSync } from 'node:sqlite';
import { failureGroup } from './failure-group.ts';

/** The migrations. Each one brings the database to the next version. A released migration is never changed. */
const STEPS: readonly string[] = [
  `CREATE TABLE configs (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     text TEXT NOT NULL,
     format TEXT NOT NULL,
     answer TEXT NOT NULL,
     digest TEXT NOT NULL,
     created_time REAL NOT NULL,
     created_by TEXT
   ) STRICT;
   CREATE TABLE runs (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     config_id TEXT NOT NULL,
     status TEXT NOT NULL,
     done INTEGER NOT NULL,
     details TEXT NOT NULL
   ) STRICT;
   CREATE INDEX runs_by_config ON runs (config_id, seq);
   CREATE INDEX runs_by_status ON runs (status, seq);
   CREATE INDEX unfinished_runs ON runs (seq) WHERE done = 0;
   CREATE TABLE probe (id INTEGER PRIMARY KEY CHECK (id = 1), time REAL NOT NULL) STRICT;`,
  // Adds versions of configs, and more filters for runs. Long texts are the last columns, because columns after them
  // are slow to read.
  `ALTER TABLE configs RENAME TO old_configs;
   CREATE TABLE configs (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     name TEXT UNIQUE,
     version INTEGER NOT NULL,
     created_time REAL NOT NULL,
     created_by TEXT,
     labels TEXT NOT NULL,
     description TEXT
   ) STRICT;
   CREATE TABLE config_versions (
     config INTEGER NOT NULL REFERENCES configs (seq) ON DELETE CASCADE,
     version INTEGER NOT NULL,
     digest TEXT NOT NULL,
     created_time REAL NOT NULL,
     created_by TEXT,
     format TEXT NOT NULL,
     answer TEXT NOT NULL,
     text TEXT NOT NULL,
     PRIMARY KEY (config, version)
   ) STRICT;
   CREATE TABLE config_labels (
     key TEXT NOT NULL,
     value TEXT NOT NULL,
     config INTEGER NOT NULL REFERENCES configs (seq) ON DELETE CASCADE,
     PRIMARY KEY (key, value, config)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX labels_of_config ON config_labels (config);
   INSERT INTO configs SELECT seq, id, NULL, 1, created_time, created_by, '{}', NULL FROM old_configs;
   INSERT INTO config_versions
     SELECT seq, 1, digest, created_time, created_by, format, answer, text FROM old_configs;
   DROP TABLE old_configs;

   ALTER TABLE runs RENAME TO old_runs;
   CREATE TABLE runs (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     config_id TEXT NOT NULL,
     status TEXT NOT NULL,
     done INTEGER NOT NULL,
     start_time REAL NOT NULL,
     requested_by TEXT,
     details TEXT NOT NULL
   ) STRICT;
   CREATE TABLE run_labels (
     key TEXT NOT NULL,
     value TEXT NOT NULL,
     run INTEGER NOT NULL REFERENCES runs (seq) ON DELETE CASCADE,
     PRIMARY KEY (key, value, run)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX labels_of_run ON run_labels (run);
   INSERT INTO runs
     SELECT seq, id, config_id, status, done, coalesce(details ->> 'startTime', 0.0), details ->> 'requestedBy',
       json_insert(details, '$.configName', NULL, '$.configVersion', NULL, '$.overlap', 'allow')
     FROM old_runs;
   INSERT INTO run_labels SELECT label.key, label.value, seq FROM runs, json_each(details, '$.labels') AS label;
   DROP TABLE old_runs;
   CREATE INDEX runs_by_config ON runs (config_id, seq);
   CREATE INDEX runs_by_status ON runs (status, seq);
   CREATE INDEX runs_by_user ON runs (requested_by, seq);
   CREATE INDEX runs_by_time ON runs (start_time);
   CREATE INDEX unfinished_runs ON runs (seq) WHERE done = 0;

   CREATE TABLE request_keys (
     user TEXT NOT NULL,
     key TEXT NOT NULL,
     run_id TEXT NOT NULL,
     digest TEXT NOT NULL,
     time REAL NOT NULL,
     PRIMARY KEY (user, key)
   ) STRICT;
   CREATE INDEX request_keys_by_time ON request_keys (time);`,
  // Adds the logs of the runs, in pieces.
  `CREATE TABLE run_logs (
     run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
     number INTEGER NOT NULL,
     first_line INTEGER NOT NULL,
     text TEXT NOT NULL,
     PRIMARY KEY (run_id, number)
   ) STRICT;`,
  // Adds the failed documents of the runs.
  `CREATE TABLE run_failures (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
     connector TEXT NOT NULL,
     at TEXT NOT NULL,
     replayable INTEGER NOT NULL,
     line TEXT NOT NULL
   ) STRICT;
   CREATE INDEX failures_of_run ON run_failures (run_id, seq);`,
  // Adds the total size of failed documents and logs, which triggers update at each change.
  `CREATE TABLE kept_bytes (failures INTEGER NOT NULL, logs INTEGER NOT NULL) STRICT;
   INSERT INTO kept_bytes VALUES (
     (SELECT coalesce(sum(octet_length(line)), 0) FROM run_failures WHERE replayable = 1),
     (SELECT coalesce(sum(octet_length(text)), 0) FROM run_logs)
   );
   CREATE INDEX failures_with_content ON run_failures (seq) WHERE replayable = 1;
   CREATE TRIGGER failure_added AFTER INSERT ON run_failures WHEN new.replayable = 1 BEGIN
     UPDATE kept_bytes SET failures = failures + octet_length(new.line);
   END;
   CREATE TRIGGER failure_emptied AFTER UPDATE ON run_failures WHEN old.replayable = 1 AND new.replayable = 0 BEGIN
     UPDATE kept_bytes SET failures = failures - octet_length(old.line);
   END;
   CREATE TRIGGER failure_removed AFTER DELETE ON run_failures WHEN old.replayable = 1 BEGIN
     UPDATE kept_bytes SET failures = failures - octet_length(old.line);
   END;
   CREATE TRIGGER log_added AFTER INSERT ON run_logs BEGIN
     UPDATE kept_bytes SET logs = logs + octet_length(new.text);
   END;
   CREATE TRIGGER log_grown AFTER UPDATE ON run_logs BEGIN
     UPDATE kept_bytes SET logs = logs + octet_length(new.text) - octet_length(old.text);
   END;
   CREATE TRIGGER log_removed AFTER DELETE ON run_logs BEGIN
     UPDATE kept_bytes SET logs = logs - octet_length(old.text);
   END;`,
  // Adds the schedules of the configs. Those of presets have no row in configs.
  `CREATE TABLE schedules (
     config_id TEXT PRIMARY KEY,
     preset INTEGER NOT NULL,
     fixed INTEGER NOT NULL,
     settings TEXT NOT NULL,
     set_time REAL NOT NULL,
     set_by TEXT,
     last_time REAL,
     last_run_id TEXT,
     last_problem TEXT
   ) STRICT;
   CREATE TRIGGER config_with_schedule_removed AFTER DELETE ON configs BEGIN
     DELETE FROM schedules WHERE config_id = old.id;
   END;`,
  // Adds the groups of failed documents, the number of failed documents, and the samples of runs. Many failures are
  // added together, so that one update counts them instead of a trigger for each.
  `ALTER TABLE run_failures ADD COLUMN group_key TEXT NOT NULL DEFAULT '';
   UPDATE run_failures SET group_key = failure_group(line);
   CREATE INDEX failures_by_group ON run_failures (run_id, group_key, seq, replayable);
   ALTER TABLE kept_bytes ADD COLUMN documents INTEGER NOT NULL DEFAULT 0;
   UPDATE kept_bytes SET documents = (SELECT count(*) FROM run_failures);
   DROP TRIGGER failure_added;
   CREATE TRIGGER failure_discounted AFTER DELETE ON run_failures BEGIN
     UPDATE kept_bytes SET documents = documents - 1;
   END;
   CREATE TABLE run_samples (
     run_id TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
     samples TEXT NOT NULL
   ) STRICT;`,
];

/** Migrates the database to the newest version. Throws if a later release has written it. */
export function migrate(db: DatabaseSync): void {
  const version = (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
  if (version > STEPS.length) {
    throw new Error(
      `The store is of version ${version}, but this release supports only versions up to ${STEPS.length}`,
    );
  }
  db.function('failure_group', { deterministic: true }, (line) => failureGroup(JSON.parse(String(line))));
  if (version === STEPS.length) return;
  // In one transaction, all steps wait for the disk only once.
  db.exec(`BEGIN IMMEDIATE; ${STEPS.slice(version).join(' ')} PRAGMA user_version = ${STEPS.length}; COMMIT;`);
}

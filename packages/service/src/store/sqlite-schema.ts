import type { DatabaseSync } from 'node:sqlite';

/** Each step brings the database from one version to the next; none is ever changed after its release. */
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
];

/** Brings the database to the newest version. Throws for one that a later release has written. */
export function migrate(db: DatabaseSync): void {
  const version = (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
  if (version > STEPS.length) {
    throw new Error(`The store is of version ${version}, this release knows versions up to ${STEPS.length}`);
  }
  for (let next = version; next < STEPS.length; next++) {
    db.exec(`BEGIN IMMEDIATE; ${STEPS[next]} PRAGMA user_version = ${next + 1}; COMMIT;`);
  }
}

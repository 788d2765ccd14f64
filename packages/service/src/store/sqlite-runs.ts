import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { labelled } from './sqlite-labels.ts';
import { type Prepared, prepareAll } from './sqlite-statements.ts';
import {
  type LastRun,
  type Page,
  REQUEST_KEY_SECONDS,
  type RequestKey,
  type RunFilter,
  type RunListing,
  type StoredRun,
} from './store.ts';

/** The runs in the database. Each method reads, or is one step of a transaction. */
export class SqliteRuns {
  readonly #db: DatabaseSync;
  readonly #sql: Prepared<keyof typeof SQL>;
  count: number;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#sql = prepareAll(db, SQL);
    this.count = (this.#sql.count.get() as { count: number }).count;
  }

  /** Adds a run or replaces its details. Returns whether the run is new. */
  save(run: StoredRun, key: RequestKey | undefined): boolean {
    const done = run.done ? 1 : 0;
    if (this.#sql.update.run(run.status, done, run.details, run.id).changes === 1) return false;
    const { id, configId, status, startTime, requestedBy, labels, details } = run;
    const { lastInsertRowid } = this.#sql.add.run(id, configId, status, done, startTime, requestedBy, details);
    for (const [name, value] of Object.entries(labels)) this.#sql.addLabel.run(name, value, lastInsertRowid);
    if (key !== undefined) {
      this.#sql.forgetKeys.run(key.time - REQUEST_KEY_SECONDS);
      this.#sql.addKey.run(key.user ?? '', key.key, id, key.digest, key.time);
    }
    this.count++;
    return true;
  }

  requested(user: string | null, key: string, now: number): { runId: string; digest: string } | undefined {
    const row = this.#sql.requested.get(user ?? '', key, now - REQUEST_KEY_SECONDS);
    return row as ReturnType<SqliteRuns['requested']>;
  }

  details(id: string): string | undefined {
    return (this.#sql.details.get(id) as { details: string } | undefined)?.details;
  }

  list({ before = Number.MAX_SAFE_INTEGER, limit }: Page, filter: RunFilter): RunListing[] {
    const { values, ...query } = queryOf(filter);
    const statement = values.length === 0 ? this.#sql.list : this.#db.prepare(listRuns(query));
    return statement.all(...values, before, limit) as unknown as RunListing[];
  }

  last(configIds: readonly string[]): LastRun[] {
    return this.#sql.last.all(JSON.stringify(configIds)) as unknown as LastRun[];
  }

  unfinished(): string[] {
    return (this.#sql.unfinished.all() as { details: string }[]).map((row) => row.details);
  }

  saveSamples(id: string, samples: string): void {
    this.#sql.saveSamples.run(id, samples);
  }

  samples(id: string): string | undefined {
    return (this.#sql.samples.get(id) as { samples: string } | undefined)?.samples;
  }

  /** Deletes the oldest finished runs beyond `max` runs. Returns how many were deleted. */
  trim(max: number): number {
    const trimmed = Number(this.#sql.trim.run(Math.max(0, this.count - max)).changes);
    this.count -= trimmed;
    return trimmed;
  }
}

function queryOf({
  configId,
  statuses,
  labels = {},
  requestedBy,
  since,
  until,
}: RunFilter): ReturnType<typeof labelled> {
  const query = labelled('run', labels);
  const add = (text: string, ...values: SQLInputValue[]) => {
    query.where += `AND ${text} `;
    query.values.push(...values);
  };
  if (configId !== undefined) add('config_id = ?', configId);
  if (statuses !== undefined) add(`status IN (${statuses.map(() => '?').join(', ')})`, ...statuses);
  if (requestedBy !== undefined) add('requested_by = ?', requestedBy);
  if (since !== undefined) add('start_time >= ?', since);
  if (until !== undefined) add('start_time < ?', until);
  return query;
}

/**
 * Returns the query for a page of runs. A subquery selects the rows from the indexes, because sorting would copy the
 * large details.
 */
function listRuns({ joins, where, place }: Omit<ReturnType<typeof labelled>, 'values'>): string {
  return `SELECT seq, id, details FROM runs WHERE seq IN
            (SELECT ${place} FROM ${joins} runs WHERE true ${where} AND ${place} < ? ORDER BY ${place} DESC LIMIT ?)
          ORDER BY seq DESC`;
}

const SQL = {
  saveSamples: `INSERT INTO run_samples (run_id, samples) VALUES (?, ?)
                ON CONFLICT (run_id) DO UPDATE SET samples = excluded.samples`,
  samples: 'SELECT samples FROM run_samples WHERE run_id = ?',
  add: `INSERT INTO runs (id, config_id, status, done, start_time, requested_by, details)
        VALUES (?, ?, ?, ?, ?, ?, ?)`,
  update: 'UPDATE runs SET status = ?, done = ?, details = ? WHERE id = ?',
  addLabel: 'INSERT INTO run_labels (key, value, run) VALUES (?, ?, ?)',
  addKey: `INSERT INTO request_keys (user, key, run_id, digest, time) VALUES (?, ?, ?, ?, ?)`,
  forgetKeys: 'DELETE FROM request_keys WHERE time < ?',
  requested: 'SELECT run_id AS runId, digest FROM request_keys WHERE user = ? AND key = ? AND time >= ?',
  // The subquery finds each run in the index of configs.
  last: `SELECT config_id AS configId, runs.id AS runId, status, start_time AS startTime,
           coalesce(json_extract(details, '$.progress.failed'), 0) AS failed,
           json_extract(details, '$.runResult.problems[0].message') AS problem
         FROM json_each(?) AS wanted
           JOIN runs ON seq = (SELECT max(seq) FROM runs AS own WHERE own.config_id = wanted.value)`,
  details: 'SELECT details FROM runs WHERE id = ?',
  list: listRuns(labelled('run', {})),
  unfinished: 'SELECT details FROM runs WHERE done = 0 ORDER BY seq',
  trim: 'DELETE FROM runs WHERE seq IN (SELECT seq FROM runs WHERE done = 1 ORDER BY seq LIMIT ?)',
  count: 'SELECT count(*) AS count FROM runs',
} as const;

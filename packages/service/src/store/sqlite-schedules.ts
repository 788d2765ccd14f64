import type { DatabaseSync } from 'node:sqlite';
import { type Prepared, prepareAll } from './sqlite-statements.ts';
import type { ScheduleState, ScheduleWrite, StoredSchedule } from './store.ts';

/** The schedules in the database. Each method reads, or is one step of a transaction. */
export class SqliteSchedules {
  readonly #sql: Prepared<keyof typeof SQL>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareAll(db, SQL);
  }

  save({ configId, preset, fixed, settings, setTime, setBy }: StoredSchedule, max: number): ScheduleWrite {
    if (!preset && this.#sql.config.get(configId) === undefined) return 'missing';
    const { others, known } = this.#sql.count.get(configId) as { others: number; known: number };
    if (known === 0 && others >= max) return 'full';
    this.#sql.save.run(configId, preset ? 1 : 0, fixed ? 1 : 0, settings, setTime, setBy);
    return 'written';
  }

  note(configId: string, time: number, problem: string): void {
    this.#sql.note.run(time, problem, configId);
  }

  /** Records the run that a time of a schedule has started. */
  started(configId: string, time: number, runId: string): void {
    this.#sql.started.run(time, runId, configId);
  }

  delete(configId: string): boolean {
    return this.#sql.delete.run(configId).changes === 1;
  }

  list(): (StoredSchedule & ScheduleState)[] {
    const rows = this.#sql.list.all() as unknown as (StoredSchedule & ScheduleState)[];
    return rows.map((row) => ({ ...row, preset: Boolean(row.preset), fixed: Boolean(row.fixed) }));
  }
}

const SQL = {
  config: 'SELECT 1 FROM configs WHERE id = ?',
  count: `SELECT count(*) FILTER (WHERE config_id <> ?1) AS others, count(*) FILTER (WHERE config_id = ?1) AS known
          FROM schedules`,
  save: `INSERT INTO schedules (config_id, preset, fixed, settings, set_time, set_by) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (config_id) DO UPDATE SET preset = excluded.preset, fixed = excluded.fixed,
           settings = excluded.settings, set_time = excluded.set_time, set_by = excluded.set_by`,
  note: 'UPDATE schedules SET last_time = ?, last_problem = ? WHERE config_id = ?',
  started: 'UPDATE schedules SET last_time = ?, last_run_id = ?, last_problem = NULL WHERE config_id = ?',
  delete: 'DELETE FROM schedules WHERE config_id = ?',
  list: `SELECT config_id AS configId, preset, fixed, settings, set_time AS setTime, set_by AS setBy,
           last_time AS lastTime, last_run_id AS lastRunId, last_problem AS lastProblem FROM schedules`,
} as const;

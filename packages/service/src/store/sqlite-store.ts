import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { createPrivate, keepPrivate } from './private-files.ts';
import { migrate } from './sqlite-schema.ts';
import type { ConfigListing, Page, RunFilter, RunListing, Store, StoredConfig, StoredRun } from './store.ts';
import { WriteGroup } from './write-group.ts';

const SQLITE_BUSY = 5;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

interface SqliteStoreEvents {
  onCommit?(seconds: number): void;
  warn?(message: string): void;
}

/** The embedded store: one SQLite database in a directory of its own. */
export class SqliteStore implements Store {
  readonly directory: string;
  failure: string | undefined;
  readonly #db: DatabaseSync;
  readonly #writes: WriteGroup;
  readonly #sql: ReturnType<typeof prepareAll>;
  #configCount = 0;
  #runCount = 0;

  /**
   * Opens the store, made if it is not there. Throws when the directory cannot be written, or when another process
   * has it open; its message names that process.
   * @param events.onCommit told of the seconds that each group of writes took
   * @param events.warn told when others may read a file of the store, and that cannot be changed
   */
  constructor(directory: string, { onCommit = () => {}, warn = () => {} }: SqliteStoreEvents = {}) {
    this.directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#db = openLocked(directory, warn);
    this.#sql = prepareAll(this.#db);
    this.#configCount = (this.#sql.countConfigs.get() as { count: number }).count;
    this.#runCount = (this.#sql.countRuns.get() as { count: number }).count;
    let before = { configs: 0, runs: 0 };
    this.#writes = new WriteGroup(this.#db, {
      onBegin: () => {
        before = { configs: this.#configCount, runs: this.#runCount };
      },
      onCommit: (seconds) => {
        this.failure = undefined;
        onCommit(seconds);
      },
      onFailure: (error) => {
        this.failure = error.message;
        this.#configCount = before.configs;
        this.#runCount = before.runs;
      },
    });
  }

  addConfig(config: StoredConfig, max: number): Promise<boolean> {
    return this.#writes.write(() => {
      if (this.#configCount >= max) return false;
      const { id, text, format, answer, digest, createdTime, createdBy } = config;
      this.#sql.addConfig.run(id, text, format, answer, digest, createdTime, createdBy);
      this.#configCount++;
      return true;
    });
  }

  async config(id: string): Promise<StoredConfig | undefined> {
    this.#writes.flush();
    return this.#sql.config.get(id) as StoredConfig | undefined;
  }

  async configAnswer(id: string): Promise<string | undefined> {
    this.#writes.flush();
    return (this.#sql.configAnswer.get(id) as { answer: string } | undefined)?.answer;
  }

  async listConfigs({ before = NO_LIMIT, limit }: Page): Promise<ConfigListing[]> {
    this.#writes.flush();
    return this.#sql.listConfigs.all(before, limit) as unknown as ConfigListing[];
  }

  deleteConfig(id: string): Promise<boolean> {
    return this.#writes.write(() => {
      const deleted = this.#sql.deleteConfig.run(id).changes === 1;
      if (deleted) this.#configCount--;
      return deleted;
    });
  }

  saveRun(run: StoredRun): Promise<void> {
    return this.#writes.write(() => {
      const done = run.done ? 1 : 0;
      if (this.#sql.updateRun.run(run.status, done, run.details, run.id).changes === 1) return;
      this.#sql.addRun.run(run.id, run.configId, run.status, done, run.details);
      this.#runCount++;
    });
  }

  async runDetails(id: string): Promise<string | undefined> {
    this.#writes.flush();
    return (this.#sql.run.get(id) as { details: string } | undefined)?.details;
  }

  async listRuns({ before = NO_LIMIT, limit }: Page, { configId, status }: RunFilter = {}): Promise<RunListing[]> {
    this.#writes.flush();
    const { listRuns, listRunsOfConfig, listRunsOfStatus, listRunsOfBoth } = this.#sql;
    const rows =
      configId === undefined
        ? status === undefined
          ? listRuns.all(before, limit)
          : listRunsOfStatus.all(status, before, limit)
        : status === undefined
          ? listRunsOfConfig.all(configId, before, limit)
          : listRunsOfBoth.all(configId, status, before, limit);
    return rows as unknown as RunListing[];
  }

  async unfinishedRuns(): Promise<string[]> {
    this.#writes.flush();
    return (this.#sql.unfinishedRuns.all() as { details: string }[]).map((row) => row.details);
  }

  async trimRuns(max: number): Promise<boolean> {
    if (this.#runCount <= max) return false;
    return this.#writes.write(() => {
      const trimmed = Number(this.#sql.trimRuns.run(Math.max(0, this.#runCount - max)).changes);
      this.#runCount -= trimmed;
      return trimmed > 0;
    });
  }

  async probe(): Promise<void> {
    try {
      await this.#writes.write(() => this.#sql.probe.run(Date.now() / 1000));
    } catch {
      // `failure` says why.
    }
  }

  async close(): Promise<void> {
    this.#writes.flush();
    this.#db.close();
  }
}

/**
 * Opens the database and locks it for as long as this process lives: the lock is the operating system's, so a
 * killed process leaves none behind.
 *
 * `synchronous = FULL` waits for the disk at every commit, so that an acknowledged write survives the loss of power
 * as well as `kill -9`. Measured on a shared two-core machine, rows of 1 kB in groups of 100: 18,000 to 28,000 rows a
 * second with `FULL`, 27,000 to 30,000 with `NORMAL`. That is enough, and the group pays for the wait once.
 */
function openLocked(directory: string, warn: (message: string) => void): DatabaseSync {
  const pidFile = join(directory, 'pid');
  const path = join(directory, 'headrace.db');
  // Configs hold secrets, whatever may be done with the directory. SQLite makes its other files with the mode of this one.
  createPrivate(path);
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`, pidFile]) keepPrivate(file, warn);
  const db = new DatabaseSync(path);
  try {
    db.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
             PRAGMA foreign_keys = ON; BEGIN IMMEDIATE; COMMIT;`);
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) {
      throw new Error(`The store ${directory} cannot be opened: ${(error as Error).message}`, { cause: error });
    }
    throw new Error(
      `The store ${directory} is in use by another service (process ${readPid(pidFile)}). ` +
        'Stop that one first, or give this one another storage.path.',
      { cause: error },
    );
  }
}

function readPid(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    // It has the lock and has not written its number yet.
    return 'unknown';
  }
}

function prepareAll(db: DatabaseSync): Record<StatementName, StatementSync> {
  const statements = {} as Record<StatementName, StatementSync>;
  for (const [name, sql] of Object.entries(SQL)) statements[name as StatementName] = db.prepare(sql);
  return statements;
}

type StatementName = keyof typeof SQL;

const SQL = {
  addConfig: `INSERT INTO configs (id, text, format, answer, digest, created_time, created_by)
              VALUES (?, ?, ?, ?, ?, ?, ?)`,
  config: `SELECT id, text, format, answer, digest, created_time AS createdTime, created_by AS createdBy
           FROM configs WHERE id = ?`,
  configAnswer: 'SELECT answer FROM configs WHERE id = ?',
  listConfigs: `SELECT seq, id, digest, created_time AS createdTime, created_by AS createdBy
                FROM configs WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
  deleteConfig: 'DELETE FROM configs WHERE id = ?',
  countConfigs: 'SELECT count(*) AS count FROM configs',
  addRun: 'INSERT INTO runs (id, config_id, status, done, details) VALUES (?, ?, ?, ?, ?)',
  updateRun: 'UPDATE runs SET status = ?, done = ?, details = ? WHERE id = ?',
  run: 'SELECT details FROM runs WHERE id = ?',
  listRuns: 'SELECT seq, id, details FROM runs WHERE seq < ? ORDER BY seq DESC LIMIT ?',
  listRunsOfConfig: 'SELECT seq, id, details FROM runs WHERE config_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?',
  listRunsOfStatus: 'SELECT seq, id, details FROM runs WHERE status = ? AND seq < ? ORDER BY seq DESC LIMIT ?',
  listRunsOfBoth: `SELECT seq, id, details FROM runs WHERE config_id = ? AND status = ? AND seq < ?
                   ORDER BY seq DESC LIMIT ?`,
  unfinishedRuns: 'SELECT details FROM runs WHERE done = 0 ORDER BY seq',
  trimRuns: 'DELETE FROM runs WHERE seq IN (SELECT seq FROM runs WHERE done = 1 ORDER BY seq LIMIT ?)',
  countRuns: 'SELECT count(*) AS count FROM runs',
  probe: 'INSERT INTO probe (id, time) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET time = excluded.time',
} as const;

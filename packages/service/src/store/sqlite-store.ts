import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { epochSeconds } from '../stats/clock.ts';
import { createPrivate, keepPrivate } from './private-files.ts';
import { SqliteConfigs } from './sqlite-configs.ts';
import { SqliteFailures } from './sqlite-failures.ts';
import { SqliteRunLogs } from './sqlite-run-logs.ts';
import { SqliteRuns } from './sqlite-runs.ts';
import { migrate } from './sqlite-schema.ts';
import type {
  ConfigFilter,
  ConfigListing,
  ConfigVersion,
  ConfigVersionListing,
  ConfigWrite,
  FailureFilter,
  FailurePage,
  Page,
  RequestKey,
  RunFilter,
  RunListing,
  RunLogPiece,
  Store,
  StoredConfig,
  StoredFailure,
  StoredRun,
} from './store.ts';
import { WriteGroup } from './write-group.ts';

/** What the journal is cut to when it has grown beyond it. */
const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;
/** Pages of 4 KiB that stay free in the database, and how many are given back at a time: nobody else has a turn then. */
const SPARE_PAGES = 4096;
const GIVEN_BACK_PAGES = 1024;

const SQLITE_BUSY = 5;
/** Read-only, input or output, full, and cannot be opened. */
const DISK_ERRORS: ReadonlySet<number> = new Set([8, 10, 13, 14]);

interface SqliteStoreEvents {
  onCommit?(seconds: number): void;
  onFailure?(): void;
  warn?(message: string): void;
}

/** The embedded store: one SQLite database in a directory of its own. */
export class SqliteStore implements Store {
  readonly directory: string;
  failure: string | undefined;
  readonly #db: DatabaseSync;
  readonly #writes: WriteGroup;
  readonly #configs: SqliteConfigs;
  readonly #runs: SqliteRuns;
  readonly #logs: SqliteRunLogs;
  readonly #failures: SqliteFailures;
  readonly #probe: StatementSync;

  /**
   * Opens the store, made if it is not there. Throws when the directory cannot be written, or when another process
   * has it open; its message names that process.
   * @param events.onCommit told of the seconds that each group of writes took
   * @param events.onFailure told when a group of writes could not be done
   * @param events.warn told when others may read a file of the store, and that cannot be changed
   */
  constructor(
    directory: string,
    { onCommit = () => {}, onFailure = () => {}, warn = () => {} }: SqliteStoreEvents = {},
  ) {
    this.directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#db = openLocked(directory, warn);
    this.#configs = new SqliteConfigs(this.#db);
    this.#runs = new SqliteRuns(this.#db);
    this.#logs = new SqliteRunLogs(this.#db);
    this.#failures = new SqliteFailures(this.#db);
    this.#probe = this.#db.prepare(
      'INSERT INTO probe (id, time) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET time = excluded.time',
    );
    let before = { configs: 0, runs: 0 };
    this.#writes = new WriteGroup(this.#db, {
      onBegin: () => {
        before = { configs: this.#configs.count, runs: this.#runs.count };
      },
      onCommit: (seconds) => {
        this.failure = undefined;
        onCommit(seconds);
      },
      onFailure: (error) => {
        this.failure = error.message;
        onFailure();
        this.#configs.count = before.configs;
        this.#runs.count = before.runs;
      },
    });
  }

  addConfig(config: StoredConfig, max: number): Promise<ConfigWrite> {
    return this.#writes.write(() => this.#configs.add(config, max));
  }

  replaceConfig(config: StoredConfig, expected: number, maxVersions: number): Promise<ConfigWrite> {
    return this.#writes.write(() => this.#configs.replace(config, expected, maxVersions));
  }

  async config(key: string): Promise<StoredConfig | undefined> {
    return this.#read(() => this.#configs.get(key));
  }

  async configAnswer(key: string): Promise<{ answer: string; version: number; digest: string } | undefined> {
    return this.#read(() => this.#configs.answer(key));
  }

  async configVersion(id: string, version: number): Promise<ConfigVersion | undefined> {
    return this.#read(() => this.#configs.version(id, version));
  }

  async listConfigVersions(id: string, page: Page): Promise<ConfigVersionListing[]> {
    return this.#read(() => this.#configs.listVersions(id, page));
  }

  async listConfigs(page: Page, filter: ConfigFilter = {}): Promise<ConfigListing[]> {
    return this.#read(() => this.#configs.list(page, filter));
  }

  deleteConfig(id: string, expected: number): Promise<boolean> {
    return this.#writes.write(() => this.#configs.delete(id, expected));
  }

  saveRun(run: StoredRun, key?: RequestKey): Promise<void> {
    return this.#writes.write(() => this.#runs.save(run, key));
  }

  async requestedRun(
    user: string | null,
    key: string,
    now: number,
  ): Promise<{ runId: string; digest: string } | undefined> {
    return this.#read(() => this.#runs.requested(user, key, now));
  }

  async runDetails(id: string): Promise<string | undefined> {
    return this.#read(() => this.#runs.details(id));
  }

  async listRuns(page: Page, filter: RunFilter = {}): Promise<RunListing[]> {
    return this.#read(() => this.#runs.list(page, filter));
  }

  async unfinishedRuns(): Promise<string[]> {
    return this.#read(() => this.#runs.unfinished());
  }

  saveRunLog(runId: string, pieces: readonly RunLogPiece[], oldest: number): Promise<void> {
    return this.#writes.write(() => this.#logs.save(runId, pieces, oldest));
  }

  async runLog(runId: string): Promise<RunLogPiece[]> {
    return this.#read(() => this.#logs.get(runId));
  }

  addFailures(runId: string, failures: readonly StoredFailure[]): Promise<void> {
    return this.#writes.write(() => this.#failures.add(runId, failures));
  }

  async runFailures(
    runId: string,
    page: { after: number; limit: number },
    filter: FailureFilter = {},
  ): Promise<FailurePage> {
    return this.#read(() => this.#failures.list(runId, page, filter));
  }

  async trimRuns(max: number): Promise<boolean> {
    const trimmed = this.#runs.count > max && (await this.#writes.write(() => this.#runs.trim(max) > 0));
    await this.#writes.write(() => giveBackSpace(this.#db));
    return trimmed;
  }

  async trimFailures(maxBytes: number): Promise<void> {
    // Others have their turn between two steps.
    while (await this.#writes.write(() => this.#failures.forgetContents(maxBytes)));
  }

  async trimLogs(maxBytes: number): Promise<void> {
    while (await this.#writes.write(() => this.#logs.forgetPieces(maxBytes)));
  }

  async probe(): Promise<void> {
    try {
      await this.#writes.write(() => this.#probe.run(epochSeconds()));
    } catch {
      // `failure` says why.
    }
  }

  async close(): Promise<void> {
    this.#writes.flush();
    this.#db.close();
  }

  /** Sees every write that was asked for before. */
  #read<T>(read: () => T): T {
    this.#writes.flush();
    return read();
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
    // Giving back space works for a new database only: it has to be said before anything is in it.
    db.exec(`PRAGMA auto_vacuum = INCREMENTAL; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;
             PRAGMA journal_size_limit = ${MAX_JOURNAL_BYTES}; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
             BEGIN IMMEDIATE; COMMIT;`);
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    const { errcode = 0, message } = error as Error & { errcode?: number };
    if (errcode !== SQLITE_BUSY) {
      // The low byte says the kind.
      const hint = DISK_ERRORS.has(errcode % 256)
        ? '. Look at its disk: it has to be writable, sound, and not full'
        : '';
      throw new Error(`The store ${directory} cannot be opened: ${message}${hint}`, { cause: error });
    }
    throw new Error(
      `The store ${directory} is in use by another service (process ${readPid(pidFile)}). ` +
        'Stop that one first, or give this one another storage.path.',
      { cause: error },
    );
  }
}

/** Gives free pages back to the disk, some at a time; those that are kept are taken by what comes next. */
function giveBackSpace(db: DatabaseSync): void {
  const { freelist_count: free } = db.prepare('PRAGMA freelist_count').get() as { freelist_count: number };
  if (free > SPARE_PAGES) db.exec(`PRAGMA incremental_vacuum(${Math.min(free - SPARE_PAGES, GIVEN_BACK_PAGES)})`);
}

function readPid(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    // It has the lock and has not written its number yet.
    return 'unknown';
  }
}

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { epochSeconds } from '../time/clock.ts';
import { openDatabaseFile } from './database-file.ts';
import { SqliteConfigs } from './sqlite-configs.ts';
import { SqliteFailures } from './sqlite-failures.ts';
import { SqliteRunLogs } from './sqlite-run-logs.ts';
import { SqliteRuns } from './sqlite-runs.ts';
import { SqliteSchedules } from './sqlite-schedules.ts';
import type {
  ConfigFilter,
  ConfigListing,
  ConfigVersion,
  ConfigVersionListing,
  ConfigWrite,
  FailureFilter,
  FailureGroups,
  FailurePage,
  LastRun,
  Page,
  RequestKey,
  RunFilter,
  RunListing,
  RunLogPiece,
  ScheduleState,
  ScheduleWrite,
  Store,
  StoredConfig,
  StoredFailure,
  StoredRun,
  StoredSchedule,
} from './store.ts';
import { WriteGroup } from './write-group.ts';

/**
 * The number of free 4 KiB pages that stay in the database, and how many more are returned to the disk at a time. Other
 * work must wait while pages are returned.
 */
const SPARE_PAGES = 4096;
const GIVEN_BACK_PAGES = 1024;

interface SqliteStoreEvents {
  onCommit?(seconds: number): void;
  onFailure?(): void;
  warn?(message: string): void;
}

/** The embedded store: one SQLite database in a separate directory. */
export class SqliteStore implements Store {
  readonly directory: string;
  failure: string | undefined;
  readonly #db: DatabaseSync;
  readonly #writes: WriteGroup;
  readonly #configs: SqliteConfigs;
  readonly #schedules: SqliteSchedules;
  readonly #runs: SqliteRuns;
  readonly #logs: SqliteRunLogs;
  readonly #failures: SqliteFailures;
  readonly #probe: StatementSync;

  /**
   * Opens the store and creates it if it is missing. Throws if the directory cannot be written, or if another process
   * has the store open; the message contains the id of that process.
   * @param events.onCommit called with the seconds of each group of writes
   * @param events.onFailure called if a group of writes failed
   * @param events.warn called if other users can read a file of the store and this cannot be changed
   */
  constructor(
    directory: string,
    { onCommit = () => {}, onFailure = () => {}, warn = () => {} }: SqliteStoreEvents = {},
  ) {
    this.directory = directory;
    const { db, check } = openDatabaseFile(directory, warn);
    this.#db = db;
    this.#configs = new SqliteConfigs(this.#db);
    this.#schedules = new SqliteSchedules(this.#db);
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
        check();
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

  async configName(id: string): Promise<string | null> {
    return this.#read(() => this.#configs.name(id));
  }

  saveSchedule(schedule: StoredSchedule, max: number): Promise<ScheduleWrite> {
    return this.#writes.write(() => this.#schedules.save(schedule, max));
  }

  noteSchedule(configId: string, time: number, problem: string): Promise<void> {
    return this.#writes.write(() => this.#schedules.note(configId, time, problem));
  }

  deleteSchedule(configId: string): Promise<boolean> {
    return this.#writes.write(() => this.#schedules.delete(configId));
  }

  async listSchedules(): Promise<(StoredSchedule & ScheduleState)[]> {
    return this.#read(() => this.#schedules.list());
  }

  saveRun(run: StoredRun, key?: RequestKey): Promise<void> {
    return this.#writes.write(() => {
      const added = this.#runs.save(run, key);
      if (added && run.scheduledTime !== undefined) this.#schedules.started(run.configId, run.scheduledTime, run.id);
    });
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

  async lastRuns(configIds: readonly string[]): Promise<LastRun[]> {
    return this.#read(() => this.#runs.last(configIds));
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

  async failureGroups(runId: string, limit: number, at?: string): Promise<FailureGroups> {
    return this.#read(() => this.#failures.groups(runId, limit, at));
  }

  saveSamples(runId: string, samples: string): Promise<void> {
    return this.#writes.write(() => this.#runs.saveSamples(runId, samples));
  }

  async runSamples(runId: string): Promise<string | undefined> {
    return this.#read(() => this.#runs.samples(runId));
  }

  async trimRuns(max: number): Promise<boolean> {
    const trimmed = this.#runs.count > max && (await this.#writes.write(() => this.#runs.trim(max) > 0));
    await this.#writes.write(() => giveBackSpace(this.#db));
    return trimmed;
  }

  async trimFailures(maxBytes: number): Promise<void> {
    // Other writes can run between two steps.
    while (await this.#writes.write(() => this.#failures.deleteOldest()));
    while (await this.#writes.write(() => this.#failures.forgetContents(maxBytes)));
  }

  async trimLogs(maxBytes: number): Promise<void> {
    while (await this.#writes.write(() => this.#logs.forgetPieces(maxBytes)));
  }

  async probe(): Promise<void> {
    try {
      await this.#writes.write(() => this.#probe.run(epochSeconds()));
    } catch {
      // `failure` contains the reason.
    }
  }

  async close(): Promise<void> {
    this.#writes.flush();
    this.#db.close();
  }

  /** Reads after all pending writes, so that the result includes them. */
  #read<T>(read: () => T): T {
    this.#writes.flush();
    return read();
  }
}

/** Returns some free pages to the disk. The others are reused by later writes. */
function giveBackSpace(db: DatabaseSync): void {
  const { freelist_count: free } = db.prepare('PRAGMA freelist_count').get() as { freelist_count: number };
  if (free > SPARE_PAGES) db.exec(`PRAGMA incremental_vacuum(${Math.min(free - SPARE_PAGES, GIVEN_BACK_PAGES)})`);
}

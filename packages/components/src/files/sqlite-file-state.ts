import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { openLocalDatabase } from '../local-files/local-database.ts';
import { makeFolders } from '../local-files/local-files.ts';
import { damagedState } from './damaged-state.ts';
import type { ExpiredFile, FileState } from './file-state.ts';

/** How long to wait for another process that has locked the file. */
const BUSY_MILLIS = 10_000;
const PAGE_ROWS = 1000;
/** Sorts after every other character in a path. */
const LAST = '\u{10ffff}';

/**
 * Keeps the state of files in a SQLite file or in memory, in a table with the columns of the reference. After it is
 * open, every operation throws `HR_SOURCE_UNREADABLE` if the file is damaged.
 */
export class SqliteFileState implements FileState {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #table: string;
  readonly #encounterOne: StatementSync;
  readonly #publishOne: StatementSync;
  readonly #forgetOne: StatementSync;

  private constructor(file: string, database: DatabaseSync, table: string) {
    this.#file = file;
    this.#database = database;
    this.#table = table;
    // SQLite does not limit the length of a text key.
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS ${table} (name VARCHAR PRIMARY KEY, last_published TIMESTAMP WITH TIME ZONE,
        encountered BOOLEAN, runs_not_encountered INTEGER) WITHOUT ROWID`);
    this.#encounterOne = database.prepare(`INSERT INTO ${table} VALUES (?, NULL, TRUE, 0)
      ON CONFLICT (name) DO UPDATE SET encountered = TRUE, runs_not_encountered = 0 RETURNING last_published`);
    this.#publishOne = database.prepare(`UPDATE ${table} SET last_published = ? WHERE name = ?`);
    this.#forgetOne = database.prepare(`DELETE FROM ${table} WHERE name = ?`);
  }

  /**
   * Opens the file. Creates the file and its folders if they do not exist.
   * @param table the name of the table, in any characters
   */
  static async open(file: string, table: string): Promise<SqliteFileState> {
    if (file !== ':memory:') await makeFolders(dirname(file));
    const database = await openLocalDatabase(file, { timeout: BUSY_MILLIS });
    try {
      return new SqliteFileState(file, database, `"${table.replaceAll('"', '""')}"`);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  begin(): void {
    this.#guarded(() => {
      if (this.#database.isTransaction) this.#database.exec('COMMIT');
      this.#database.exec(`BEGIN IMMEDIATE; UPDATE ${this.#table} SET encountered = FALSE WHERE encountered`);
    });
  }

  encounter(path: string): bigint | undefined {
    const row = this.#guarded(() => this.#encounterOne.get(path)) as { last_published: string | null };
    return row.last_published === null ? undefined : BigInt(Date.parse(row.last_published)) * 1_000_000n;
  }

  encounterBelow(prefix: string): void {
    this.#run(
      `UPDATE ${this.#table} SET encountered = TRUE, runs_not_encountered = 0 WHERE name >= ? AND name < ?`,
      prefix,
      prefix + LAST,
    );
  }

  finish(): void {
    this.#run(`UPDATE ${this.#table} SET runs_not_encountered = runs_not_encountered + 1 WHERE NOT encountered`);
    this.#commit();
  }

  *expired(runs: number): Generator<ExpiredFile> {
    const page = this.#database.prepare(`SELECT name FROM ${this.#table} WHERE name > ? AND NOT encountered
      AND runs_not_encountered >= ? AND last_published IS NOT NULL ORDER BY name LIMIT ${PAGE_ROWS}`);
    for (let last = ''; ; ) {
      const rows = this.#guarded(() => page.all(last, runs)) as unknown as { name: string }[];
      for (const { name } of rows) yield { path: name };
      if (rows.length < PAGE_ROWS) return;
      last = (rows.at(-1) as { name: string }).name;
    }
  }

  published(paths: readonly string[], instant: bigint): void {
    const text = new Date(Number(instant / 1_000_000n)).toISOString();
    this.#guarded(() => {
      for (const path of paths) this.#publishOne.run(text, path);
    });
    this.#commit();
  }

  forget(paths: readonly string[]): void {
    this.#guarded(() => {
      for (const path of paths) this.#forgetOne.run(path);
    });
    this.#commit();
  }

  reportExpired(runs: number, forget: boolean): void {
    const expired = 'NOT encountered AND runs_not_encountered >= ?';
    const statement = forget
      ? `DELETE FROM ${this.#table} WHERE ${expired}`
      : // Without a publication time, expired files stay known and are not reported again.
        `UPDATE ${this.#table} SET last_published = NULL WHERE ${expired}`;
    this.#run(statement, runs);
    this.#commit();
  }

  close(): void {
    if (!this.#database.isOpen) return;
    // The next traversal ignores the found files of an unfinished traversal, so it is safe to commit them.
    try {
      this.#guarded(() => {
        if (this.#database.isTransaction) this.#database.exec('COMMIT');
      });
    } finally {
      this.#database.close();
    }
  }

  #run(statement: string, ...values: (string | number)[]): void {
    this.#guarded(() => this.#database.prepare(statement).run(...values));
  }

  /**
   * Commits the changes and immediately begins the next transaction, so that no other process can write to the file.
   */
  #commit(): void {
    this.#guarded(() => {
      if (this.#database.isTransaction) this.#database.exec('COMMIT; BEGIN IMMEDIATE');
    });
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw damagedState(this.#file, error) ?? error;
    }
  }
}

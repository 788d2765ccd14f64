import type { Logger } from '@headrace/engine';
import type { PreparedSql } from '@headrace/languages/java/sql';
import { Database, type DatabaseConnection, type DatabaseSettings, type SqlParameter } from '../database/database.ts';
import type { ExpiredFile, FileState } from './file-state.ts';
import type { StateDialect } from './state-dialect.ts';

/** How many files one statement marks as found. */
const GROUP_FILES = 500;
const PAGE_ROWS = 1000;
/** Sorts after every other character in a path. */
const LAST = '\u{10ffff}';

/**
 * Keeps the state of files in a database server, in a table with the columns of the reference. Each statement is
 * committed immediately: recorded files survive a crash of the process. A lock limits the table to one run at a time.
 */
export class ServerFileState implements FileState {
  readonly #connection: DatabaseConnection;
  readonly #prepare: (sql: string) => PreparedSql;
  readonly #dialect: StateDialect;
  readonly #log: Logger;
  readonly #table: string;
  readonly #lookUp: PreparedSql;
  #longest = 0;
  #warned = false;
  /** Files that were found and are not recorded in the table yet. */
  #met: string[] = [];
  /**
   * A session runs one statement at a time, and published files are recorded during the traversal: statements wait
   * here.
   */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(
    connection: DatabaseConnection,
    prepare: (sql: string) => PreparedSql,
    dialect: StateDialect,
    table: string,
    log: Logger,
  ) {
    this.#connection = connection;
    this.#prepare = prepare;
    this.#dialect = dialect;
    this.#log = log;
    this.#table = dialect.quote(table);
    this.#lookUp = prepare(`SELECT ${dialect.lastPublished} FROM ${this.#table} WHERE ${dialect.name} = ?`);
  }

  /**
   * Connects, and creates the table if it does not exist. Throws if another run holds the lock for more than ten
   * seconds.
   * @param table the name of the table, in any characters
   */
  static async open(
    settings: DatabaseSettings,
    dialect: StateDialect,
    table: string,
    log: Logger,
  ): Promise<ServerFileState> {
    const database = await Database.open(settings, log);
    const connection = await database.connect();
    const state = new ServerFileState(connection, (sql) => database.driver.prepare(sql), dialect, table, log);
    try {
      await state.#take(table);
    } catch (error) {
      await connection.close();
      throw error;
    }
    return state;
  }

  async begin(): Promise<void> {
    await this.#change(`UPDATE ${this.#table} SET encountered = FALSE WHERE encountered`);
  }

  async encounter(path: string): Promise<bigint | undefined> {
    if (!this.#fits(path)) return undefined;
    const millis = await this.#ask(this.#lookUp, path);
    this.#met.push(path);
    if (this.#met.length >= GROUP_FILES) await this.#noteMet();
    return millis === null || millis === undefined ? undefined : BigInt(millis as number) * 1_000_000n;
  }

  async encounterBelow(prefix: string): Promise<void> {
    const { name, text } = this.#dialect;
    const below = `${name} >= ${text(prefix)} AND ${name} < ${text(prefix + LAST)}`;
    await this.#change(`UPDATE ${this.#table} SET encountered = TRUE, runs_not_encountered = 0 WHERE ${below}`);
  }

  async finish(): Promise<void> {
    await this.#noteMet();
    await this.#change(
      `UPDATE ${this.#table} SET runs_not_encountered = runs_not_encountered + 1 WHERE NOT encountered`,
    );
  }

  async *expired(runs: number): AsyncGenerator<ExpiredFile> {
    const { name, nameText } = this.#dialect;
    const page = this.#prepare(`SELECT ${nameText} FROM ${this.#table} WHERE ${name} > ? AND NOT encountered
      AND runs_not_encountered >= ${runs} AND last_published IS NOT NULL ORDER BY ${name} LIMIT ${PAGE_ROWS}`);
    for (let last = ''; ; ) {
      const { rows } = await this.#inTurn(() => this.#connection.query(page, [last]));
      for (const [path] of rows) yield { path: path as string };
      if (rows.length < PAGE_ROWS) return;
      last = rows.at(-1)?.[0] as string;
    }
  }

  async published(paths: readonly string[], instant: bigint): Promise<void> {
    await this.#noteMet();
    const set = `SET last_published = ${this.#dialect.instant(Number(instant / 1_000_000n))}`;
    if (paths.length > 0) await this.#change(`UPDATE ${this.#table} ${set} WHERE ${this.#among(paths)}`);
  }

  async forget(paths: readonly string[]): Promise<void> {
    await this.#noteMet();
    if (paths.length > 0) await this.#change(`DELETE FROM ${this.#table} WHERE ${this.#among(paths)}`);
  }

  async reportExpired(runs: number, forget: boolean): Promise<void> {
    const expired = `NOT encountered AND runs_not_encountered >= ${runs}`;
    await this.#change(
      forget
        ? `DELETE FROM ${this.#table} WHERE ${expired}`
        : // Without a publication time, expired files stay known and are not reported again.
          `UPDATE ${this.#table} SET last_published = NULL WHERE ${expired}`,
    );
  }

  async close(): Promise<void> {
    await this.#turn.catch(() => undefined);
    await this.#connection.close();
  }

  async #take(table: string): Promise<void> {
    for (const sql of this.#dialect.lock) {
      const statement = this.#prepare(sql);
      const taken = await this.#ask(statement, ...(statement.parameters > 0 ? [table] : []));
      if (taken === false || taken === 0 || taken === null) throw new Error('another run has it open');
    }
    await this.#change(this.#dialect.create(this.#table));
    this.#longest = Number(await this.#ask(this.#prepare(this.#dialect.longest), table));
  }

  /** Returns whether the table can store a path. If it cannot, every run publishes the file. */
  #fits(path: string): boolean {
    if (Buffer.byteLength(path) <= this.#longest && !path.includes('\0')) return true;
    if (!this.#warned) {
      this.#log.warn(
        `${path} is longer than the ${this.#longest} bytes that the state can hold, or contains a NUL character: every run publishes such files again`,
      );
    }
    this.#warned = true;
    return false;
  }

  async #noteMet(): Promise<void> {
    const { text, metAgain } = this.#dialect;
    // A single INSERT statement cannot update the same row twice.
    const rows = [...new Set(this.#met)].map((path) => `(${text(path)}, NULL, TRUE, 0)`);
    this.#met = [];
    if (rows.length === 0) return;
    const columns = '(name, last_published, encountered, runs_not_encountered)';
    await this.#change(`INSERT INTO ${this.#table} ${columns} VALUES ${rows.join(', ')} ${metAgain}`);
  }

  #among(paths: readonly string[]): string {
    return `${this.#dialect.name} IN (${paths.map((path) => this.#dialect.text(path)).join(', ')})`;
  }

  async #ask(sql: PreparedSql, ...parameters: SqlParameter[]): Promise<unknown> {
    const { rows } = await this.#inTurn(() => this.#connection.query(sql, parameters));
    return rows[0]?.[0];
  }

  #change(sql: string): Promise<void> {
    return this.#inTurn(() => this.#connection.execute(sql));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work, work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

import { setTimeout } from 'node:timers/promises';
import { HeadraceError, type Logger, type RecordChunk, type Value } from '@headrace/engine';
import { DatabaseError } from './database-error.ts';
import { DatabaseUrlError } from './database-url-error.ts';
import { standInWarning } from './driver-class.ts';
import { type DatabaseUrl, displayUrl, parseJdbcUrl } from './jdbc-url.ts';
import type { PreparedSql } from './placeholders.ts';

/** The parameters that say which database, as configs have them. */
export interface DatabaseSettings {
  readonly connectionString: string;
  /** User and password; when both are empty those in the URL count. */
  readonly jdbcUser: string;
  readonly jdbcPassword: string;
  /** How often connecting is tried again; 1 when it is missing or not positive. */
  readonly connectionRetries?: number | undefined;
  /** How long to wait before that, in milliseconds; 10,000 when it is missing or not positive. */
  readonly connectionRetryPause?: number | undefined;
}

/** A value for a `?`: integers as bigint, doubles as number. */
export type SqlParameter = string | number | bigint | boolean | null;

/** A small result, as a whole. */
export interface QueryResult {
  /** Labels of the columns. */
  readonly columns: readonly string[];
  /** Values of fields, in the order of the columns; NULL is null. */
  readonly rows: readonly (readonly Value[])[];
}

/** What the documents of a result are made of; see `RowDocuments`. Plain data. */
export interface RowLayout {
  readonly columns: readonly string[];
  readonly idField: string;
  readonly ignoreColumns: readonly string[];
  readonly docIdPrefix: string;
  /** Where the rows come from, for messages. */
  readonly source: string;
}

/** A row: the values of its columns and, behind them, the text of its id column. NULL is null. */
export type Row = Value[];

/** The result of a query that is read while it comes. It has to be closed. */
export interface RowStream {
  /** Labels of the columns. */
  readonly columns: readonly string[];
  /** The rows, a batch at a time, in memory bounded. Throws `DatabaseError`, telling how many rows were read. */
  rows(idColumn: number): AsyncIterable<readonly Row[]>;
  /** The rows as they came over the wire, for the pipeline threads to decode; undefined where a driver cannot. */
  readonly chunks?: (layout: RowLayout) => AsyncIterable<RecordChunk>;
  /** What to tell of values that were left out; undefined when none were. */
  readonly warning: string | undefined;
  /** Ends the query, wherever it is. */
  close(): Promise<void>;
}

/** One session with a database. Its calls come one after the other. All that it throws is a `DatabaseError`. */
export interface DatabaseConnection {
  /** Runs a statement for what it does; what it gives is not looked at. */
  execute(sql: string): Promise<void>;
  /** Runs a query with a small result. Throws when it gives no rows at all, as UPDATE does. */
  query(sql: PreparedSql, parameters: readonly SqlParameter[]): Promise<QueryResult>;
  /**
   * Begins to read a large result.
   * @param parameters for the placeholders of a statement in the form of the database; SQL Server takes none
   */
  stream(sql: string, parameters?: readonly SqlParameter[]): Promise<RowStream>;
  /** Whether it can be used no more. */
  readonly broken: boolean;
  close(): Promise<void>;
}

/** How to reach one database. */
export interface DatabaseDriver {
  /**
   * The database's form of a statement with `?`.
   * @param placeholder takes the place of each `?` where the database's own placeholder is `?`
   */
  prepare(sql: string, placeholder?: string): PreparedSql;
  connect(): Promise<DatabaseConnection>;
  /** How many connections at once are of use; 1 for a database inside this process. */
  readonly maxConnections: number;
}

const DEFAULT_RETRIES = 1;
const DEFAULT_PAUSE = 10_000;

/** A database: connects to it, again where that may help. */
export class Database {
  /** The name for messages; without user and password. */
  readonly name: string;
  readonly kind: DatabaseUrl['kind'];
  readonly driver: DatabaseDriver;
  readonly #retries: number;
  readonly #pause: number;
  readonly #log: Logger;

  private constructor(
    name: string,
    kind: DatabaseUrl['kind'],
    driver: DatabaseDriver,
    settings: DatabaseSettings,
    log: Logger,
  ) {
    const { connectionRetries = 0, connectionRetryPause = 0 } = settings;
    this.name = name;
    this.kind = kind;
    this.driver = driver;
    this.#retries = connectionRetries > 0 ? connectionRetries : DEFAULT_RETRIES;
    this.#pause = connectionRetryPause > 0 ? connectionRetryPause : DEFAULT_PAUSE;
    this.#log = log;
  }

  /**
   * Loads the driver of the database; connects to nothing. Throws `HR_SOURCE_UNREADABLE` when the URL cannot be read or
   * the database is not supported.
   * @param options.readOnly a file that is missing is not made, one that is there is opened to be read
   */
  static async open(settings: DatabaseSettings, log: Logger, { readOnly = false } = {}): Promise<Database> {
    try {
      const given = parseJdbcUrl(settings.connectionString);
      const url = readOnly ? toRead(given) : given;
      const warning = standInWarning(url);
      if (warning !== undefined) log.warn(warning);
      const fromUrl = settings.jdbcUser === '' && settings.jdbcPassword === '';
      const user = (fromUrl ? userOf(url) : undefined) ?? settings.jdbcUser;
      const password = (fromUrl ? passwordOf(url) : undefined) ?? settings.jdbcPassword;
      return new Database(displayUrl(url), url.kind, await loadDriver(url, { user, password }), settings, log);
    } catch (error) {
      if (!(error instanceof DatabaseUrlError)) throw error;
      throw new HeadraceError('HR_SOURCE_UNREADABLE', `connectionString: ${error.message}`, { hint: error.hint });
    }
  }

  /** A connection; what may pass by is waited for, as `connectionRetries` says. Throws `DatabaseError`. */
  async connect(signal?: AbortSignal): Promise<DatabaseConnection> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.driver.connect();
      } catch (error) {
        const hopeless =
          !(error instanceof DatabaseError) || error.trouble === 'refused' || error.trouble === 'statement';
        if (hopeless || attempt >= this.#retries || signal?.aborted === true) throw error;
        this.#log.warn(`${error.message}. Trying again in ${this.#pause} ms (${attempt + 1} of ${this.#retries})`);
        await setTimeout(this.#pause, undefined, signal === undefined ? {} : { signal }).catch(() => {
          throw error;
        });
      }
    }
  }
}

function toRead(url: DatabaseUrl): DatabaseUrl {
  if (url.kind !== 'sqlite' || url.file === ':memory:') return url;
  return { ...url, readOnly: true, insteadOf: undefined };
}

/** Who connects. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

async function loadDriver(url: DatabaseUrl, credentials: Credentials): Promise<DatabaseDriver> {
  switch (url.kind) {
    case 'sqlite':
      return (await import('./sqlite/sqlite-driver.ts')).openSqlite(url);
    case 'sqlserver':
      return (await import('./sqlserver/sqlserver-driver.ts')).openSqlServer(url, credentials);
    case 'postgres':
      return (await import('./postgres/postgres-driver.ts')).openPostgres(url, credentials);
    case 'mysql':
      return (await import('./mysql/mysql-driver.ts')).openMysql(url, credentials);
  }
}

function userOf(url: DatabaseUrl): string | undefined {
  return url.kind === 'sqlite' ? undefined : (url.properties.get('user') ?? url.properties.get('username'));
}

function passwordOf(url: DatabaseUrl): string | undefined {
  return url.kind === 'sqlite' ? undefined : url.properties.get('password');
}

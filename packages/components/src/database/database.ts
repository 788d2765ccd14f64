import { setTimeout } from 'node:timers/promises';
import { HeadraceError, type Logger, nearest, type RecordChunk, type Value } from '@headrace/engine';
import {
  type DatabaseUrl,
  DatabaseUrlError,
  displayUrl,
  type PreparedSql,
  parseJdbcUrl,
} from '@headrace/languages/java/sql';
import { REFERENCE_FORMS, type ReportChange, type ValueForms } from './column-values.ts';
import { DatabaseError } from './database-error.ts';
import { standInWarning } from './driver-class.ts';

/** The parameters of a config that select a database. */
export interface DatabaseSettings {
  readonly connectionString: string;
  /** The user and the password. If both are empty, those in the URL are used. */
  readonly jdbcUser: string;
  readonly jdbcPassword: string;
  /** The number of retries after a failed connection. Defaults to 1 if it is missing or not positive. */
  readonly connectionRetries?: number | undefined;
  /** The wait before each retry, in milliseconds. Defaults to 10,000 if it is missing or not positive. */
  readonly connectionRetryPause?: number | undefined;
}

/** How values are written, and what receives those that become others. */
export interface ValueSettings {
  readonly forms: ValueForms;
  readonly report?: ReportChange;
}

/** A value for a `?`. Integers are bigint, and doubles are number. */
export type SqlParameter = string | number | bigint | boolean | null;

/** A small result that is read as a whole. */
export interface QueryResult {
  /** The labels of the columns. */
  readonly columns: readonly string[];
  /** The values of fields, in the order of the columns. NULL is null. */
  readonly rows: readonly (readonly Value[])[];
}

/** The layout of the documents of a result, for `RowDocuments`. It is plain data. */
export interface RowLayout {
  readonly columns: readonly string[];
  readonly idField: string;
  readonly ignoreColumns: readonly string[];
  readonly docIdPrefix: string;
  /** The name of the source, for messages. */
  readonly source: string;
}

/** A row: the values of its columns, followed by the text of its id column. NULL is null. */
export type Row = Value[];

/** A result that is read as it arrives. It must be closed. */
export interface RowStream {
  /** The labels of the columns. */
  readonly columns: readonly string[];
  /** Yields the rows in batches, in bounded memory. Throws `DatabaseError` with the number of rows that were read. */
  rows(idColumn: number): AsyncIterable<readonly Row[]>;
  /**
   * Yields the rows in the form that the server sent, for the pipeline threads to decode. Undefined if the driver does
   * not support it.
   */
  readonly chunks?: (layout: RowLayout) => AsyncIterable<RecordChunk>;
  /** A message about values that were omitted, or undefined if there are none. */
  readonly warning: string | undefined;
  /** The number of times that were omitted, because they are no times. */
  readonly invalidTimes: number;
  /** Ends the query. It can be called at any time. */
  close(): Promise<void>;
}

/** A session with a database. Its calls run in sequence. All its errors are `DatabaseError`s. */
export interface DatabaseConnection {
  /** Runs a statement. Its result is ignored. */
  execute(sql: string): Promise<void>;
  /** Runs a query with a small result. Throws if it returns no rows, as UPDATE does. */
  query(sql: PreparedSql, parameters: readonly SqlParameter[]): Promise<QueryResult>;
  /**
   * Starts reading a large result.
   * @param parameters the values for the placeholders of the database; SQL Server supports none
   */
  stream(sql: string, parameters?: readonly SqlParameter[]): Promise<RowStream>;
  /** True if the connection can no longer be used. */
  readonly broken: boolean;
  close(): Promise<void>;
}

/** Prepares statements for one database and connects to it. */
export interface DatabaseDriver {
  /**
   * Returns a statement with `?` in the form of the database.
   * @param placeholder replaces each `?` if the placeholder of the database is `?`
   */
  prepare(sql: string, placeholder?: string): PreparedSql;
  connect(): Promise<DatabaseConnection>;
  /** The maximum useful number of simultaneous connections. It is 1 for a database inside this process. */
  readonly maxConnections: number;
}

const DEFAULT_RETRIES = 1;
const DEFAULT_PAUSE = 10_000;

/** A database. It connects, and retries after temporary failures. */
export class Database {
  /** The name for messages, without user and password. */
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
   * Loads the driver of the database without connecting. Throws `HR_SOURCE_UNREADABLE` if the URL cannot be read or the
   * database is not supported.
   * @param options.readOnly whether an existing file is opened read-only and a missing file is not created
   * @param options.values defaults to the forms of the reference
   */
  static async open(
    settings: DatabaseSettings,
    log: Logger,
    options: { readonly readOnly?: boolean; readonly values?: ValueSettings } = {},
  ): Promise<Database> {
    const { readOnly = false, values = { forms: REFERENCE_FORMS } } = options;
    try {
      const given = parseJdbcUrl(settings.connectionString, nearest);
      const url = readOnly ? toRead(given) : given;
      const warning = standInWarning(url);
      if (warning !== undefined) log.warn(warning);
      const fromUrl = settings.jdbcUser === '' && settings.jdbcPassword === '';
      const user = (fromUrl ? userOf(url) : undefined) ?? settings.jdbcUser;
      const password = (fromUrl ? passwordOf(url) : undefined) ?? settings.jdbcPassword;
      return new Database(displayUrl(url), url.kind, await loadDriver(url, { user, password }, values), settings, log);
    } catch (error) {
      if (!(error instanceof DatabaseUrlError)) throw error;
      throw new HeadraceError('HR_SOURCE_UNREADABLE', `connectionString: ${error.message}`, { hint: error.hint });
    }
  }

  /** Connects. Retries temporary failures as often as `connectionRetries`. Throws `DatabaseError`. */
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

/** The user and the password of a connection. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

async function loadDriver(url: DatabaseUrl, credentials: Credentials, values: ValueSettings): Promise<DatabaseDriver> {
  switch (url.kind) {
    case 'sqlite':
      return (await import('./sqlite/sqlite-driver.ts')).openSqlite(url, values);
    case 'sqlserver':
      return (await import('./sqlserver/sqlserver-driver.ts')).openSqlServer(url, credentials, values);
    case 'postgres':
      return (await import('./postgres/postgres-driver.ts')).openPostgres(url, credentials, values);
    case 'mysql':
      return (await import('./mysql/mysql-driver.ts')).openMysql(url, credentials, values);
  }
}

function userOf(url: DatabaseUrl): string | undefined {
  return url.kind === 'sqlite' ? undefined : (url.properties.get('user') ?? url.properties.get('username'));
}

function passwordOf(url: DatabaseUrl): string | undefined {
  return url.kind === 'sqlite' ? undefined : url.properties.get('password');
}

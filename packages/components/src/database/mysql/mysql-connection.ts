import type { Socket } from 'node:net';
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import type { Value } from '@headrace/engine';
import { counted, maxValueBytes } from '@headrace/engine';
import { type HostPort, type PreparedSql, SqlTimes } from '@headrace/languages/java/sql';
import type mysql from 'mysql2';
import { unsupportedLibrary } from '../../libraries/unsupported-library.ts';
import { BatchQueue } from '../batch-queue.ts';
import { ColumnValues, REFERENCE_FORMS } from '../column-values.ts';
import type { DatabaseConnection, QueryResult, Row, RowStream, SqlParameter, ValueSettings } from '../database.ts';
import type { DatabaseErrors } from '../database-error.ts';
import { RowTooLarge } from '../row-limit.ts';
import { BATCH_BYTES, sizeOfRow } from '../row-size.ts';
import type { MysqlSettings } from './mysql-settings.ts';
import { type MysqlColumn, type MysqlValue, mysqlIdText, mysqlReader } from './mysql-values.ts';

const KEEP_ALIVE_MILLIS = 60_000;
/** The time limit of a lookup for a document, so that a silent server does not block a run. */
const QUERY_MILLIS = 5 * 60_000;
/** The size of a batch of rows: this number of rows, or about this many bytes. */
const BATCH_ROWS = 1000;
const WAITING_BYTES = 4 * 1024 * 1024;

/** Members of the connection that its types lack. See docs/contributing/libraries.md. */
interface ConnectionInside {
  readonly stream: Socket;
  readonly packetParser: { readonly bufferLength: number; readonly largePacketParts: readonly Uint8Array[] };
}

/** A session with MySQL or MariaDB. */
export class MysqlConnection implements DatabaseConnection {
  broken = false;
  /** True while a query is running. */
  #busy = false;
  /** Called if the connection is lost while rows are read, because the driver does not notify their query. */
  #onLoss: ((error: unknown) => void) | undefined;
  readonly #connection: mysql.Connection;
  readonly #settings: MysqlSettings;
  readonly #errors: DatabaseErrors;
  readonly #times: SqlTimes;
  readonly #values: ColumnValues;
  readonly #reopen: () => Promise<MysqlConnection>;

  private constructor(
    connection: mysql.Connection,
    settings: MysqlSettings,
    errors: DatabaseErrors,
    values: ValueSettings,
    reopen: () => Promise<MysqlConnection>,
  ) {
    this.#connection = connection;
    this.#settings = settings;
    this.#errors = errors;
    this.#times = new SqlTimes(settings.zone);
    this.#values = new ColumnValues(this.#times, values.forms, values.report);
    this.#reopen = reopen;
    connection.on('error', (error) => {
      this.broken = true;
      this.#onLoss?.(error);
    });
  }

  static async open(
    module: typeof mysql,
    { host, port }: HostPort,
    tls: TlsOptions | false,
    settings: MysqlSettings,
    errors: DatabaseErrors,
    values: ValueSettings,
  ): Promise<MysqlConnection> {
    const { user, password, database, connectTimeoutMs, sessionVariables } = settings;
    const connection = module.createConnection({
      host,
      port,
      user,
      password,
      ...(database === undefined ? {} : { database }),
      ...(tls === false ? {} : { ssl: tls as mysql.SslOptions }),
      connectTimeout: connectTimeoutMs,
      enableKeepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MILLIS,
      charset: 'utf8mb4',
      supportBigNumbers: true,
      dateStrings: true,
      jsonStrings: true,
      rowsAsArray: true,
      // Without this flag, a server could request files of this machine.
      flags: ['-LOCAL_FILES'],
    });
    requireInside(connection);
    const opened = new MysqlConnection(connection, settings, errors, values, () =>
      MysqlConnection.open(module, { host, port }, tls, settings, errors, values),
    );
    await new Promise<void>((resolve, reject) => {
      connection.connect((error) => (error === null ? resolve() : reject(error)));
    }).catch((error) => {
      connection.destroy();
      throw error;
    });
    opened.#limitRows();
    if (sessionVariables !== undefined) await opened.execute(`SET ${sessionVariables}`);
    return opened;
  }

  async execute(sql: string): Promise<void> {
    await this.#run((done) => this.#connection.query(sql, (error) => done(error)));
  }

  async query(sql: PreparedSql, parameters: readonly SqlParameter[]): Promise<QueryResult> {
    let columns: readonly MysqlColumn[] | undefined;
    let rows: readonly MysqlValue[][] = [];
    const timeout = this.#settings.silenceTimeoutMs || QUERY_MILLIS;
    await this.#run((done) =>
      this.#connection.execute(
        { sql: sql.text, timeout, rowsAsArray: true },
        parameters.map(boundValue),
        (error, result, fields) => {
          columns = fields as MysqlColumn[] | undefined;
          rows = result as unknown as MysqlValue[][];
          done(error);
        },
      ),
    );
    if (columns === undefined) throw this.#errors.wrap(new Error('the statement is not a query: it returns no rows'));
    const values = new ColumnValues(this.#times, REFERENCE_FORMS);
    const readers = columns.map((column) => mysqlReader(column, this.#settings, values));
    return {
      columns: columns.map(({ name }) => name),
      rows: rows.map((row) => row.map((value, i) => (readers[i] as (value: MysqlValue) => Value)(value))),
    };
  }

  async stream(sql: string, parameters: readonly SqlParameter[] = []): Promise<RowStream> {
    const { writeTimeoutSeconds } = this.#settings;
    // Otherwise the server ends the session when the pipeline pauses for longer than its net_write_timeout.
    if (writeTimeoutSeconds !== undefined) await this.execute(`SET SESSION net_write_timeout = ${writeTimeoutSeconds}`);
    this.#busy = true;
    const options = { sql, rowsAsArray: true };
    const query =
      parameters.length === 0
        ? this.#connection.query(options)
        : this.#connection.execute(options, parameters.map(boundValue));
    const times = this.#times;
    let received = 0;
    let idColumn = -1;
    let readers: ((value: MysqlValue) => Value)[] = [];
    let batch: Row[] = [];
    let bytes = 0;
    // While no rows are read, the server cannot send, so its silence is not an error.
    let held = false;
    const queue = new BatchQueue<readonly Row[]>(
      {
        pause: () => {
          held = true;
          this.#connection.pause();
        },
        resume: () => {
          held = false;
          this.#connection.resume();
        },
      },
      WAITING_BYTES,
    );
    const silent = () => {
      if (held) return;
      this.broken = true;
      this.#connection.destroy();
      this.#onLoss?.(new Error('the server has been silent for longer than socketTimeout'));
    };
    const flush = () => {
      if (batch.length > 0) queue.push(batch, bytes);
      batch = [];
      bytes = 0;
    };
    // The driver waits until the rows are requested, because the id column is known only then.
    const columns = await new Promise<readonly MysqlColumn[]>((resolve, reject) => {
      const fail = (error: unknown) => {
        this.#busy = false;
        this.#noteLoss(error);
        flush();
        const wrapped = this.#errors.wrap(
          error,
          received > 0 ? `${counted(received, 'row was', 'rows were')} read` : '',
        );
        reject(wrapped);
        queue.fail(wrapped);
      };
      this.#onLoss = fail;
      this.#socket.setTimeout(this.#settings.silenceTimeoutMs, silent);
      query.on('error', fail);
      query.on('fields', (fields: readonly MysqlColumn[] | undefined) => {
        if (fields === undefined) reject(this.#errors.wrap(new Error('sql is not a query: it returns no rows')));
        else {
          held = true;
          this.#connection.pause();
          resolve(fields);
        }
      });
      query.on('result', (row: unknown) => {
        if (!Array.isArray(row)) return;
        received++;
        const values: Row = new Array(row.length + 1);
        for (let i = 0; i < row.length; i++) {
          values[i] = (readers[i] as (value: MysqlValue) => Value)(row[i] as MysqlValue);
        }
        values[row.length] = mysqlIdText(row[idColumn] as MysqlValue);
        bytes += sizeOfRow(values);
        batch.push(values);
        if (batch.length >= BATCH_ROWS || bytes >= BATCH_BYTES) flush();
      });
      query.on('end', () => {
        this.#busy = false;
        this.#onLoss = undefined;
        this.#socket.setTimeout(0, silent);
        flush();
        queue.end();
      });
    });
    return {
      columns: columns.map(({ name }) => name),
      rows: (column) => {
        idColumn = column;
        readers = columns.map((one) => mysqlReader(one, this.#settings, this.#values));
        held = false;
        this.#connection.resume();
        return queue;
      },
      get invalidTimes() {
        return times.invalid;
      },
      get warning() {
        return times.warning;
      },
      close: async () => {
        if (this.#busy) await this.#cancel();
      },
    };
  }

  async close(): Promise<void> {
    if (this.broken) this.#connection.destroy();
    else if (this.#busy) await this.#cancel();
    // An error while closing has no effect.
    else await new Promise<void>((resolve) => this.#connection.end(() => resolve()));
    this.broken = true;
  }

  get #inside(): ConnectionInside {
    return this.#connection as unknown as ConnectionInside;
  }

  get #socket(): Socket {
    return this.#inside.stream;
  }

  /** Ends the session when a row becomes too large. The driver collects a row before it passes it on. */
  #limitRows(): void {
    const { packetParser } = this.#inside;
    this.#socket.on('data', () => {
      const bytes = packetParser.largePacketParts.reduce((sum, { length }) => sum + length, packetParser.bufferLength);
      if (bytes <= maxValueBytes()) return;
      this.broken = true;
      this.#socket.destroy(new RowTooLarge());
    });
  }

  /** Cancels the query of the session from another session, and closes the session. */
  async #cancel(): Promise<void> {
    this.broken = true;
    const { threadId } = this.#connection;
    this.#onLoss?.(new Error('Connection lost: it was closed by Headrace'));
    this.#connection.destroy();
    // A query that computes does not notice that its reader is closed. A failure is ignored, because the rows are not
    // needed.
    await this.#reopen()
      .then((other) => other.execute(`KILL ${threadId}`).finally(() => other.close()))
      .catch(() => undefined);
  }

  async #run(work: (done: (error: unknown) => void) => void): Promise<void> {
    this.#busy = true;
    try {
      await new Promise<void>((resolve, reject) => work((error) => (error ? reject(error) : resolve())));
    } catch (error) {
      this.#noteLoss(error);
      throw this.#errors.wrap(error);
    } finally {
      this.#busy = false;
    }
  }

  #noteLoss(error: unknown): void {
    const { trouble } = this.#errors.wrap(error);
    if (trouble === 'lost' || trouble === 'timeout' || (error as { fatal?: boolean }).fatal === true)
      this.broken = true;
  }
}

/** Throws `HR_LIBRARY_VERSION` if the size of a row could not be limited. */
function requireInside(connection: mysql.Connection): void {
  const { packetParser, stream } = connection as unknown as Partial<ConnectionInside>;
  const isComplete = typeof packetParser?.bufferLength === 'number' && Array.isArray(packetParser.largePacketParts);
  if (isComplete && stream !== undefined) return;
  connection.destroy();
  throw unsupportedLibrary('mysql2', 'stream, or no packetParser with the size of a row');
}

/** Converts a bigint to a text, because the driver does not support bigint. */
function boundValue(value: SqlParameter): Exclude<SqlParameter, bigint> {
  return typeof value === 'bigint' ? String(value) : value;
}

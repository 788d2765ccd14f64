import type { ConnectionOptions } from 'node:tls';
import { HeadraceError, holdMemory, type Value } from '@headrace/engine';
import {
  type DataRowCollector,
  isUnknownType,
  kindOf,
  type TypeRow,
  type ValueKind,
} from '@headrace/formats/records/postgres';
import { type HostPort, type PreparedSql, processZone, SqlTimes } from '@headrace/languages/java/sql';
import type pg from 'pg';
import { ColumnValues, REFERENCE_FORMS } from '../column-values.ts';
import type { DatabaseConnection, QueryResult, RowStream, SqlParameter, ValueSettings } from '../database.ts';
import type { DatabaseErrors } from '../database-error.ts';
import { Describe } from './describe.ts';
import { withPosition } from './postgres-errors.ts';
import { PostgresRowStream } from './postgres-row-stream.ts';
import type { PostgresSettings } from './postgres-settings.ts';
import { PostgresStream } from './postgres-stream.ts';
import { textReader } from './value-readers.ts';

type Pg = typeof pg;

/** Members of the client that its types lack. See docs/contributing/libraries.md. */
interface ClientInside {
  /** The number of the session in the server. */
  readonly processID: number | null;
}

const KEEP_ALIVE_MILLIS = 60_000;
/** The time limit of a lookup for a document, so that a silent server does not block a run. */
const QUERY_MILLIS = 5 * 60_000;
const CANCEL_MILLIS = 3000;
const TEXTS = { getTypeParser: () => (text: string) => text };

/** A session with Postgres. */
export class PostgresConnection implements DatabaseConnection {
  broken = false;
  /** True while a query is running. */
  #busy = false;
  readonly #client: pg.Client;
  readonly #stream: PostgresStream;
  readonly #errors: DatabaseErrors;
  readonly #settings: PostgresSettings;
  readonly #values: ValueSettings;
  readonly #reopen: () => Promise<PostgresConnection>;
  readonly #kinds = new Map<number, TypeRow>();
  readonly #times = new SqlTimes(processZone());
  readonly #statements = new Map<string, string>();
  /** The memory of a large row while it arrives. */
  readonly #memory = holdMemory('a row of the database', this);
  /** True while there is no memory for a large row. */
  waitsForMemory = false;
  #isPaused = false;

  private constructor(
    client: pg.Client,
    stream: PostgresStream,
    settings: PostgresSettings,
    errors: DatabaseErrors,
    values: ValueSettings,
    reopen: () => Promise<PostgresConnection>,
  ) {
    this.#client = client;
    this.#stream = stream;
    this.#settings = settings;
    this.#errors = errors;
    this.#values = values;
    this.#reopen = reopen;
    // The running query also receives the error. Without a listener, the process would end.
    client.on('error', () => {
      this.broken = true;
    });
    client.on('end', () => {
      this.broken = true;
      this.#memory.release();
    });
    stream.collector.onLarge = (bytes) => this.#expect(bytes);
  }

  get collector(): DataRowCollector {
    return this.#stream.collector;
  }

  static async open(
    module: Pg,
    { host, port }: HostPort,
    tls: ConnectionOptions | false,
    settings: PostgresSettings,
    errors: DatabaseErrors,
    values: ValueSettings,
  ): Promise<PostgresConnection> {
    const { user, password, database, session, connectTimeoutMs } = settings;
    const stream = new PostgresStream(tls);
    const client = new module.Client({
      host,
      port,
      user,
      database,
      // The stream begins TLS.
      ssl: false,
      sslnegotiation: 'postgres',
      stream: () => stream,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MILLIS,
      // The password is a function, because `pg` would look for an empty password in the environment and in a file of the user.
      password: () => {
        if (password === '') throw new Error(`the server requires a password for ${user}, and jdbcPassword is empty`);
        return password;
      },
      connectionTimeoutMillis: connectTimeoutMs,
    } as pg.ClientConfig);
    // All settings are set here, because `pg` would add others from the environment.
    Object.assign(client, { getStartupConf: () => ({ user, database, ...session }) });
    const opened = new PostgresConnection(client, stream, settings, errors, values, () =>
      PostgresConnection.open(module, { host, port }, tls, settings, errors, values),
    );
    try {
      await client.connect();
    } catch (error) {
      await opened.close();
      throw error;
    }
    return opened;
  }

  async execute(sql: string): Promise<void> {
    await this.#run(() => this.#client.query(sql));
  }

  async query(sql: PreparedSql, parameters: readonly SqlParameter[]): Promise<QueryResult> {
    const settings = this.#settings;
    const times = this.#times;
    const { fields, rows } = await this.#run(() =>
      this.#client.query({
        ...(settings.keepPrepared ? { name: this.#nameOf(sql.text) } : {}),
        text: sql.text,
        values: [...parameters],
        rowMode: 'array',
        types: TEXTS,
        query_timeout: settings.silenceTimeoutMs || QUERY_MILLIS,
      } as pg.QueryArrayConfig),
    );
    if (fields.length === 0) throw this.#errors.wrap(new Error('the statement is not a query: it returns no rows'));
    if (rows.length === 0) return { columns: fields.map(({ name }) => name), rows: [] };
    const kinds = await this.#kindsOf(fields);
    const values = new ColumnValues(times, REFERENCE_FORMS);
    const readers = kinds.map((kind, i) => textReader(kind, values, (fields[i] as pg.FieldDef).name));
    return {
      columns: fields.map(({ name }) => name),
      rows: (rows as (string | null)[][]).map((row) =>
        row.map((text, i): Value => (text === null ? null : (readers[i] as (text: string) => Value)(text))),
      ),
    };
  }

  async stream(sql: string, parameters: readonly SqlParameter[] = []): Promise<RowStream> {
    const describe = new Describe(sql);
    const fields = await this.#run(() => {
      this.#client.query(describe);
      return describe.done;
    });
    if (fields === undefined) throw this.#errors.wrap(new Error('sql is not a query: it returns no rows'));
    const kinds = await this.#kindsOf(fields);
    return new PostgresRowStream(
      this,
      { text: sql, parameters },
      fields.map(({ name }) => name),
      kinds,
      this.#errors,
      this.#values,
    );
  }

  /** Runs a query whose rows go to the collector. Throws the errors of `pg`. */
  async runCollected(text: string, parameters: readonly SqlParameter[], silent: () => void): Promise<void> {
    const stream = this.#stream;
    const { silenceTimeoutMs } = this.#settings;
    this.#busy = true;
    stream.setTimeout(silenceTimeoutMs, silent);
    try {
      await this.#client.query({ text, values: [...parameters], queryMode: 'extended' } as pg.QueryConfig);
    } finally {
      stream.setTimeout(0, silent);
      this.#busy = false;
    }
  }

  pause(): void {
    this.#isPaused = true;
    this.#stream.hold();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.waitsForMemory) this.#stream.proceed();
  }

  /** Takes memory for a large row before more of it is read. 0 means that it is complete. */
  #expect(bytes: number): void {
    this.#memory.release();
    if (bytes === 0) return;
    try {
      const waiting = this.#memory.take(bytes);
      if (waiting === undefined) return;
      this.waitsForMemory = true;
      this.#stream.hold();
      waiting.then(
        () => {
          this.waitsForMemory = false;
          if (!this.#isPaused) this.#stream.proceed();
        },
        (error) => this.destroy(error as Error),
      );
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  /** Cancels the query of the session from another session, and closes the session. */
  async #cancel(): Promise<void> {
    this.broken = true;
    const { processID } = this.#client as unknown as ClientInside;
    // A query that computes does not notice that its reader is closed. A failure is ignored, because the rows are not
    // needed.
    await this.#reopen()
      .then(async (other) => {
        other.#stream.setTimeout(CANCEL_MILLIS, () => other.#stream.destroy());
        await other.execute(`select pg_cancel_backend(${processID})`).finally(() => other.close());
      })
      .catch(() => undefined);
    this.#stream.destroy();
  }

  /** Closes the connection with an error, which the running query receives. */
  destroy(error: Error): void {
    this.broken = true;
    this.#stream.destroy(error);
  }

  async close(): Promise<void> {
    if (this.broken) this.#stream.destroy();
    else if (this.#busy) await this.#cancel();
    // An error while closing has no effect.
    else await this.#client.end().catch(() => undefined);
    this.broken = true;
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    this.#busy = true;
    try {
      return await work();
    } catch (error) {
      // Also an error about the memory for a row.
      if (error instanceof HeadraceError) throw error;
      const wrapped = this.#errors.wrap(withPosition(error));
      // After a lost connection or a timeout, the connection cannot be used again.
      if (wrapped.trouble === 'lost' || /timeout/.test(wrapped.message)) this.broken = true;
      throw wrapped;
    } finally {
      this.#busy = false;
    }
  }

  /** Returns the kinds of the columns. Types that differ between databases are looked up once. */
  async #kindsOf(fields: readonly pg.FieldDef[]): Promise<ValueKind[]> {
    const unknown = fields.filter((field) => isUnknownType(field) && !this.#kinds.has(field.dataTypeID));
    if (unknown.length > 0) {
      const oids = [...new Set(unknown.map(({ dataTypeID }) => dataTypeID))].join(',');
      const { rows } = await this.#run(() =>
        this.#client.query({
          text: `select oid::int8, typelem::int8, typinput::text = 'array_in' from pg_catalog.pg_type where oid in (${oids})`,
          rowMode: 'array',
          types: TEXTS,
        }),
      );
      for (const [oid, element, isArray] of rows as [string, string, string][]) {
        this.#kinds.set(Number(oid), { oid: Number(oid), element: Number(element), isArray: isArray === 't' });
      }
    }
    return fields.map((field) => kindOf(field, this.#kinds));
  }

  #nameOf(text: string): string {
    let name = this.#statements.get(text);
    if (name === undefined) {
      name = `headrace_${this.#statements.size + 1}`;
      this.#statements.set(text, name);
    }
    return name;
  }
}

import {
  Connector,
  type ConnectorEnd,
  capped,
  clamped,
  Document,
  HeadraceError,
  type JsonObject,
  MAX_MILLIS,
  messageOf,
  OneOf,
  type ParameterProblem,
  type Publisher,
  QUERIES,
  type ReportProblem,
  type Static,
  type TouchedFile,
  Type,
  type Value,
  withDefaults,
} from '@headrace/engine';
import { checkDatabaseAccess, checkQueryAccess } from '../database/check-database-access.ts';
import { checkIncremental } from '../database/check-incremental.ts';
import { ChildRows } from '../database/child-rows.ts';
import { Database, type DatabaseConnection, type RowLayout, type RowStream } from '../database/database.ts';
import { checkDatabase, isSqlServer } from '../database/driver-class.ts';
import { type BoundQuery, bindMark, type HighMark, highestMark, initialMark } from '../database/high-mark.ts';
import { RepeatedIds } from '../database/repeated-ids.ts';
import { RowDocuments } from '../database/row-documents.ts';
import type { FileState } from '../files/file-state.ts';
import { RememberedMark } from '../files/remembered-mark.ts';
import {
  checkStateAccess,
  checkStateConnection,
  defaultStateFile,
  keepsState,
  openState,
  RememberParameter,
} from '../files/state-settings.ts';
import { requirePublisher } from '../publishing/require-publisher.ts';
import { unreadSince } from '../publishing/unread.ts';

const parameters = Type.Object({
  /**
   * The class of the JDBC driver, such as org.postgresql.Driver, com.mysql.cj.jdbc.Driver, org.mariadb.jdbc.Driver,
   * com.microsoft.sqlserver.jdbc.SQLServerDriver or org.sqlite.JDBC. No Java is needed: the URL names the database.
   */
  driver: Type.String(),
  /**
   * The JDBC URL: jdbc:postgresql://host:5432/db?sslmode=verify-full, jdbc:mysql://host:3306/db,
   * jdbc:mariadb://host/db, jdbc:sqlserver://host:1433;databaseName=db, jdbc:sqlite:/path/file.db.
   */
  connectionString: Type.String(QUERIES),
  /** The user. Empty together with jdbcPassword means the user in the URL. */
  jdbcUser: Type.String(),
  /** The password. Read it from the environment: ${DB_PASSWORD}. */
  jdbcPassword: Type.String(),
  /** The query. */
  sql: Type.String(),
  /** The label of the column with the id, in any letter case. */
  idField: Type.String(),
  /** Accepted, without effect: rows are always streamed. */
  fetchSize: Type.Optional(Type.Integer({ noEffect: true })),
  /**
   * A statement to run before the query, on the same connection. A failure is logged, and the query still runs, unless
   * failOnSQLError is set. Previews do not run it.
   */
  preSQL: Type.Optional(Type.String()),
  /**
   * A statement to run on the same connection after all documents have finished. It does not run if the run fails or
   * was stopped, if documents could not be delivered because the destination was away, overloaded or refused
   * everything, or if failed documents are not kept (by the service, or with headrace run --failures FILE). A failure
   * is logged, unless failOnSQLError is set. Previews do not run it.
   */
  postSQL: Type.Optional(Type.String()),
  /** The queries for children, each sorted by its join column. */
  otherSQLs: Type.Array(Type.String(), { default: [] }),
  /** The join column of each of otherSQLs. */
  otherJoinFields: Type.Array(Type.String(), { default: [] }),
  /** Labels of columns that become no field, in any letter case. */
  ignoreColumns: Type.Array(Type.String(), { default: [] }),
  /**
   * How columns of type DATE are written: plain is 2024-01-02. reference is the instant at which the day begins in the
   * zone of the process, which may be on the day before in UTC.
   */
  dates: OneOf(['reference', 'plain'], { default: 'reference' }),
  /**
   * How DECIMAL and NUMERIC are written: double rounds to about 16 digits, string is a text with all digits, exact is a
   * number if a number holds all digits, otherwise a text. SQL Server supports only double.
   */
  decimals: OneOf(['double', 'string', 'exact'], { default: 'double' }),
  /** How often a failed connection is retried. A rejected password is not retried. */
  connectionRetries: Type.Integer({ default: 1, ...clamped({ minimum: 1 }), ...capped('maxRetries') }),
  /** The wait before each retry, in milliseconds. */
  connectionRetryPause: Type.Integer({
    default: 10_000,
    ...clamped({ maximum: MAX_MILLIS }),
    ...capped('maxWaitSecs', { scale: 1000 }),
  }),
  /** Whether a failure of preSQL or postSQL fails the connector, and with it the run. */
  failOnSQLError: Type.Boolean({ default: false }),
  /** Makes runs read only rows that are new since the last run. */
  incremental: Type.Optional(
    Type.Object({
      /**
       * The label of the column whose highest value is remembered, in any letter case. It should only grow: a serial
       * number, or the time of the last change.
       */
      column: Type.String(),
      /** The value for the first run, such as 0 or "1970-01-01". */
      initial: Type.String(),
    }),
  ),
  /** Where incremental remembers its value. */
  state: Type.Optional(RememberParameter),
});

/** The state if the config has no block `state`. */
const DEFAULT_STATE = withDefaults(RememberParameter);

/**
 * Publishes a document for each row of a query: PostgreSQL (and Redshift), MySQL, MariaDB, SQL Server, SQLite.
 *
 * The JDBC URL of an existing config works, with its parameters for the connection: host and port, several hosts (in
 * any form: the first one that answers is used), the schema, TLS and its certificates, time-outs, the time zone. H2
 * runs only in Java, so SQLite is used instead, with a warning; a file of H2 is refused. Oracle, Derby and others are
 * refused by validation.
 *
 * TLS: sslmode=verify-full&sslrootcert=/path/ca.pem (PostgreSQL), sslMode=VERIFY_IDENTITY&serverSslCert=/path/ca.pem
 * (MySQL, MariaDB) and serverCertificate=/path/ca.pem (SQL Server) trust your own certificate authority.
 * sslmode=require, sslMode=REQUIRED and trustServerCertificate=true encrypt without a check of the certificate. Java
 * key stores cannot be read. Validation reports an unknown parameter that seems to secure the connection.
 *
 * Each column becomes a field with the name of its label (AS label wins) in lower case. NULL becomes no field. Two
 * columns with one label make a list. The id is the text of the column idField; a row with NULL there fails alone. A
 * column with a reserved name, such as id or run_id, must be renamed in the query or ignored, unless it is the id
 * column.
 *
 * Integers of any length are exact. DECIMAL, NUMERIC and DOUBLE are doubles; FLOAT and REAL of 32 bits are written in
 * their shortest form. decimals: exact keeps all digits of DECIMAL and NUMERIC. A rounded value is a notice. BOOLEAN, BIT and, in MySQL, TINYINT(1) are booleans. Dates and times are instants in UTC, in
 * milliseconds. Those without a zone are read in the zone of the process (variable TZ); a date is midnight there.
 * dates: plain writes a date as 2024-01-02. A date whose instant is on another day in UTC is a notice.
 * MySQL's parameter connectionTimeZone sets another zone. BLOB, BINARY and bytea are bytes, written as base64. Types of
 * PostgreSQL: json and jsonb are objects, arrays are lists, uuid, time, interval and all others are texts.
 *
 * A row with the id of an earlier row replaces its document, so it is a notice (ids.repeated): a join repeats the ids of
 * its first table. With collapse: true, neighbours become one document and are not counted. All rows of a result of up
 * to a million rows are compared; in a larger one, rows that are far apart may not be counted.
 *
 * Rows are streamed: memory does not grow with the table, and a slow pipeline slows the database down. MySQL and MariaDB
 * end a session that cannot send for longer than net_write_timeout, so the connector sets it to a day;
 * netTimeoutForStreamingResults in the URL sets other seconds, and 0 leaves the setting of the server. If the
 * connection is lost, the connector fails and reports how many rows it has read. A connection that fails at the start
 * is tried again.
 *
 * Rows of other queries can be attached as children (EmitNestedChildren turns them into documents). Each of these
 * queries has a join column. Its rows belong to the document with the same value in its id column. Sort both queries by
 * these columns, ascending, numbers as numbers and texts by their characters (in PostgreSQL ORDER BY name COLLATE "C").
 * Rows in another order fail the connector, so no row is lost. The ids of the children are numbers: 0, 1 and so on, for
 * each document and each query from 0. If they become documents, these ids overwrite one another in an index. So build
 * a field with a unique id from the id of the parent, and name it to the indexer, which uses the id of a document if
 * the field is missing:
 *
 *     stages: [
 *       { class: EmitNestedChildren, fieldsToCopy { id: author_id } }
 *       { class: Concatenate, dest: book_id, formatString: "{author_id}-{id}", conditions: [{ fields: [author_id] }] }
 *     ]
 *     indexer { type: OpenSearch, idOverrideField: book_id }
 *
 * With several queries, add a column to each that names it ('book' AS kind), and use it in the text too. Or let the
 * query select the id as a column with another name than id.
 *
 * With incremental, a run reads only rows that are new since the last run. The connector remembers the highest value of
 * a column, and binds it to every ? in sql:
 *
 *     sql: "SELECT id, title, changed FROM books WHERE changed >= ?"
 *     incremental { column: changed, initial: "1970-01-01" }
 *
 * The value is remembered if all rows were read, and their documents were indexed, or failed and are kept (by the
 * service, or with headrace run --failures FILE). A run that is killed or stopped, could not deliver its documents, or
 * has failed documents that are not kept remembers nothing, so the next run reads the same rows again. The
 * order of the rows does not matter. Write >=, not >: otherwise later rows with the remembered value are missed. The
 * rows with that value are read again in each run, and replace themselves in the index.
 *
 * The database computes the value before the rows are read, as MAX over the query. So the query runs twice: an index on
 * the column helps. Values keep their type: integers of any length, decimals, texts in the order of their collation,
 * dates and times to the microsecond. A column of FLOAT is not exact, so do not use one. Rows with NULL in the column
 * are read only if the query selects them (OR changed IS NULL). A transaction that commits late may add rows below the
 * remembered value: go back as far as transactions take, such as changed >= CAST(? AS timestamp) - INTERVAL '5
 * minutes'. A TIMESTAMP of MySQL is compared in the zone of the session: set sessionVariables=time_zone='+00:00' in the
 * URL if the server's zone has summer time. In PostgreSQL, write the operator ? as ??. SQL Server is not supported.
 * Previews use initial.
 */
export class DatabaseConnector extends Connector<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly needsPipeline = true;
  static readonly javaClass = 'com.kmwllc.lucille.connector.jdbc.DatabaseConnector';
  #main: DatabaseConnection | undefined;
  readonly #others: DatabaseConnection[] = [];
  readonly #streams: RowStream[] = [];
  #target: Publisher | undefined;
  #completed = false;
  #state: FileState | undefined;
  #remembered: RememberedMark | undefined;
  /** The highest value of the incremental column in the rows that this run reads. */
  #highest: HighMark | undefined;

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkDatabase(params);
    const { sql, idField, otherSQLs, otherJoinFields } = params;
    if (sql.trim() === '') yield { parameter: 'sql', message: 'sql is empty' };
    if (idField === '') yield { parameter: 'idField', message: 'idField is empty' };
    if (otherSQLs.length !== otherJoinFields.length) {
      yield {
        parameter: 'otherJoinFields',
        message: `otherJoinFields has ${otherJoinFields.length} entries, otherSQLs ${otherSQLs.length}`,
        hint: 'Each query of otherSQLs needs the name of its join column.',
      };
    }
    if (params.decimals !== 'double' && isSqlServer(params.connectionString)) {
      const hint = 'Convert the columns in the query: CAST(price AS varchar(50)) AS price.';
      yield { parameter: 'decimals', message: 'The driver of SQL Server reads decimals as doubles only', hint };
    }
    yield* checkIncremental(params);
    yield* checkStateConnection(params.state);
  }

  static override *touches(
    { incremental, state = DEFAULT_STATE }: Static<typeof parameters>,
    name: string,
  ): Generator<TouchedFile> {
    if (incremental !== undefined && keepsState(state)) yield* defaultStateFile(state, name);
  }

  static override goesOn({ incremental, state = DEFAULT_STATE }: Static<typeof parameters>): boolean {
    return incremental !== undefined && keepsState(state);
  }

  static override marksRead(params: Static<typeof parameters>): boolean {
    return params.postSQL !== undefined || DatabaseConnector.goesOn(params);
  }

  override async checkAccess(report: ReportProblem): Promise<void> {
    const { sql, otherSQLs, incremental, state = DEFAULT_STATE } = this.params;
    const queries = [{ parameter: 'sql', sql }, ...otherSQLs.map((sql, i) => ({ parameter: `otherSQLs[${i}]`, sql }))];
    await checkDatabaseAccess(this.params, this.context.log, async (connection, database) => {
      for (const { parameter, sql } of queries) {
        const isBound = incremental !== undefined && parameter === 'sql';
        const query = isBound ? bindMark(database, sql, initialMark(incremental.initial)).text : sql;
        await checkQueryAccess(connection, database, parameter, query, report, isBound);
      }
    });
    if (incremental !== undefined && keepsState(state)) await checkStateAccess(state, this.context.log);
  }

  override async execute(publisher: Publisher | undefined): Promise<void> {
    const { params, context } = this;
    const target = requirePublisher(publisher, context.name);
    this.#target = target;
    // An abort closes the connections, so the run does not wait for the next row.
    target.signal.addEventListener('abort', () => void this.#closeConnections(), { once: true });
    const { dates, decimals } = params;
    const database = await Database.open(params, context.log, {
      values: { forms: { dates, decimals }, report: (code, details) => context.notices.report(code, details) },
    });
    this.#main = await database.connect(context.signal);
    await this.#attempt('preSQL', params.preSQL);
    if (target.signal.aborted) return;
    const stream = await this.#open(this.#main, await this.#mainQuery(this.#main, database));
    const children: ChildRows[] = [];
    for (const [i, sql] of params.otherSQLs.entries()) {
      const connection = await database.connect(context.signal);
      this.#others.push(connection);
      const joinField = params.otherJoinFields?.[i] ?? '';
      const query = { name: `otherSQLs[${i}]`, kind: database.kind, log: context.log, notices: context.notices };
      children.push(new ChildRows(await this.#open(connection, { text: sql, parameters: [] }), joinField, query));
    }
    if (stream.chunks !== undefined && children.length === 0) await this.#publishChunks(stream, database.name, target);
    else await this.#publishRows(stream, children, database.name, target);
    for (const { warning, invalidTimes } of this.#streams) {
      if (warning !== undefined) context.log.warn(`${database.name}: ${warning}`);
      context.notices.report('date.omitted', { count: invalidTimes, hint: warning });
    }
    this.#completed = !target.signal.aborted;
  }

  /**
   * Runs postSQL and stores the incremental value after all documents have finished: a later failure must not mark rows
   * as read.
   */
  override async markRead({ failed }: ConnectorEnd): Promise<void> {
    const postSQL = failed ? undefined : this.params.postSQL;
    const remembered = this.#remembered;
    const highest = this.#highest;
    if (!this.#completed || (postSQL === undefined && remembered === undefined)) return;
    const unread = await unreadSince(this.#target);
    if (unread !== undefined) {
      const effects = [
        ...(postSQL === undefined ? [] : ['postSQL did not run']),
        ...(remembered === undefined ? [] : ['the next run reads the same rows again']),
      ];
      this.message = `${effects.join(' and ')}: ${unread}`;
      return;
    }
    await this.#attempt('postSQL', postSQL);
    if (highest !== undefined) await remembered?.advance(highest);
  }

  override async close(): Promise<void> {
    try {
      await this.#closeConnections();
    } finally {
      await this.#state?.close();
    }
  }

  async #closeConnections(): Promise<void> {
    await Promise.all(this.#streams.map((stream) => stream.close()));
    await Promise.all([this.#main, ...this.#others].map((connection) => connection?.close()));
  }

  /**
   * Returns the query for the rows. With incremental, the query starts at the remembered value, and the highest value
   * of its rows is recorded.
   */
  async #mainQuery(connection: DatabaseConnection, database: Database): Promise<BoundQuery> {
    const { params, context } = this;
    const { sql, incremental, state = DEFAULT_STATE } = params;
    if (incremental === undefined) return { text: sql, parameters: [] };
    const { column, initial } = incremental;
    // A preview does not use the remembered value.
    if (!context.preview && keepsState(state)) {
      this.#state = await openState(state, context.name, context.log);
      this.#remembered = await RememberedMark.read(this.#state, column);
    }
    const query = bindMark(database, sql, this.#remembered?.value ?? initialMark(initial));
    this.#highest = await highestMark(connection, database, query, column);
    return query;
  }

  async #open(connection: DatabaseConnection, { text, parameters }: BoundQuery): Promise<RowStream> {
    const stream = await connection.stream(text, parameters);
    this.#streams.push(stream);
    return stream;
  }

  /** Publishes raw chunks of rows: the pipeline threads create the documents. */
  async #publishChunks(stream: RowStream, source: string, target: Publisher): Promise<void> {
    const layout = this.#layoutOf(stream, source);
    // Reports columns that cannot become fields once, in this thread instead of in every pipeline thread.
    const documents = new RowDocuments(layout);
    const { idColumn } = documents;
    const repeated = new RepeatedIds(this.context.notices, target.collapses === true);
    for await (const chunk of stream.chunks?.(layout) ?? []) {
      if (target.signal.aborted) return;
      repeated.addDataRows(chunk.bytes, idColumn);
      await target.publishChunk(chunk);
    }
  }

  async #publishRows(
    stream: RowStream,
    children: readonly ChildRows[],
    source: string,
    target: Publisher,
  ): Promise<void> {
    const documents = new RowDocuments(this.#layoutOf(stream, source));
    const repeated = new RepeatedIds(this.context.notices, target.collapses === true);
    let number = 0;
    for await (const rows of stream.rows(documents.idColumn)) {
      for (const row of rows) {
        if (target.signal.aborted) return;
        const made = documents.document(row, ++number);
        if (made instanceof Document) repeated.add(made.id);
        const waiting =
          made instanceof Document
            ? this.#publish(made, row[documents.idColumn], children, target)
            : target.reject(made);
        if (waiting !== undefined) await waiting;
      }
    }
  }

  #publish(
    document: Document,
    key: Value | undefined,
    children: readonly ChildRows[],
    target: Publisher,
  ): Promise<void> | undefined {
    if (children.length === 0) return target.publish(document);
    return this.#publishWithChildren(document, key ?? null, children, target);
  }

  async #publishWithChildren(
    document: Document,
    key: Value,
    children: readonly ChildRows[],
    target: Publisher,
  ): Promise<void> {
    const objects: JsonObject[] = [];
    for (const rows of children) objects.push(...(await rows.childrenOf(key)));
    if (objects.length > 0) document.put('___children', objects);
    await target.publish(document);
  }

  #layoutOf(stream: RowStream, source: string): RowLayout {
    const { idField, ignoreColumns } = this.params;
    return { columns: stream.columns, idField, ignoreColumns, docIdPrefix: this.context.docIdPrefix, source };
  }

  /** Runs preSQL or postSQL. Fails only if failOnSQLError is set. */
  async #attempt(name: 'preSQL' | 'postSQL', sql: string | undefined): Promise<void> {
    const { log, preview } = this.context;
    if (sql === undefined || this.#main === undefined) return;
    if (preview) {
      log.warn(`${name} does not run in a preview`);
      return;
    }
    try {
      await this.#main.execute(sql);
    } catch (error) {
      if (this.params.failOnSQLError === true) {
        throw new HeadraceError('HR_CONNECTOR_FAILED', `${name}: ${messageOf(error)}`);
      }
      log.error(`${name} failed, the connector continues: ${messageOf(error)}`);
    }
  }
}

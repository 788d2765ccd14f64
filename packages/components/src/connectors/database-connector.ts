import {
  Connector,
  capped,
  clamped,
  Document,
  HeadraceError,
  type JsonObject,
  MAX_MILLIS,
  messageOf,
  type ParameterProblem,
  type Publisher,
  QUERIES,
  type ReportProblem,
  type Static,
  type TouchedFile,
  Type,
  type Value,
} from '@headrace/engine';
import { checkIncremental } from '../database/check-incremental.ts';
import { ChildRows } from '../database/child-rows.ts';
import { Database, type DatabaseConnection, type RowLayout, type RowStream } from '../database/database.ts';
import { checkDatabase } from '../database/driver-class.ts';
import { type BoundQuery, bindMark, type HighMark, highestMark, initialMark } from '../database/high-mark.ts';
import { reachDatabase, reachQuery } from '../database/reach-database.ts';
import { RowDocuments } from '../database/row-documents.ts';
import type { FileState } from '../files/file-state.ts';
import { RememberedMark } from '../files/remembered-mark.ts';
import {
  checkStateConnection,
  defaultStateFile,
  keepsState,
  openState,
  RememberParameter,
  reachState,
} from '../files/state-settings.ts';
import { isDelivered } from '../publishing/delivered.ts';
import { requirePublisher } from '../publishing/require-publisher.ts';

const parameters = Type.Object({
  driver: Type.String(),
  connectionString: Type.String(QUERIES),
  jdbcUser: Type.String(),
  jdbcPassword: Type.String(),
  sql: Type.String(),
  idField: Type.String(),
  fetchSize: Type.Optional(Type.Integer({ noEffect: true })),
  preSQL: Type.Optional(Type.String()),
  postSQL: Type.Optional(Type.String()),
  otherSQLs: Type.Optional(Type.Array(Type.String(), { default: [] })),
  otherJoinFields: Type.Optional(Type.Array(Type.String(), { default: [] })),
  ignoreColumns: Type.Optional(Type.Array(Type.String(), { default: [] })),
  connectionRetries: Type.Optional(Type.Integer({ default: 1, ...clamped({ minimum: 1 }), ...capped('maxRetries') })),
  connectionRetryPause: Type.Optional(
    Type.Integer({ default: 10_000, ...clamped({ maximum: MAX_MILLIS }), ...capped('maxWaitSecs', { scale: 1000 }) }),
  ),
  failOnSQLError: Type.Optional(Type.Boolean({ default: false })),
  incremental: Type.Optional(Type.Object({ column: Type.String(), initial: Type.String() })),
  state: Type.Optional(RememberParameter),
});

/**
 * Publishes a document for each row of a query: PostgreSQL (and Redshift), MySQL, MariaDB, SQL Server, SQLite.
 * <p>
 * The JDBC URL of an existing config goes on to work, with the parameters that concern the connection: host and port,
 * several hosts (in whatever form: the first one that answers is taken), the schema, TLS and its certificates, time-outs, the time zone. In place of H2, which runs in Java only,
 * SQLite is used, with a warning; a file that H2 has written is refused. Oracle, Derby and others are refused at validation.
 * <p>
 * TLS: <code>sslmode=verify-full&amp;sslrootcert=/path/ca.pem</code> (PostgreSQL), <code>sslMode=VERIFY_IDENTITY&amp;serverSslCert=/path/ca.pem</code>
 * (MySQL, MariaDB) and <code>serverCertificate=/path/ca.pem</code> (SQL Server) trust an authority of your own; <code>sslmode=require</code>,
 * <code>sslMode=REQUIRED</code> and <code>trustServerCertificate=true</code> encrypt without looking at the certificate. Java key stores cannot
 * be read. A parameter that looks as if it secured the connection, and is not known, is told when the config is checked.
 * <p>
 * Each column becomes a field named by its label (<code>AS label</code> wins) in lower case; NULL makes no field, two
 * columns of one label make a list. The id is the text of the column <code>idField</code>; a row where that is NULL fails
 * by itself. A column that would be called <code>id</code>, <code>run_id</code> or like another reserved field has to be
 * renamed in the query, or ignored, unless it is the id column itself.
 * <p>
 * Integers are exact whatever their length. DECIMAL, NUMERIC and DOUBLE are doubles, FLOAT and REAL of 32 bits are written
 * as short as they are. BOOLEAN, BIT and, in MySQL, TINYINT(1) are booleans. Dates and times are instants in UTC, cut to
 * milliseconds; those without a zone are read in the zone of the process (variable TZ), a date is its midnight there.
 * MySQL's parameter <code>connectionTimeZone</code> sets another one. BLOB, BINARY and bytea are bytes, written as base64. Types of
 * PostgreSQL: json and jsonb are objects, arrays are lists, uuid, time, interval and all others are texts.
 * <p>
 * Rows are streamed: memory does not grow with the table, and a slow pipeline slows the database down. When
 * the connection is lost the connector fails and tells how many rows it has read; a connection that cannot be made is
 * tried again.
 * <p>
 * Rows of other queries can be attached as children (<code>EmitNestedChildren</code> makes documents of them). Each of these
 * queries has a join column; its rows belong to the document whose id column holds the same value. Both queries must be
 * sorted by these, ascending, numbers as numbers and texts by their characters (in PostgreSQL
 * <code>ORDER BY name COLLATE "C"</code>); rows in another order fail the connector instead of getting lost. The children of a
 * query are numbered, which is their id: 0, 1 and so on, anew for every document and every query. Documents of their own with
 * these ids would overwrite one another in an index. A field with an id that no other has is made of that of the document,
 * and named to the indexer, which takes the id of a document that lacks the field:
 * <p>
 * <pre>
 * stages: [
 *   { class: EmitNestedChildren, fieldsToCopy { id: author_id } }
 *   { class: Concatenate, dest: book_id, formatString: "{author_id}-{id}", conditions: [{ fields: [author_id] }] }
 * ]
 * indexer { type: OpenSearch, idOverrideField: book_id }
 * </pre>
 * <p>
 * With several queries a column of each that says which one it is (<code>'book' AS kind</code>) belongs into the text, too; or
 * a query gives the id itself, as a column of another name than id.
 * <p>
 * With <code>incremental</code> a run reads only what is new since the last one. The connector remembers the highest value
 * of a column, and binds it to every <code>?</code> in <code>sql</code>:
 * <p>
 * <pre>
 * sql: "SELECT id, title, changed FROM books WHERE changed >= ?"
 * incremental { column: changed, initial: "1970-01-01" }
 * </pre>
 * <p>
 * The value is remembered when the run has succeeded for this connector: all rows were read, and their documents were
 * indexed or failed by themselves. Failed documents are kept as failures and are not read again. A run that is killed,
 * fails, is stopped, or could not deliver its documents remembers nothing, so the next one reads the same rows again. The
 * order of the rows does not matter. Write <code>>=</code>, not <code>></code>: rows that come later with the remembered
 * value would be missed. So the rows with that value are read again in each run, and replace themselves in the index.
 * <p>
 * The database computes the value before the rows are read, as <code>MAX</code> over the query, so the query runs twice: an
 * index on the column helps. Values keep their type: integers of any length, decimals, texts in the order of their
 * collation, dates and times to the microsecond. A column of FLOAT is not exact, so do not use one. Rows where the column is
 * NULL are read only when the query selects them (<code>OR changed IS NULL</code>). A transaction that commits late may add
 * rows below the remembered value: look back as far as transactions take, such as
 * <code>changed >= CAST(? AS timestamp) - INTERVAL '5 minutes'</code>. A TIMESTAMP of MySQL is compared in the zone of the
 * session: set <code>sessionVariables=time_zone='+00:00'</code> in the URL where the server's zone has summer time. In
 * PostgreSQL <code>??</code> is the operator <code>?</code> then. Not for SQL Server. Previews use <code>initial</code>.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>driver (String, Required) : The class of the JDBC driver, such as <code>org.postgresql.Driver</code>, <code>com.mysql.cj.jdbc.Driver</code>, <code>org.mariadb.jdbc.Driver</code>, <code>com.microsoft.sqlserver.jdbc.SQLServerDriver</code> or <code>org.sqlite.JDBC</code>. No Java is needed: the URL says which database it is.</li>
 *   <li>connectionString (String, Required) : The JDBC URL: <code>jdbc:postgresql://host:5432/db?sslmode=verify-full</code>, <code>jdbc:mysql://host:3306/db</code>, <code>jdbc:mariadb://host/db</code>, <code>jdbc:sqlserver://host:1433;databaseName=db</code>, <code>jdbc:sqlite:/path/file.db</code>.</li>
 *   <li>jdbcUser (String, Required) : The user. Empty together with jdbcPassword means: those in the URL.</li>
 *   <li>jdbcPassword (String, Required) : The password; best taken from the environment, <code>${DB_PASSWORD}</code>.</li>
 *   <li>sql (String, Required) : The query.</li>
 *   <li>idField (String, Required) : The label of the column that holds the id, letter case aside.</li>
 *   <li>fetchSize (Integer, Optional) : Accepted and not needed: rows are streamed whatever it says.</li>
 *   <li>preSQL (String, Optional) : A statement to run before the query, on the same connection. Its failure is logged, and the query runs all the same, unless failOnSQLError is set. Previews leave it out.</li>
 *   <li>postSQL (String, Optional) : A statement to run on the same connection when all documents have come to their end; not when the connector failed or was stopped, nor when documents could not be delivered because the destination was away, overloaded or took nothing. Its failure is logged, unless failOnSQLError is set. Previews leave it out.</li>
 *   <li>otherSQLs (List&lt;String&gt;, Optional) : Queries for children, each sorted by its join column. Defaults to none.</li>
 *   <li>otherJoinFields (List&lt;String&gt;, Optional) : The join column of each of otherSQLs.</li>
 *   <li>ignoreColumns (List&lt;String&gt;, Optional) : Labels of columns that make no field, letter case aside. Defaults to none.</li>
 *   <li>connectionRetries (Integer, Optional) : How often connecting is tried again. A refused password is not. Defaults to 1.</li>
 *   <li>connectionRetryPause (Integer, Optional) : How long to wait before that, in milliseconds. Defaults to 10000.</li>
 *   <li>failOnSQLError (Boolean, Optional) : Whether a failure of preSQL or postSQL fails the connector, and with it the run. Defaults to false.</li>
 *   <li>incremental (Map, Optional) : Makes runs read only what is new since the last one.</li>
 *   <li>incremental.column (String, Required) : The label of the column whose highest value is remembered, letter case aside. It should only grow: a serial number, or the time of the last change.</li>
 *   <li>incremental.initial (String, Required) : The value for the first run, such as 0 or "1970-01-01".</li>
 *   <li>state (Map, Optional) : Where incremental remembers its value.</li>
 *   <li>state.enabled (Boolean, Optional) : Whether to remember. Defaults to true.</li>
 *   <li>state.driver (String, Optional) : The JDBC driver of the database; the connection string says it all. Defaults to org.h2.Driver.</li>
 *   <li>state.connectionString (String, Optional) : Where the state is kept: <code>jdbc:sqlite:file</code>, <code>jdbc:h2:path</code>, for which the SQLite file <code>path.sqlite</code> is used, <code>jdbc:postgresql://host:port/database</code>, <code>jdbc:mysql:…</code> or <code>jdbc:mariadb:…</code>. One run at a time has it open. Defaults to <code>jdbc:h2:./state/</code> and the name of the connector.</li>
 *   <li>state.jdbcUser (String, Optional) : The user of the database; not needed for a file. Defaults to none.</li>
 *   <li>state.jdbcPassword (String, Optional) : The user's password. Defaults to none.</li>
 *   <li>state.tableName (String, Optional) : The name of the table, in upper case. Defaults to the name of the connector.</li>
 * </ul>
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
  /** The highest value of the rows that this run reads. */
  #highest: HighMark | undefined;

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkDatabase(params);
    const { sql, idField, otherSQLs = [], otherJoinFields = [] } = params;
    if (sql.trim() === '') yield { parameter: 'sql', message: 'sql is empty' };
    if (idField === '') yield { parameter: 'idField', message: 'idField is empty' };
    if (otherSQLs.length !== otherJoinFields.length) {
      yield {
        parameter: 'otherJoinFields',
        message: `otherJoinFields has ${otherJoinFields.length} entries, otherSQLs ${otherSQLs.length}`,
        hint: 'Each query of otherSQLs needs the name of its join column.',
      };
    }
    yield* checkIncremental(params);
    yield* checkStateConnection(params.state);
  }

  static override *touches(
    { incremental, state = {} }: Static<typeof parameters>,
    name: string,
  ): Generator<TouchedFile> {
    if (incremental !== undefined && keepsState(state)) yield* defaultStateFile(state, name);
  }

  static override goesOn({ incremental, state = {} }: Static<typeof parameters>): boolean {
    return incremental !== undefined && keepsState(state);
  }

  override async reach(report: ReportProblem): Promise<void> {
    const { sql, otherSQLs = [], incremental, state = {} } = this.params;
    const queries = [{ parameter: 'sql', sql }, ...otherSQLs.map((sql, i) => ({ parameter: `otherSQLs[${i}]`, sql }))];
    await reachDatabase(this.params, this.context.log, async (connection, database) => {
      for (const { parameter, sql } of queries) {
        const isBound = incremental !== undefined && parameter === 'sql';
        const query = isBound ? bindMark(database, sql, initialMark(incremental.initial)).text : sql;
        await reachQuery(connection, database, parameter, query, report, isBound);
      }
    });
    if (incremental !== undefined && keepsState(state)) await reachState(state, this.context.log);
  }

  override async execute(publisher: Publisher | undefined): Promise<void> {
    const { params, context } = this;
    const target = requirePublisher(publisher, context.name);
    this.#target = target;
    // A stop does not wait for the next row.
    target.signal.addEventListener('abort', () => void this.#closeConnections(), { once: true });
    const database = await Database.open(params, context.log);
    this.#main = await database.connect(context.signal);
    await this.#attempt('preSQL', params.preSQL);
    if (target.signal.aborted) return;
    const stream = await this.#open(this.#main, await this.#mainQuery(this.#main, database));
    const children: ChildRows[] = [];
    for (const [i, sql] of (params.otherSQLs ?? []).entries()) {
      const connection = await database.connect(context.signal);
      this.#others.push(connection);
      const joinField = params.otherJoinFields?.[i] ?? '';
      const query = { name: `otherSQLs[${i}]`, kind: database.kind, log: context.log };
      children.push(new ChildRows(await this.#open(connection, { text: sql, parameters: [] }), joinField, query));
    }
    if (stream.chunks !== undefined && children.length === 0) await this.#publishChunks(stream, database.name, target);
    else await this.#publishRows(stream, children, database.name, target);
    for (const { warning } of this.#streams)
      if (warning !== undefined) context.log.warn(`${database.name}: ${warning}`);
    this.#completed = !target.signal.aborted;
  }

  /** Only now, when nothing can fail any more that it might mark as done. */
  override async postExecute(): Promise<void> {
    const { postSQL } = this.params;
    const remembered = this.#remembered;
    const highest = this.#highest;
    if (!this.#completed || (postSQL === undefined && remembered === undefined)) return;
    if (!(await isDelivered(this.#target))) {
      const effects = [
        ...(postSQL === undefined ? [] : ['postSQL was left out']),
        ...(remembered === undefined ? [] : ['the next run reads the same rows again']),
      ];
      this.message = `${effects.join(' and ')}: documents could not be delivered`;
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

  /** The query for the rows. With incremental it begins at what is remembered, and notes how far it goes. */
  async #mainQuery(connection: DatabaseConnection, database: Database): Promise<BoundQuery> {
    const { params, context } = this;
    const { sql, incremental, state = {} } = params;
    if (incremental === undefined) return { text: sql, parameters: [] };
    const { column, initial } = incremental;
    // A preview neither reads nor writes what is remembered.
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

  /** The pipeline threads make the documents. */
  async #publishChunks(stream: RowStream, source: string, target: Publisher): Promise<void> {
    const layout = this.#layoutOf(stream, source);
    // What does not fit is told once, here, not by every thread.
    new RowDocuments(layout);
    for await (const chunk of stream.chunks?.(layout) ?? []) {
      if (target.signal.aborted) return;
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
    let number = 0;
    for await (const rows of stream.rows(documents.idColumn)) {
      for (const row of rows) {
        if (target.signal.aborted) return;
        const made = documents.document(row, ++number);
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
    const { idField, ignoreColumns = [] } = this.params;
    return { columns: stream.columns, idField, ignoreColumns, docIdPrefix: this.context.docIdPrefix, source };
  }

  /** A statement beside the query. */
  async #attempt(name: 'preSQL' | 'postSQL', sql: string | undefined): Promise<void> {
    const { log, preview } = this.context;
    if (sql === undefined || this.#main === undefined) return;
    if (preview) {
      log.warn(`${name} is left out in a preview`);
      return;
    }
    try {
      await this.#main.execute(sql);
    } catch (error) {
      if (this.params.failOnSQLError === true) {
        throw new HeadraceError('HR_CONNECTOR_FAILED', `${name}: ${messageOf(error)}`);
      }
      log.error(`${name} failed, the connector goes on: ${messageOf(error)}`);
    }
  }
}

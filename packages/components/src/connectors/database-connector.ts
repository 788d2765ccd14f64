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
  Type,
  type Value,
} from '@headrace/engine';
import { ChildRows } from '../database/child-rows.ts';
import { Database, type DatabaseConnection, type RowLayout, type RowStream } from '../database/database.ts';
import { checkDatabase } from '../database/driver-class.ts';
import { reachDatabase, reachQuery } from '../database/reach-database.ts';
import { RowDocuments } from '../database/row-documents.ts';
import { isDelivered } from './delivered.ts';
import { requirePublisher } from './require-publisher.ts';

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
 * </ul>
 */
export class DatabaseConnector extends Connector<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly needsPipeline = true;
  static readonly javaClass = 'com.kmwllc.lucille.connector.jdbc.DatabaseConnector';
  private main: DatabaseConnection | undefined;
  private readonly others: DatabaseConnection[] = [];
  private readonly streams: RowStream[] = [];
  private target: Publisher | undefined;
  private completed = false;

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
  }

  override async reach(report: ReportProblem): Promise<void> {
    const { sql, otherSQLs = [] } = this.params;
    const queries = [{ parameter: 'sql', sql }, ...otherSQLs.map((sql, i) => ({ parameter: `otherSQLs[${i}]`, sql }))];
    await reachDatabase(this.params, this.context.log, async (connection, database) => {
      for (const { parameter, sql } of queries) await reachQuery(connection, database, parameter, sql, report);
    });
  }

  override async execute(publisher: Publisher | undefined): Promise<void> {
    const { params, context } = this;
    const target = requirePublisher(publisher, context.name);
    this.target = target;
    // A stop does not wait for the next row.
    target.signal.addEventListener('abort', () => void this.close(), { once: true });
    const database = await Database.open(params, context.log);
    this.main = await database.connect(context.signal);
    await this.attempt('preSQL', params.preSQL);
    if (target.signal.aborted) return;
    const stream = await this.open(this.main, params.sql);
    const children: ChildRows[] = [];
    for (const [i, sql] of (params.otherSQLs ?? []).entries()) {
      const connection = await database.connect(context.signal);
      this.others.push(connection);
      const joinField = params.otherJoinFields?.[i] ?? '';
      const query = { name: `otherSQLs[${i}]`, kind: database.kind, log: context.log };
      children.push(new ChildRows(await this.open(connection, sql), joinField, query));
    }
    if (stream.chunks !== undefined && children.length === 0) await this.publishChunks(stream, database.name, target);
    else await this.publishRows(stream, children, database.name, target);
    for (const { warning } of this.streams) if (warning !== undefined) context.log.warn(`${database.name}: ${warning}`);
    this.completed = !target.signal.aborted;
  }

  /** Only now, when nothing can fail any more that it might mark as done. */
  override async postExecute(): Promise<void> {
    const { postSQL } = this.params;
    if (!this.completed || postSQL === undefined) return;
    if (await isDelivered(this.target)) await this.attempt('postSQL', postSQL);
    else this.message = 'postSQL was left out: documents could not be delivered';
  }

  override async close(): Promise<void> {
    await Promise.all(this.streams.map((stream) => stream.close()));
    await Promise.all([this.main, ...this.others].map((connection) => connection?.close()));
  }

  private async open(connection: DatabaseConnection, sql: string): Promise<RowStream> {
    const stream = await connection.stream(sql);
    this.streams.push(stream);
    return stream;
  }

  /** The pipeline threads make the documents. */
  private async publishChunks(stream: RowStream, source: string, target: Publisher): Promise<void> {
    const layout = this.layoutOf(stream, source);
    // What does not fit is told once, here, not by every thread.
    new RowDocuments(layout);
    for await (const chunk of stream.chunks?.(layout) ?? []) {
      if (target.signal.aborted) return;
      await target.publishChunk(chunk);
    }
  }

  private async publishRows(
    stream: RowStream,
    children: readonly ChildRows[],
    source: string,
    target: Publisher,
  ): Promise<void> {
    const documents = new RowDocuments(this.layoutOf(stream, source));
    let number = 0;
    for await (const rows of stream.rows(documents.idColumn)) {
      for (const row of rows) {
        if (target.signal.aborted) return;
        const made = documents.document(row, ++number);
        const waiting =
          made instanceof Document
            ? this.publish(made, row[documents.idColumn], children, target)
            : target.reject(made);
        if (waiting !== undefined) await waiting;
      }
    }
  }

  private publish(
    document: Document,
    key: Value | undefined,
    children: readonly ChildRows[],
    target: Publisher,
  ): Promise<void> | undefined {
    if (children.length === 0) return target.publish(document);
    return this.publishWithChildren(document, key ?? null, children, target);
  }

  private async publishWithChildren(
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

  private layoutOf(stream: RowStream, source: string): RowLayout {
    const { idField, ignoreColumns = [] } = this.params;
    return { columns: stream.columns, idField, ignoreColumns, docIdPrefix: this.context.docIdPrefix, source };
  }

  /** A statement beside the query. */
  private async attempt(name: 'preSQL' | 'postSQL', sql: string | undefined): Promise<void> {
    const { log, preview } = this.context;
    if (sql === undefined || this.main === undefined) return;
    if (preview) {
      log.warn(`${name} is left out in a preview`);
      return;
    }
    try {
      await this.main.execute(sql);
    } catch (error) {
      if (this.params.failOnSQLError === true) {
        throw new HeadraceError('HR_CONNECTOR_FAILED', `${name}: ${messageOf(error)}`);
      }
      log.error(`${name} failed, the connector goes on: ${messageOf(error)}`);
    }
  }
}

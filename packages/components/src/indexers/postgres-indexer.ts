import {
  CONNECTS,
  type EncodedBatch,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
  type ModuleReference,
  type ParameterProblem,
  type Static,
  Type,
} from '@headrace/engine';
import { Database, type DatabaseSettings } from '../database/database.ts';
import { checkDatabase } from '../database/driver-class.ts';
import { reachDatabase } from '../database/reach-database.ts';
import { deletionSettings } from '../delivery/deletion-marks.ts';
import { retriesOf } from '../delivery/retries.ts';
import { PostgresEncoder } from '../postgres-index/postgres-encoder.ts';
import { PostgresTable, type TableSettings } from '../postgres-index/postgres-table.ts';
import { PostgresWriter } from '../postgres-index/postgres-writer.ts';
import { ignoredSettings } from './ignored-settings.ts';

const parameters = Type.Object({
  connectionString: Type.String(CONNECTS),
  jdbcUser: Type.Optional(Type.String({ default: '' })),
  jdbcPassword: Type.Optional(Type.String({ default: '' })),
  table: Type.String(),
  idColumn: Type.Optional(Type.String({ default: 'id' })),
  columns: Type.Optional(Type.Array(Type.String())),
  documentColumn: Type.Optional(Type.String()),
});

/**
 * Writes documents as rows of a table of PostgreSQL: a field goes to the column of its name. With the extension pgvector a column of
 * the type <code>vector</code> takes embeddings, so that the table can be searched by similarity.
 * <p>
 * <pre>
 * CREATE TABLE articles (
 *   id text PRIMARY KEY, title text, tags text[], published timestamptz, embedding vector(384), rest jsonb
 * )
 * </pre>
 * <p>
 * <pre>
 * indexer { type: "Postgres", batchSize: 1000 }
 * postgres { connectionString: "jdbc:postgresql://localhost/search?user=me", jdbcPassword: ${?DB_PASSWORD}, table: "articles", documentColumn: "rest" }
 * </pre>
 * <p>
 * The table must exist, and the column of the id must be its primary key or unique. A row with the id of a document is
 * replaced: columns for which the document has no field become NULL. Columns with a default of their own are left
 * to it there, and as they are in a row that is replaced, unless <code>columns</code> names them; columns that are always generated are not written. Fields without a column are not written; <code>documentColumn</code>
 * keeps them. Names count with their capitals.
 * <p>
 * The types of the columns decide: texts become numbers, dates, UUIDs, booleans; a list goes to a column of an array,
 * where a single value is a list of one, or to one of pgvector (<code>vector</code>, <code>halfvec</code>); bytes go to <code>bytea</code>;
 * objects, and lists elsewhere, are JSON. A value that does not fit its column makes its document fail, with
 * PostgreSQL's reason, and no other.
 * <p>
 * A batch is written at once or not at all, in the order of the documents. What fails because the server is away, can only be
 * read, is short of memory, disk or connections, or because of a deadlock or a lock, is sent again, up to ten times, which is
 * about three minutes: <code>indexer.maxRetries</code> and its neighbours say otherwise.
 * <p>
 * Deleting: a document whose field <code>indexer.deletionMarkerField</code> holds
 * <code>indexer.deletionMarkerFieldValue</code> deletes the row with its id. If it also has the fields named by
 * <code>indexer.deleteByFieldField</code> and <code>indexer.deleteByFieldValue</code>, they hold a column and a value, and
 * every row with that value is deleted.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>connectionString (String, Required) : The JDBC URL: <code>jdbc:postgresql://host:5432/db?sslmode=verify-full&amp;sslrootcert=/path/ca.pem</code>. The page of DatabaseConnector tells more of it.</li>
 *   <li>jdbcUser (String, Optional) : The user. Empty together with jdbcPassword means: those in the URL. Defaults to none.</li>
 *   <li>jdbcPassword (String, Optional) : The password; best taken from the environment, <code>${DB_PASSWORD}</code>. Defaults to none.</li>
 *   <li>table (String, Required) : The table, as in SQL: <code>schema.table</code>, with double quotes where a name has capitals.</li>
 *   <li>idColumn (String, Optional) : The column for the id. Defaults to id.</li>
 *   <li>columns (List&lt;String&gt;, Optional) : The columns to write besides those two. Defaults to all that are not always generated.</li>
 *   <li>documentColumn (String, Optional) : A column of the type jsonb or json for the whole document, with all its fields.</li>
 * </ul>
 */
export class PostgresIndexer extends Indexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'postgres';
  static readonly type = 'Postgres';
  static readonly javaClass = null;
  #writer: PostgresWriter | undefined;

  static override *check(params: Static<typeof parameters>, settings: IndexerSettings): Generator<ParameterProblem> {
    const { connectionString, table, idColumn } = params;
    if (/^\s*jdbc:(?!postgresql:)/i.test(connectionString)) {
      const hint = 'As jdbc:postgresql://host:5432/db.';
      yield { parameter: 'connectionString', message: 'connectionString must be the URL of a PostgreSQL', hint };
    } else {
      for (const problem of checkDatabase({ driver: 'org.postgresql.Driver', connectionString })) {
        // A disabled component does not exist here, nor is there another time to tell it.
        const { atStart: _, ...rest } = problem;
        yield rest;
      }
    }
    if (table.trim() === '') yield { parameter: 'table', message: 'table must not be empty' };
    if (idColumn === '') yield { parameter: 'idColumn', message: 'idColumn must not be empty' };
    if (settings.indexOverrideField !== undefined) {
      yield {
        block: 'indexer',
        parameter: 'indexOverrideField',
        message: "Config setting 'indexer.indexOverrideField' is not supported by PostgresIndexer",
        hint: 'Remove it: all rows go to one table.',
      };
    }
    const ignored = ['routingField', 'versionType', 'versionField'] as const;
    yield* ignoredSettings(settings, ignored, 'PostgresIndexer', 'a table has no such thing');
  }

  override encoder(): ModuleReference {
    const { settings } = this.context;
    const { whitelist = [], blacklist = [], idOverrideField } = settings;
    return PostgresEncoder.reference({
      idColumn: this.params.idColumn ?? 'id',
      whitelist,
      blacklist,
      ...deletionSettings(settings),
      ...(idOverrideField === undefined ? {} : { idOverrideField }),
    });
  }

  override async reach(): Promise<void> {
    await reachDatabase(this.#databaseSettings(), this.context.log, (connection, database) =>
      PostgresTable.read(connection, database, this.#tableSettings()),
    );
  }

  override async connect(): Promise<void> {
    const database = await Database.open(this.#databaseSettings(), this.context.log);
    this.#writer = new PostgresWriter(database, this.#tableSettings(), retriesOf(this.context, database.name));
    await this.#writer.connect();
  }

  override send(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    // The engine has called `connect`.
    return (this.#writer as PostgresWriter).write(batch, signal);
  }

  override async close(): Promise<void> {
    await this.#writer?.close();
  }

  #databaseSettings(): DatabaseSettings {
    const { connectionString, jdbcUser = '', jdbcPassword = '' } = this.params;
    return { connectionString, jdbcUser, jdbcPassword };
  }

  #tableSettings(): TableSettings {
    const { table, idColumn = 'id', columns, documentColumn } = this.params;
    return { table, idColumn, columns, documentColumn };
  }
}

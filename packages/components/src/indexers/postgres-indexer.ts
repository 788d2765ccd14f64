import {
  CONNECTS,
  type EncodedBatch,
  type FinishedDocuments,
  type FinishedOutput,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
  ignoredSettings,
  type ModuleReference,
  type ParameterProblem,
  type RebuildPass,
  type ReportProblem,
  type RunOutcome,
  type Static,
  Type,
  type WriterPass,
} from '@headrace/engine';
import {
  checkRunId,
  createTable,
  deleteMissingRows,
  rollBackTable,
  type SqlSession,
  TableRebuild,
  tableIdentity,
} from '@headrace/reindexing';
import { Database, type DatabaseSettings } from '../database/database.ts';
import { checkDatabase } from '../database/driver-class.ts';
import { reachDatabase } from '../database/reach-database.ts';
import { deletionSettings } from '../delivery/deletion-marks.ts';
import { retriesOf } from '../delivery/retries.ts';
import { PostgresEncoder } from '../postgres-index/postgres-encoder.ts';
import { PostgresTable, type TableSettings } from '../postgres-index/postgres-table.ts';
import { PostgresWriter } from '../postgres-index/postgres-writer.ts';
import {
  definitionOf,
  differencesOf,
  openSession,
  planOf,
  type TableParameters,
  tableParameters,
  withSession,
} from '../postgres-index/table-lifecycle.ts';
import { checkAllowedNotices } from '../search-engine/allowed-notices.ts';

/** Why a run waits while its table is rebuilt. */
const NOT_RECORDED = 'changes of a table are not recorded for its rebuild';

const parameters = Type.Object({
  /**
   * The JDBC URL: jdbc:postgresql://host:5432/db?sslmode=verify-full&sslrootcert=/path/ca.pem. The page of
   * DatabaseConnector explains it.
   */
  connectionString: Type.String(CONNECTS),
  /** The user. Empty together with jdbcPassword means the user in the URL. */
  jdbcUser: Type.String({ default: '' }),
  /** The password. Read it from the environment: ${DB_PASSWORD}. */
  jdbcPassword: Type.String({ default: '' }),
  /** The table, as in SQL: schema.table, with double quotes if a name has capitals. */
  table: Type.String(),
  /** The column for the id. */
  idColumn: Type.String({ default: 'id' }),
  /** The columns to write in addition to idColumn and documentColumn. Defaults to all that are not always generated. */
  columns: Type.Optional(Type.Array(Type.String())),
  /** A column of the type jsonb or json for the whole document, with all its fields. */
  documentColumn: Type.Optional(Type.String()),
  ...tableParameters,
});

/**
 * Writes documents as rows of a PostgreSQL table: a field is written to the column with its name. With the extension
 * pgvector, a column of the type vector can store embeddings, so that the table can be searched by similarity.
 *
 *     CREATE TABLE articles (
 *       id text PRIMARY KEY, title text, tags text[], published timestamptz, embedding vector(384), rest jsonb
 *     )
 *
 *     indexer { type: "Postgres", batchSize: 1000 }
 *     postgres { connectionString: "jdbc:postgresql://localhost/search?user=me", jdbcPassword: ${?DB_PASSWORD}, table: "articles", documentColumn: "rest" }
 *
 * The table must exist unless create names its columns, and the column of the id must be its primary key or unique. A row with the id of a document is
 * replaced: columns without a field in the document become NULL. Columns with a default keep it in a new row, and their
 * value in a replaced row, unless columns names them. Columns that are always generated are not written. Fields without
 * a column are not written; documentColumn keeps them. Names are case-sensitive.
 *
 * The types of the columns decide: texts become numbers, dates, UUIDs or booleans. A list is written to an array column
 * (where a single value is a list of one) or to a column of pgvector (vector, halfvec). Bytes are written to bytea.
 * Objects, and lists elsewhere, become JSON. A value that does not fit its column fails only its document, with
 * PostgreSQL's reason.
 *
 * A batch is written completely or not at all, in the order of the documents. Batches are sent again if the server is
 * away, read-only, or short of memory, disk or connections, and after a deadlock or a lock: up to ten times, which
 * takes about three minutes. indexer.maxRetries and related settings change this.
 *
 * Deleting: if the field indexer.deletionMarkerField of a document has the value indexer.deletionMarkerFieldValue, the
 * document deletes the row with its id. If it also has the fields named by indexer.deleteByFieldField and
 * indexer.deleteByFieldValue, these contain a column and a value, and every row with that value is deleted.
 *
 * With rebuild, each run writes to a new table that replaces the old one at the end: see the guide on reindexing.
 */
export class PostgresIndexer extends Indexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'postgres';
  static readonly type = 'Postgres';
  static readonly javaClass = null;
  override readonly deletesOldChildren = true;
  #writer: PostgresWriter | undefined;
  #session: SqlSession | undefined;
  #rebuild: TableRebuild | undefined;
  #pass: WriterPass | RebuildPass | undefined;

  static override needsWholeRun({ rebuild, sync }: TableParameters): string | undefined {
    if (rebuild !== undefined) return 'rebuild';
    return sync?.deleteMissing === true ? 'sync' : undefined;
  }

  static override *check(params: Static<typeof parameters>, settings: IndexerSettings): Generator<ParameterProblem> {
    const { connectionString, table, idColumn } = params;
    if (/^\s*jdbc:(?!postgresql:)/i.test(connectionString)) {
      const hint = 'Write a URL such as jdbc:postgresql://host:5432/db.';
      yield { parameter: 'connectionString', message: 'connectionString must be the URL of a PostgreSQL server', hint };
    } else {
      for (const problem of checkDatabase({ driver: 'org.postgresql.Driver', connectionString })) {
        // The problem is always reported, because an indexer cannot be disabled like a stage.
        const { atStart: _, ...rest } = problem;
        yield rest;
      }
    }
    if (table.trim() === '') yield { parameter: 'table', message: 'table must not be empty' };
    if (idColumn === '') yield { parameter: 'idColumn', message: 'idColumn must not be empty' };
    yield* checkRunId(params.sync, settings, params);
    yield* checkAllowedNotices(params);
    if (params.rebuild !== undefined && params.sync?.deleteMissing === true) {
      const message = 'a rebuild already omits what the source no longer has';
      yield { parameter: 'sync.deleteMissing', message, hint: 'Remove sync.' };
    }
    if (settings.indexOverrideField !== undefined) {
      yield {
        block: 'indexer',
        parameter: 'indexOverrideField',
        message: "Config setting 'indexer.indexOverrideField' is not supported by PostgresIndexer",
        hint: 'Remove it: all rows go to one table.',
      };
    }
    const ignored = ['routingField', 'versionType', 'versionField'] as const;
    yield* ignoredSettings(settings, ignored, 'PostgresIndexer', 'a table has no such setting');
  }

  override encoder(): ModuleReference {
    const { settings } = this.context;
    const { whitelist, blacklist, idOverrideField } = settings;
    return PostgresEncoder.reference({
      idColumn: this.params.idColumn,
      whitelist,
      blacklist,
      ...deletionSettings(settings),
      ...(idOverrideField === undefined ? {} : { idOverrideField }),
    });
  }

  override async reach(report: ReportProblem): Promise<void> {
    const { log } = this.context;
    const { table, create } = this.params;
    await reachDatabase(this.#databaseSettings(), log, async (connection, database) => {
      const { rows } = await connection.query(database.driver.prepare('select to_regclass(?)::text'), [table]);
      // The run creates a missing table.
      if (create === undefined || rows[0]?.[0] !== null)
        await PostgresTable.read(connection, database, this.#tableSettings());
    });
    for (const problem of await differencesOf(this.params, this.#databaseSettings(), log)) {
      report({ ...problem, parameter: ['create', ...problem.parameter], severity: 'warning' });
    }
  }

  override async connect(): Promise<void> {
    const database = await Database.open(this.#databaseSettings(), this.context.log);
    try {
      const table = await this.#prepare();
      const settings = { ...this.#tableSettings(), table };
      const { childrenField } = this.context.settings;
      const retries = retriesOf(this.context, database.name);
      this.#writer = new PostgresWriter(database, settings, retries, childrenField);
      await this.#writer.connect();
    } catch (error) {
      await this.#session?.close();
      throw error;
    }
  }

  /** Creates what is missing, and the new table of a rebuild. Returns the table to write to. */
  async #prepare(): Promise<string> {
    const { table, rebuild } = this.params;
    const { runId, log, retry } = this.context;
    const definition = definitionOf(this.params);
    // The failed documents of an earlier run belong in the table that is in use.
    if (rebuild === undefined || retry === true) {
      if (definition === undefined) return table;
      await withSession(this.#databaseSettings(), log, (session) => createTable(session, table, definition, log));
      return table;
    }
    this.#session = await openSession(this.#databaseSettings(), log);
    this.#rebuild = new TableRebuild(planOf(this.params), runId, log);
    return this.#rebuild.begin(this.#session);
  }

  /** Waits for other runs: what they write to a table while it is rebuilt cannot be recorded. */
  override async begin(): Promise<void> {
    const { destinations, log } = this.context;
    if (destinations === undefined) return;
    const { table } = this.params;
    const { place, name } = await withSession(this.#databaseSettings(), log, (session) =>
      tableIdentity(session, table),
    );
    if (this.#rebuild === undefined) this.#pass = await destinations.write({ place, name }, NOT_RECORDED);
    else this.#pass = await destinations.rebuild(place, [name]);
    await this.#rebuild?.watch();
  }

  override async finish(run: FinishedDocuments, signal: AbortSignal): Promise<FinishedOutput> {
    if (this.#rebuild !== undefined) return this.#rebuild.finish(run, signal);
    const { table, sync: { deleteMissing, maxDeletePercent, allowNotices, where } = {} } = this.params;
    const { runId, log, retry } = this.context;
    if (!deleteMissing || retry === true) return { checks: [] };
    const check = await withSession(this.#databaseSettings(), log, (session) =>
      deleteMissingRows({ session, table, maxDeletePercent, allowNotices, where, runId, run, signal, log }),
    );
    return { checks: [check] };
  }

  override async rollback(runId?: string): Promise<string> {
    if (this.params.rebuild === undefined) throw new Error('The config has no block rebuild: there is no older table');
    const { log } = this.context;
    return withSession(this.#databaseSettings(), log, (session) => rollBackTable(session, this.params.table, runId));
  }

  override send(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    // The engine calls `connect` first.
    return (this.#writer as PostgresWriter).write(batch, signal);
  }

  override async close({ failed }: RunOutcome = { failed: false }): Promise<void> {
    await this.#writer?.close();
    if (failed) await this.#rebuild?.fail();
    this.#pass?.close();
    await this.#session?.close();
  }

  #databaseSettings(): DatabaseSettings {
    const { connectionString, jdbcUser, jdbcPassword } = this.params;
    return { connectionString, jdbcUser, jdbcPassword };
  }

  #tableSettings(): TableSettings {
    const { table, idColumn, columns, documentColumn, sync } = this.params;
    return { table, idColumn, columns, documentColumn, required: sync?.deleteMissing === true ? ['run_id'] : [] };
  }
}

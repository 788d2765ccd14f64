import { type Logger, MapOf, OneOf, type Static, Type, withDefaults } from '@headrace/engine';
import {
  compareTable,
  type SqlSession,
  type TableDefinition,
  type TableDifference,
  type TableRebuildPlan,
} from '@headrace/reindexing';
import { Database, type DatabaseSettings } from '../database/database.ts';
import { foreignWrites, outputChecks } from '../search-engine/index-parameters.ts';

const RebuildParameter = Type.Object({
  /** How many older tables are kept for a rollback. */
  keep: Type.Integer({ minimum: 0, maximum: 100, default: 1 }),
  /** What happens if other programs have written to the live output during the rebuild: fail or report. Defaults to fail. */
  foreignWrites,
  /** What the new table must fulfil before it is used: documents, maxFailed, allowNotices, required. */
  checks: Type.Optional(Type.Object(outputChecks)),
});

/** The parameters of the Postgres indexer that create and replace tables. */
export const tableParameters = {
  /**
   * Creates the table before the first document if it does not exist. columns has the definition of each column in SQL:
   * columns { title: "text NOT NULL", embedding: "vector(384)" }. The column of the id is the primary key, and is text
   * without a definition. hnsw names columns with vectors that get an HNSW index, with its distance: hnsw { embedding:
   * cosine }. With update: true, columns that are missing are added to an existing table. Defaults to none.
   */
  create: Type.Optional(
    Type.Object({
      /** The definition of each column in SQL. */
      columns: MapOf(Type.String()),
      /** The columns that get an HNSW index of pgvector, with its distance: cosine, l2 or ip. */
      hnsw: Type.Optional(MapOf(OneOf(['cosine', 'l2', 'ip']))),
      /** Whether missing columns are added to an existing table. */
      update: Type.Boolean({ default: false }),
    }),
  ),
  /**
   * Writes each run to a new table, which gets the name of the old one in one transaction if the run succeeded and all
   * checks passed. Defaults to none: rows go to the table itself.
   */
  rebuild: Type.Optional(RebuildParameter),
  /** Deletes rows that the source no longer has, at the end of a complete run. Defaults to none. */
  sync: Type.Optional(
    Type.Object({
      /** Whether a run deletes the rows that it did not write: those with another run_id. */
      deleteMissing: Type.Boolean({ default: false }),
      /** If more than this percentage would be deleted, nothing is, and the run fails. */
      maxDeletePercent: Type.Number({ minimum: 0, maximum: 100, default: 20 }),
      /** The codes of notices of the class loss that the run may have, such as file.skipped. Defaults to none. */
      allowNotices: Type.Optional(Type.Array(Type.String())),
      /** A condition in SQL for the rows of this source, if the table has others: "source = 'shop'". Defaults to all. */
      where: Type.Optional(Type.String()),
    }),
  ),
};

const schema = Type.Object(tableParameters);

export type TableParameters = Static<typeof schema> & { readonly table: string; readonly idColumn: string };

export function definitionOf({ create, idColumn }: TableParameters): TableDefinition | undefined {
  if (create === undefined) return undefined;
  return { idColumn, columns: create.columns, hnsw: create.hnsw ?? [], update: create.update };
}

export function planOf(params: TableParameters): TableRebuildPlan {
  const { checks = {}, keep, foreignWrites } = params.rebuild ?? withDefaults(RebuildParameter);
  return { table: params.table, keep, checks, foreignWrites, definition: definitionOf(params) };
}

/** Opens a session for statements about tables. */
export async function openSession(settings: DatabaseSettings, log: Logger): Promise<SqlSession> {
  const database = await Database.open(settings, log);
  const connection = await database.driver.connect();
  return {
    name: database.name,
    execute: (sql) => connection.execute(sql),
    query: async (sql, values = []) => (await connection.query(database.driver.prepare(sql), values)).rows,
    close: () => connection.close(),
  };
}

/** Calls a function with a session, and closes it. */
export async function withSession<T>(
  settings: DatabaseSettings,
  log: Logger,
  work: (session: SqlSession) => Promise<T>,
): Promise<T> {
  const session = await openSession(settings, log);
  return work(session).finally(() => session.close());
}

/** Reports the differences between the block `create` and the existing table. */
export async function differencesOf(
  params: TableParameters,
  settings: DatabaseSettings,
  log: Logger,
): Promise<TableDifference[]> {
  const definition = definitionOf(params);
  if (definition === undefined) return [];
  return withSession(settings, log, (session) => compareTable(session, params.table, definition));
}

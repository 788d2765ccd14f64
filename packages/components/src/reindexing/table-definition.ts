import { ReindexError } from './reindex-error.ts';
import { inTransaction, quoteName, refusedBecause, type SqlSession } from './sql-session.ts';
import type { Log } from './types.ts';

/** How an HNSW index compares vectors. */
export type VectorDistance = 'cosine' | 'l2' | 'ip';

/** What a table should be: the block `create`. */
export interface TableDefinition {
  readonly idColumn: string;
  /** For each column, its definition in SQL, such as `text NOT NULL`. */
  readonly columns: Iterable<readonly [string, string]>;
  /** For each column with vectors, the distance of its HNSW index. */
  readonly hnsw: Iterable<readonly [string, VectorDistance]>;
  /** Whether missing columns are added to an existing table. */
  readonly update: boolean;
}

/** A difference between a definition and an existing table. */
export interface TableDifference {
  /** The position in the block `create`. */
  readonly parameter: readonly string[];
  readonly message: string;
  readonly hint: string;
}

const COLUMNS_HINT =
  'Correct create.columns: each value is the definition of a column in SQL, such as "text NOT NULL".';
const VECTOR = /^\s*(vector|halfvec|sparsevec)\b/i;
const COLUMNS_OF = `select attname, format_type(atttypid, atttypmod) from pg_catalog.pg_attribute
  where attrelid = to_regclass(?) and attnum > 0 and not attisdropped order by attnum`;

/**
 * Creates the table if it is missing, with its HNSW indexes.
 * @param table the name as in SQL
 */
export async function createTable(
  session: SqlSession,
  table: string,
  definition: TableDefinition,
  log: Log,
): Promise<void> {
  await requireVectors(session, definition);
  if (await tableExists(session, table)) {
    if (definition.update) await addColumns(session, table, definition, log);
    return;
  }
  const sql = `CREATE TABLE IF NOT EXISTS ${table} (${columnsOf(definition).join(', ')})`;
  await refusedBecause(`The table ${table} cannot be created from create.columns`, COLUMNS_HINT, () =>
    session.execute(sql),
  );
  log.info(`Created the table ${table}`);
  await createVectorIndexes(session, table, definition, log);
}

/** Creates the HNSW indexes of a table that are missing. */
export async function createVectorIndexes(
  session: SqlSession,
  table: string,
  { columns, hnsw }: TableDefinition,
  log: Log,
): Promise<void> {
  const types = new Map(columns);
  for (const [column, distance] of hnsw) {
    const [, type = 'vector'] = VECTOR.exec(types.get(column) ?? '') ?? [];
    const operators = `${type.toLowerCase()}_${distance}_ops`;
    await session.execute(`CREATE INDEX ON ${table} USING hnsw (${quoteName(column)} ${operators})`);
    log.info(`Created an HNSW index of ${column} on ${table}`);
  }
}

/** Compares a definition with an existing table, and changes nothing. Returns nothing if the table is missing. */
export async function compareTable(
  session: SqlSession,
  table: string,
  definition: TableDefinition,
): Promise<TableDifference[]> {
  if (!(await tableExists(session, table))) return [];
  const existing = new Map((await session.query(COLUMNS_OF, [table])) as [string, string][]);
  const wanted = await wantedTypes(session, definition);
  const hint = definition.update
    ? 'The next run adds missing columns. Change the type of a column yourself.'
    : 'A run changes nothing that exists. Set create.update: true to add missing columns.';
  return [...wanted].flatMap(([name, type]) => {
    const found = existing.get(name);
    if (found === type) return [];
    const is = found === undefined ? 'is missing' : `is ${found}`;
    const message = `the column ${name} ${is} in the table ${table}, but the config says ${type}`;
    return [{ parameter: ['columns', name], message, hint }];
  });
}

export async function tableExists(session: SqlSession, table: string): Promise<boolean> {
  const [row] = await session.query('select to_regclass(?)::text', [table]);
  return row?.[0] !== null && row?.[0] !== undefined;
}

/** Returns the definitions of the columns, with the primary key. */
export function columnsOf({ idColumn, columns }: TableDefinition): string[] {
  // A column of the block replaces the definition of the id, and keeps its position.
  const all = new Map([[idColumn, 'text'], ...columns]);
  const lines = [...all].map(([name, definition]) => `${quoteName(name)} ${definition}`);
  return [...lines, `PRIMARY KEY (${quoteName(idColumn)})`];
}

/** Installs pgvector if a column needs it. */
export async function requireVectors(session: SqlSession, { columns, hnsw }: TableDefinition): Promise<void> {
  const needs = [...columns].some(([, definition]) => VECTOR.test(definition)) || [...hnsw].length > 0;
  if (!needs) return;
  const [row] = await session.query(
    `select exists (select from pg_catalog.pg_extension where extname = 'vector'),
      exists (select from pg_catalog.pg_available_extensions where name = 'vector')`,
  );
  const [isInstalled, isAvailable] = row ?? [];
  if (isInstalled === true) return;
  if (isAvailable !== true) {
    throw new ReindexError(
      `The server of ${session.name} does not have the extension pgvector, which vector columns need`,
      'Install pgvector on the server, or remove the vector columns.',
    );
  }
  await session.execute('CREATE EXTENSION IF NOT EXISTS vector');
}

async function addColumns(session: SqlSession, table: string, definition: TableDefinition, log: Log): Promise<void> {
  const existing = new Set((await session.query(COLUMNS_OF, [table])).map(([name]) => name));
  for (const [name, column] of definition.columns) {
    if (existing.has(name)) continue;
    const sql = `ALTER TABLE ${table} ADD COLUMN ${quoteName(name)} ${column}`;
    await refusedBecause(`The column ${name} of create.columns is refused`, COLUMNS_HINT, () => session.execute(sql));
    log.info(`Added the column ${name} to the table ${table}`);
  }
}

/** Returns the types of the columns as the server names them: it creates a temporary table and removes it. */
function wantedTypes(session: SqlSession, definition: TableDefinition): Promise<Map<string, string>> {
  return inTransaction(session, async () => {
    await session.execute(`CREATE TEMPORARY TABLE headrace_wanted (${columnsOf(definition).join(', ')})`);
    const rows = await session.query(COLUMNS_OF, ['pg_temp.headrace_wanted']);
    await session.execute('DROP TABLE pg_temp.headrace_wanted');
    return new Map(rows as [string, string][]);
  });
}

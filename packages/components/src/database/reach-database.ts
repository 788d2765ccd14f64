import { type Logger, messageOf, type ReportProblem } from '@headrace/engine';
import { Database, type DatabaseConnection, type DatabaseSettings } from './database.ts';
import { DatabaseError } from './database-error.ts';

/** A statement of which `EXPLAIN` runs nothing: one query, which cannot be one of several. */
const QUERY = /^\s*(select|with)\b[^;]*(;\s*)?$/i;

/** Whether a database is there and lets in. One attempt; nothing is created, a file of SQLite is opened to be read. */
export async function reachDatabase<T>(
  settings: DatabaseSettings,
  log: Logger,
  look: (connection: DatabaseConnection, database: Database) => Promise<T>,
): Promise<T> {
  const database = await Database.open(settings, log, { readOnly: true });
  const connection = await database.driver.connect();
  try {
    return await look(connection, database);
  } finally {
    await connection.close();
  }
}

/**
 * Has the database prepare a query without running it: a mistake in it, or a table or column that is missing, is
 * reported. Of SQL Server nothing is asked.
 * @param hasParameters whether the query, in the form of its database, has placeholders: it cannot be explained then
 */
export async function reachQuery(
  connection: DatabaseConnection,
  { kind }: Database,
  parameter: string,
  sql: string,
  report: ReportProblem,
  hasParameters = false,
): Promise<void> {
  try {
    if (kind === 'mysql') await prepareMysql(connection, sql);
    // What a run begins with, and nothing is run before its rows are asked for.
    else if (kind === 'postgres' || kind === 'sqlite') await (await connection.stream(sql)).close();
    // Only so Postgres tells of rights that are missing.
    if (kind === 'postgres' && !hasParameters && QUERY.test(sql)) await connection.execute(`EXPLAIN ${sql}`);
  } catch (error) {
    // The connection stands: what is refused is the query.
    const isOfQuery = error instanceof DatabaseError && (error.trouble === 'statement' || error.trouble === 'refused');
    if (!isOfQuery) throw error;
    const { hint } = error;
    report({ parameter, message: messageOf(error), ...(hint === undefined ? {} : { hint }) });
  }
}

/** `EXPLAIN` could run parts of a query there. In hex, the statement needs no quoting. */
async function prepareMysql(connection: DatabaseConnection, sql: string): Promise<void> {
  try {
    await connection.execute(`SET @headrace = CONVERT(0x${Buffer.from(sql).toString('hex')} USING utf8mb4)`);
    await connection.execute('PREPARE headrace FROM @headrace');
  } catch (error) {
    // Some statements, which work all the same, cannot be prepared.
    if (!/prepared statement protocol/.test(messageOf(error))) throw error;
  }
}

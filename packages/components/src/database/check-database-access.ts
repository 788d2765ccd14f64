import { type Logger, messageOf, type ReportProblem } from '@headrace/engine';
import { Database, type DatabaseConnection, type DatabaseSettings } from './database.ts';
import { DatabaseError } from './database-error.ts';

/** Matches a single query. For such a query, `EXPLAIN` runs nothing. */
const QUERY = /^\s*(select|with)\b[^;]*(;\s*)?$/i;

/**
 * Checks whether a database can be reached and accepts the login. It tries once and creates nothing. A SQLite file is
 * opened read-only.
 */
export async function checkDatabaseAccess<T>(
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
 * Lets the database prepare a query without running it. A syntax error, or a missing table or column, is reported. SQL
 * Server is not supported.
 * @param hasParameters whether the query has placeholders, so that `EXPLAIN` cannot be used
 */
export async function checkQueryAccess(
  connection: DatabaseConnection,
  { kind }: Database,
  parameter: string,
  sql: string,
  report: ReportProblem,
  hasParameters = false,
): Promise<void> {
  try {
    if (kind === 'mysql') await prepareMysql(connection, sql);
    // A run also begins like this. Nothing runs before its rows are requested.
    else if (kind === 'postgres' || kind === 'sqlite') await (await connection.stream(sql)).close();
    // Postgres reports missing rights only with `EXPLAIN`.
    if (kind === 'postgres' && !hasParameters && QUERY.test(sql)) await connection.execute(`EXPLAIN ${sql}`);
  } catch (error) {
    // The connection works, but the query is refused.
    const isOfQuery = error instanceof DatabaseError && (error.trouble === 'statement' || error.trouble === 'refused');
    if (!isOfQuery) throw error;
    const { hint } = error;
    report({ parameter, message: messageOf(error), ...(hint === undefined ? {} : { hint }) });
  }
}

/** Prepares a query in MySQL. `EXPLAIN` could run parts of the query there. In hex, the statement needs no quoting. */
async function prepareMysql(connection: DatabaseConnection, sql: string): Promise<void> {
  try {
    await connection.execute(`SET @headrace = CONVERT(0x${Buffer.from(sql).toString('hex')} USING utf8mb4)`);
    await connection.execute('PREPARE headrace FROM @headrace');
  } catch (error) {
    // MySQL cannot prepare some valid statements.
    if (!/prepared statement protocol/.test(messageOf(error))) throw error;
  }
}

import { type Logger, messageOf, type ReportProblem } from '@headrace/engine';
import { Database, type DatabaseConnection, type DatabaseSettings } from './database.ts';
import { DatabaseError } from './database-error.ts';

/** A statement of which `EXPLAIN` runs nothing: one query, which cannot be one of several. */
const QUERY = /^\s*(select|with)\b[^;]*;?\s*$/i;

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

/** Has the database look at a query without running it: whether its tables and columns are there. */
export async function reachQuery(
  connection: DatabaseConnection,
  database: Database,
  parameter: string,
  sql: string,
  report: ReportProblem,
): Promise<void> {
  if (!database.explains || !QUERY.test(sql)) return;
  try {
    await connection.execute(`EXPLAIN ${sql}`);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.trouble !== 'statement') throw error;
    const { hint } = error;
    report({ parameter, message: messageOf(error), ...(hint === undefined ? {} : { hint }) });
  }
}

import { messageOf } from '@headrace/engine';
import { ReindexError } from './reindex-error.ts';

/** SQLSTATE codes of statements that the server refuses: their syntax, names, types or values are wrong. */
const REFUSED = /^(22|42)[0-9A-Z]{3}$/;

/** A session with Postgres. Its calls run in sequence. */
export interface SqlSession {
  /** The name of the database, for messages. */
  readonly name: string;
  /** Runs statements without results. */
  execute(sql: string): Promise<void>;
  /** Runs a query with `?` for values. */
  query(sql: string, values?: readonly (string | bigint)[]): Promise<readonly (readonly unknown[])[]>;
  close(): Promise<void>;
}

/** Runs statements in one transaction: all take effect, or none. */
export async function inTransaction<T>(session: SqlSession, work: () => Promise<T>): Promise<T> {
  await session.execute('BEGIN');
  try {
    const result = await work();
    await session.execute('COMMIT');
    return result;
  } catch (error) {
    // If the connection is lost, the server has rolled back.
    await session.execute('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Runs work. If the server refuses a statement, the error says which parameter of the config is wrong. */
export async function refusedBecause<T>(what: string, hint: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!REFUSED.test(String((error as { driverCode?: unknown }).driverCode))) throw error;
    throw new ReindexError(`${what}: ${messageOf(error)}`, hint);
  }
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

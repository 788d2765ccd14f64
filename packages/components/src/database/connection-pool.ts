import type { PreparedSql } from '@headrace/languages/java/sql';
import type { Database, DatabaseConnection, QueryResult, SqlParameter } from './database.ts';
import { DatabaseError } from './database-error.ts';

/**
 * A few connections for many small queries. A lost connection is replaced, and its query is sent once more. This is
 * safe because the queries only read.
 */
export class ConnectionPool {
  readonly #database: Database;
  readonly #size: number;
  readonly #idle: DatabaseConnection[] = [];
  readonly #active = new Set<DatabaseConnection>();
  readonly #waiting: (() => void)[] = [];
  readonly #closing = new AbortController();
  #used = 0;

  constructor(database: Database, size: number) {
    this.#database = database;
    this.#size = Math.min(size, database.driver.maxConnections);
  }

  /** Opens the first connection, so that an unreachable database is reported immediately. */
  async open(): Promise<void> {
    this.#idle.push(await this.#database.connect(this.#closing.signal));
  }

  /** Runs a query on an idle connection. Throws `DatabaseError`. */
  async query(sql: PreparedSql, parameters: readonly SqlParameter[]): Promise<QueryResult> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#use((connection) => connection.query(sql, parameters));
      } catch (error) {
        const lost = error instanceof DatabaseError && error.trouble === 'lost';
        if (!lost || attempt > 0 || this.#closing.signal.aborted) throw error;
      }
    }
  }

  /** Closes all connections. Running and waiting queries fail. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const wake of this.#waiting.splice(0)) wake();
    await Promise.all([...this.#idle.splice(0), ...this.#active].map((connection) => connection.close()));
  }

  async #use<T>(work: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    while (this.#used >= this.#size && !this.#closing.signal.aborted) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#refuseClosed();
    this.#used++;
    let connection: DatabaseConnection | undefined;
    try {
      connection = this.#fresh() ?? (await this.#database.connect(this.#closing.signal));
      this.#refuseClosed();
      this.#active.add(connection);
      return await work(connection);
    } finally {
      this.#used--;
      if (connection !== undefined) {
        this.#active.delete(connection);
        if (connection.broken || this.#closing.signal.aborted) await connection.close();
        else this.#idle.push(connection);
      }
      this.#waiting.shift()?.();
    }
  }

  #refuseClosed(): void {
    if (!this.#closing.signal.aborted) return;
    throw new DatabaseError('lost', `${this.#database.name}: the connections were closed`, undefined);
  }

  #fresh(): DatabaseConnection | undefined {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (!connection.broken) return connection;
      void connection.close();
    }
    return undefined;
  }
}

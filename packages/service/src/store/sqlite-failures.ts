import type { DatabaseSync } from 'node:sqlite';
import { type Prepared, prepareAll } from './sqlite-statements.ts';
import { type FailureFilter, type FailurePage, MAX_FAILURE_PAGE, type StoredFailure } from './store.ts';

/** The failed documents of the runs in the database; they go with their run. Each method is one step of a transaction, or reads. */
export class SqliteFailures {
  readonly #sql: Prepared<keyof typeof SQL>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareAll(db, SQL);
  }

  add(runId: string, failures: readonly StoredFailure[]): void {
    for (const { connector, at, replayable, line } of failures) {
      this.#sql.add.run(runId, connector, at, replayable ? 1 : 0, line);
    }
  }

  list(runId: string, { after, limit }: { after: number; limit: number }, filter: FailureFilter): FailurePage {
    const { connector = null, at = null, replayable = false } = filter;
    const items: FailurePage['items'] = [];
    let characters = 0;
    // One more than asked for tells whether there is more.
    for (const row of this.#sql.list.iterate(runId, after, connector, at, replayable ? 1 : 0, limit + 1)) {
      if (items.length >= limit || characters >= MAX_FAILURE_PAGE) return { items, more: true };
      const { seq, line } = row as unknown as FailurePage['items'][number];
      items.push({ seq, line });
      characters += line.length;
    }
    return { items, more: false };
  }
}

const SQL = {
  add: 'INSERT INTO run_failures (run_id, connector, at, replayable, line) VALUES (?, ?, ?, ?, ?)',
  list: `SELECT seq, line FROM run_failures
         WHERE run_id = ? AND seq > ? AND connector = coalesce(?, connector) AND at = coalesce(?, at)
           AND replayable >= ?
         ORDER BY seq LIMIT ?`,
} as const;

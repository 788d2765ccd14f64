import type { DatabaseSync } from 'node:sqlite';
import { withoutDocument } from '@headrace/engine';
import { type Prepared, prepareAll } from './sqlite-statements.ts';
import {
  type FailureFilter,
  type FailurePage,
  FORGOTTEN_CONTENT,
  MAX_FAILURE_PAGE,
  type StoredFailure,
} from './store.ts';

/** How many contents are removed in one step. Each may be large. */
const FORGET_STEP = 64;

/**
 * The failed documents of the runs in the database. They are deleted with their run. Each method reads, or is one step
 * of a transaction.
 */
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
    // Read one more than requested, to know whether there are more.
    for (const row of this.#sql.list.iterate(runId, after, connector, at, replayable ? 1 : 0, limit + 1)) {
      if (items.length >= limit || characters >= MAX_FAILURE_PAGE) return { items, more: true };
      const { seq, line } = row as unknown as FailurePage['items'][number];
      items.push({ seq, line });
      characters += line.length;
    }
    return { items, more: false };
  }

  /** Removes some of the oldest contents if they exceed the given size. Returns whether they still exceed it. */
  forgetContents(maxBytes: number): boolean {
    for (let i = 0; i < FORGET_STEP; i++) {
      const { failures } = this.#sql.bytes.get() as { failures: number };
      const oldest = failures <= maxBytes ? undefined : this.#sql.oldest.get();
      if (oldest === undefined) return false;
      const { seq, line } = oldest as unknown as FailurePage['items'][number];
      this.#sql.empty.run(withoutDocument(line, FORGOTTEN_CONTENT), seq);
    }
    return true;
  }
}

const SQL = {
  add: 'INSERT INTO run_failures (run_id, connector, at, replayable, line) VALUES (?, ?, ?, ?, ?)',
  list: `SELECT seq, line FROM run_failures
         WHERE run_id = ? AND seq > ? AND connector = coalesce(?, connector) AND at = coalesce(?, at)
           AND replayable >= ?
         ORDER BY seq LIMIT ?`,
  bytes: 'SELECT failures FROM kept_bytes',
  oldest: 'SELECT seq, line FROM run_failures WHERE replayable = 1 ORDER BY seq LIMIT 1',
  empty: 'UPDATE run_failures SET line = ?, replayable = 0 WHERE seq = ?',
} as const;

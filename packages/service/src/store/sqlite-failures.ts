import type { DatabaseSync } from 'node:sqlite';
import { withoutDocument } from '@headrace/engine';
import { type Prepared, prepareAll } from './sqlite-statements.ts';
import {
  type FailureFilter,
  type FailureGroup,
  type FailureGroups,
  type FailurePage,
  FORGOTTEN_CONTENT,
  MAX_FAILURE_PAGE,
  MAX_STORED_FAILURES,
  type StoredFailure,
} from './store.ts';

/** How many contents are removed in one step. Each may be large. */
const FORGET_STEP = 64;
/** How many failures are deleted in one step. */
const DELETE_STEP = 4096;

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
    let bytes = 0;
    for (const { connector, at, group, replayable, line } of failures) {
      this.#sql.add.run(runId, connector, at, replayable ? 1 : 0, line, group);
      if (replayable) bytes += Buffer.byteLength(line);
    }
    this.#sql.count.run(bytes, failures.length);
  }

  list(runId: string, { after, limit }: { after: number; limit: number }, filter: FailureFilter): FailurePage {
    const { connector = null, at = null, group, replayable = false } = filter;
    const items: FailurePage['items'] = [];
    let characters = 0;
    // Read one more than requested, to know whether there are more.
    const rest = [connector, at, replayable ? 1 : 0, limit + 1];
    const rows =
      group === undefined
        ? this.#sql.list.iterate(runId, after, ...rest)
        : this.#sql.listGroup.iterate(runId, group, after, ...rest);
    for (const row of rows) {
      if (items.length >= limit || characters >= MAX_FAILURE_PAGE) return { items, more: true };
      const { seq, line } = row as unknown as FailurePage['items'][number];
      items.push({ seq, line });
      characters += line.length;
    }
    return { items, more: false };
  }

  groups(runId: string, limit: number, at: string | undefined): FailureGroups {
    const rows = this.#sql.groups.all(runId, at ?? null, limit) as unknown as (FailureGroup & FailureGroups)[];
    const items = rows.map(({ group, count, replayable, line }) => ({ group, count, replayable, line }));
    return { items, groups: rows[0]?.groups ?? 0, failures: rows[0]?.failures ?? 0 };
  }

  /** Deletes some of the oldest failures if there are too many. Returns whether there are still too many. */
  deleteOldest(): boolean {
    const { documents } = this.#sql.bytes.get() as { documents: number };
    const excess = documents - MAX_STORED_FAILURES;
    if (excess <= 0) return false;
    this.#sql.deleteOldest.run(Math.min(excess, DELETE_STEP));
    return excess > DELETE_STEP;
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
  add: 'INSERT INTO run_failures (run_id, connector, at, replayable, line, group_key) VALUES (?, ?, ?, ?, ?, ?)',
  list: `SELECT seq, line FROM run_failures
         WHERE run_id = ? AND seq > ? AND connector = coalesce(?, connector) AND at = coalesce(?, at)
           AND replayable >= ?
         ORDER BY seq LIMIT ?`,
  count: 'UPDATE kept_bytes SET failures = failures + ?, documents = documents + ?',
  listGroup: `SELECT seq, line FROM run_failures
              WHERE run_id = ? AND group_key = ? AND seq > ? AND connector = coalesce(?, connector)
                AND at = coalesce(?, at) AND replayable >= ?
              ORDER BY seq LIMIT ?`,
  // All columns of the inner query are in an index. Only the groups of the answer read the line of a failure: there may
  // be as many groups as failures, and lines may be large.
  groups: `SELECT top."group", top.count, top.replayable, first.line, top."groups", top.failures
           FROM (SELECT found.*, count(*) OVER () AS "groups", sum(found.count) OVER () AS failures
                 FROM (SELECT group_key AS "group", count(*) AS count, sum(replayable) AS replayable, min(seq) AS seq
                       FROM run_failures INDEXED BY failures_by_group WHERE run_id = ?1 GROUP BY group_key) AS found
                 WHERE ?2 IS NULL OR ?2 = (SELECT at FROM run_failures WHERE seq = found.seq)
                 ORDER BY found.count DESC, found.seq LIMIT ?3) AS top
           JOIN run_failures AS first ON first.seq = top.seq
           ORDER BY top.count DESC, top.seq`,
  bytes: 'SELECT failures, documents FROM kept_bytes',
  deleteOldest: 'DELETE FROM run_failures WHERE seq IN (SELECT seq FROM run_failures ORDER BY seq LIMIT ?)',
  oldest: 'SELECT seq, line FROM run_failures WHERE replayable = 1 ORDER BY seq LIMIT 1',
  empty: 'UPDATE run_failures SET line = ?, replayable = 0 WHERE seq = ?',
} as const;

import type { DatabaseSync } from 'node:sqlite';
import { type Prepared, prepareAll } from './sqlite-statements.ts';
import type { RunLogPiece } from './store.ts';

/** How many pieces are removed in one step. */
const FORGET_STEP = 256;

/**
 * The logs of the runs in the database. A log is deleted with its run. Each method reads, or is one step of a
 * transaction.
 */
export class SqliteRunLogs {
  readonly #sql: Prepared<keyof typeof SQL>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareAll(db, SQL);
  }

  save(runId: string, pieces: readonly RunLogPiece[], oldest: number): void {
    for (const { number, firstLine, text } of pieces) this.#sql.put.run(runId, number, firstLine, text);
    this.#sql.drop.run(runId, oldest);
  }

  get(runId: string): RunLogPiece[] {
    return this.#sql.get.all(runId) as unknown as RunLogPiece[];
  }

  /** Removes some of the oldest pieces if they exceed the given size. Returns whether they still exceed it. */
  forgetPieces(maxBytes: number): boolean {
    for (let i = 0; i < FORGET_STEP; i++) {
      const { logs } = this.#sql.bytes.get() as { logs: number };
      if (logs <= maxBytes || this.#sql.dropOldest.run().changes === 0) return false;
    }
    return true;
  }
}

const SQL = {
  put: `INSERT INTO run_logs (run_id, number, first_line, text) VALUES (?, ?, ?, ?)
        ON CONFLICT (run_id, number) DO UPDATE SET text = excluded.text`,
  drop: 'DELETE FROM run_logs WHERE run_id = ? AND number < ?',
  bytes: 'SELECT logs FROM kept_bytes',
  dropOldest: 'DELETE FROM run_logs WHERE rowid = (SELECT min(rowid) FROM run_logs)',
  get: 'SELECT number, first_line AS firstLine, text FROM run_logs WHERE run_id = ? ORDER BY number',
} as const;

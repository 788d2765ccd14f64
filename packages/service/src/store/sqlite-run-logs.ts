import type { DatabaseSync } from 'node:sqlite';
import { type Prepared, prepareAll } from './sqlite-statements.ts';
import type { RunLogPiece } from './store.ts';

/** The logs of the runs in the database; one goes with its run. Each method is one step of a transaction, or reads. */
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
}

const SQL = {
  put: `INSERT INTO run_logs (run_id, number, first_line, text) VALUES (?, ?, ?, ?)
        ON CONFLICT (run_id, number) DO UPDATE SET text = excluded.text`,
  drop: 'DELETE FROM run_logs WHERE run_id = ? AND number < ?',
  get: 'SELECT number, first_line AS firstLine, text FROM run_logs WHERE run_id = ? ORDER BY number',
} as const;

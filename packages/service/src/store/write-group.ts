import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoreError } from './store.ts';

/** The kind of a constraint violation. The low byte of an extended SQLite result code is its kind. */
const SQLITE_CONSTRAINT = 19;

interface PendingWrite {
  apply(): unknown;
  resolve(value: never): void;
  reject(error: unknown): void;
}

/**
 * Groups writes. All writes that are requested in one turn of the event loop become one transaction, so that they wait
 * for the disk only once. Each write is acknowledged after the commit.
 */
export class WriteGroup {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  readonly #undo: StatementSync;
  readonly #onBegin: () => void;
  readonly #onCommit: (seconds: number) => void;
  readonly #onFailure: (error: StoreError) => void;
  #pending: PendingWrite[] = [];
  #scheduled: NodeJS.Immediate | undefined;

  /**
   * @param events.onBegin called before the writes of a group; if it throws, none of them is applied
   * @param events.onCommit called with the seconds that a group took
   * @param events.onFailure called if a group failed; all its writes are then undone
   */
  constructor(
    db: DatabaseSync,
    events: { onBegin(): void; onCommit(seconds: number): void; onFailure(error: StoreError): void },
  ) {
    this.#db = db;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#savepoint = db.prepare('SAVEPOINT one');
    this.#release = db.prepare('RELEASE one');
    this.#undo = db.prepare('ROLLBACK TO one');
    this.#onBegin = events.onBegin;
    this.#onCommit = events.onCommit;
    this.#onFailure = events.onFailure;
  }

  /**
   * Applies a write in the next transaction. Resolves with the result of `apply` when the transaction is on the disk.
   */
  write<T>(apply: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({ apply, resolve, reject });
      this.#scheduled ??= setImmediate(() => this.flush());
    });
  }

  /** Applies the pending writes now. */
  flush(): void {
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    const writes = this.#pending;
    if (writes.length === 0) return;
    this.#pending = [];
    const start = performance.now();
    const outcomes: { value: unknown; error?: unknown }[] = [];
    try {
      this.#onBegin();
      this.#begin.run();
      for (const write of writes) outcomes.push(this.#applyOne(write));
      this.#commit.run();
    } catch (cause) {
      const error = new StoreError(`The store cannot be written: ${(cause as Error).message}`, {
        cause: this.#rollBack(cause),
      });
      this.#onFailure(error);
      for (const write of writes) write.reject(error);
      return;
    }
    this.#onCommit((performance.now() - start) / 1000);
    for (const [i, write] of writes.entries()) {
      const outcome = outcomes[i] as { value: unknown; error?: unknown };
      if ('error' in outcome) write.reject(outcome.error);
      else write.resolve(outcome.value as never);
    }
  }

  /** Undoes a group. Returns the reason of its failure, combined with the error of the rollback if that fails too. */
  #rollBack(cause: unknown): unknown {
    try {
      // SQLite may already have rolled back the transaction, for example if the disk is full.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      return cause;
    } catch (error) {
      return new AggregateError([cause, error]);
    }
  }

  /**
   * Applies one write. If it violates a constraint, or fails outside SQLite, only this write fails. Any other error
   * is an error of the store, and fails the whole group.
   */
  #applyOne(write: PendingWrite): { value: unknown; error?: unknown } {
    this.#savepoint.run();
    try {
      const value = write.apply();
      this.#release.run();
      return { value };
    } catch (error) {
      const { errcode } = error as { errcode?: number };
      if (errcode !== undefined && errcode % 256 !== SQLITE_CONSTRAINT) throw error;
      // Undo also the earlier statements of this write.
      this.#undo.run();
      this.#release.run();
      return { value: undefined, error };
    }
  }
}

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoreError } from './store.ts';

/** The low byte of an extended result code says its kind. */
const SQLITE_CONSTRAINT = 19;

interface PendingWrite {
  apply(): unknown;
  resolve(value: never): void;
  reject(error: unknown): void;
}

/**
 * Groups writes: all that are asked for in one turn of the event loop become one transaction, so that they share
 * one wait for the disk. Each is acknowledged after the commit.
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
   * @param events.onBegin before the writes of a group are applied: none of them is where it throws
   * @param events.onCommit seconds that a group took
   * @param events.onFailure all that was applied since `onBegin` is undone
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

  /** Applies a write within the next transaction; resolves with what `apply` gives once that is on the disk. */
  write<T>(apply: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({ apply, resolve, reject });
      this.#scheduled ??= setImmediate(() => this.flush());
    });
  }

  /** Does now what is pending. */
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

  /** Undoes a group. Returns why it failed, and why undoing failed too, for everyone who waits for a write. */
  #rollBack(cause: unknown): unknown {
    try {
      // A full disk may have rolled the transaction back already.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      return cause;
    } catch (error) {
      return new AggregateError([cause, error]);
    }
  }

  /**
   * A write that breaks a rule of the database fails alone, and so does one that SQLite has no part in; any other failure
   * is the store's, and fails them all.
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
      // The statements before the one that failed are undone too.
      this.#undo.run();
      this.#release.run();
      return { value: undefined, error };
    }
  }
}

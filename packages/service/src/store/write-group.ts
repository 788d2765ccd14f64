import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoreError } from './store.ts';

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
  readonly #onCommit: (seconds: number) => void;
  readonly #onFailure: (error: StoreError) => void;
  #pending: PendingWrite[] = [];
  #scheduled: NodeJS.Immediate | undefined;

  /**
   * @param events.onCommit seconds that a transaction took
   * @param events.onFailure what was applied is undone: whatever was counted along with it must be counted again
   */
  constructor(db: DatabaseSync, events: { onCommit(seconds: number): void; onFailure(error: StoreError): void }) {
    this.#db = db;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
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
      this.#begin.run();
      for (const write of writes) outcomes.push(this.#applyOne(write));
      this.#commit.run();
    } catch (cause) {
      // A full disk may have rolled the transaction back already.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      const error = new StoreError(`The store cannot be written: ${(cause as Error).message}`, { cause });
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

  /** One write that breaks a rule of the database fails alone; one that ended the transaction fails them all. */
  #applyOne(write: PendingWrite): { value: unknown; error?: unknown } {
    try {
      return { value: write.apply() };
    } catch (error) {
      if (!this.#db.isTransaction) throw error;
      return { value: undefined, error };
    }
  }
}

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Cache, type CacheLimits, ENTRY_BYTES, KEPT_SHARE, USE_MILLIS } from './cache.ts';

/** How many entries are read to find those that are removed. */
const PAGE = 500;
/** Free pages are returned to the disk from this number on. */
const SPARE_PAGES = 256;

/** A cache in a SQLite file, which several threads and processes can use at the same time. */
export class SqliteCache implements Cache {
  readonly #database: DatabaseSync;
  readonly #limits: CacheLimits;
  readonly #now: () => number;
  readonly #get: StatementSync;
  readonly #use: StatementSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #add: StatementSync;
  readonly #size: StatementSync;

  /** @param now returns the time in milliseconds. Tests set it */
  constructor(database: DatabaseSync, limits: CacheLimits, now: () => number = Date.now) {
    this.#database = database;
    this.#limits = limits;
    this.#now = now;
    // A crash of the computer may lose the last entries.
    database.exec(`PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value BLOB NOT NULL, size INTEGER NOT NULL,
        stored INTEGER NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS entries_by_use ON entries (used, key, size);
      CREATE TABLE IF NOT EXISTS total (id INTEGER PRIMARY KEY CHECK (id = 1), size INTEGER NOT NULL);
      INSERT OR IGNORE INTO total VALUES (1, 0)`);
    this.#get = database.prepare('SELECT value, used FROM entries WHERE key = ? AND stored >= ?');
    this.#use = database.prepare('UPDATE entries SET used = ? WHERE key = ?');
    this.#put = database.prepare('INSERT INTO entries (key, value, size, stored, used) VALUES (?, ?, ?, ?, ?)');
    this.#remove = database.prepare('DELETE FROM entries WHERE key = ? RETURNING size');
    this.#add = database.prepare('UPDATE total SET size = size + ? WHERE id = 1');
    this.#size = database.prepare('SELECT size FROM total WHERE id = 1');
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const now = this.#now();
    const row = this.#get.get(key, now - this.#limits.maxAgeMillis);
    if (row === undefined) return undefined;
    if (now - (row['used'] as number) > USE_MILLIS) this.#use.run(now, key);
    return row['value'] as Uint8Array;
  }

  async put(key: string, value: Uint8Array): Promise<void> {
    const size = ENTRY_BYTES + key.length + value.length;
    if (size > this.#limits.maxBytes * KEPT_SHARE) return;
    const now = this.#now();
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      this.#forget(key);
      this.#put.run(key, value, size, now, now);
      this.#add.run(size);
      const isFull = Number(this.#size.get()?.['size']) > this.#limits.maxBytes;
      if (isFull) this.#makeSpace();
      this.#database.exec('COMMIT');
      if (isFull) this.#database.exec(`PRAGMA incremental_vacuum(${SPARE_PAGES})`);
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #forget(key: string): void {
    const row = this.#remove.get(key);
    if (row !== undefined) this.#add.run(-(row['size'] as number));
  }

  /** Removes entries that are too old, then those that were not used for the longest time. */
  #makeSpace(): void {
    const old = 'DELETE FROM entries WHERE stored < ? RETURNING size';
    for (const { size } of this.#database.prepare(old).all(this.#now() - this.#limits.maxAgeMillis)) {
      this.#add.run(-(size as number));
    }
    const oldest = this.#database.prepare(`SELECT key FROM entries ORDER BY used LIMIT ${PAGE}`);
    while (Number(this.#size.get()?.['size']) > this.#limits.maxBytes * KEPT_SHARE) {
      for (const { key } of oldest.all()) {
        this.#forget(key as string);
        if (Number(this.#size.get()?.['size']) <= this.#limits.maxBytes * KEPT_SHARE) return;
      }
    }
  }
}

import { uptime } from 'node:os';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { IndexFingerprint } from './index-fingerprint.ts';
import { messageOf, ReindexError } from './reindex-error.ts';

/** The documents of a batch as they are sent. */
export interface HashedBatch {
  /** Identify the documents in their index: the JSON text of the id, and of the routing if there is one. */
  readonly keys: readonly string[];
  /** The hashes of everything that is sent, without gaps. */
  readonly hashes: Buffer;
  /** The positions of deletions, whose hashes have no meaning. */
  readonly deletions: ReadonlySet<number>;
}

/** The number of bytes of a hash. */
export const HASH_BYTES = 16;

/** Two start times of the same computer differ less than this. They are computed from two clocks. */
const CLOCK_MILLIS = 60_000;
/** The memory for pages of the file, in KiB. */
const CACHE_KIB = 64 * 1024;

/** SQLite error codes: the file is locked, is damaged, is no database. */
const BUSY = 5;
const DAMAGED: readonly number[] = [11, 26];

/**
 * The hashes of the documents that an index has acknowledged, in a SQLite file. A run removes the hash of a document
 * before it sends another version, and stores the new hash after the index has acknowledged it. So a killed run leaves
 * documents without a hash, which the next run sends again. One run at a time can open the file.
 */
export class DocumentHashes {
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #marksSeen: boolean;
  readonly #changed: StatementSync;
  readonly #see: StatementSync;
  readonly #start: StatementSync;
  readonly #acknowledge: StatementSync;
  readonly #forget: StatementSync;
  #run = 0;
  /** The number of writes in the index when the run began, and how many documents the run has sent. */
  #before = 0;
  #sent = 0;
  #isComplete = false;

  /**
   * Throws a `ReindexError` if another run uses the file, or if the file is damaged.
   * @param marksSeen whether the documents of this run are marked, which `missing` needs
   */
  constructor(database: DatabaseSync, file: string, marksSeen: boolean) {
    this.#database = database;
    this.#file = file;
    this.#marksSeen = marksSeen;
    try {
      // The lock is held until the file is closed or the process ends. A power failure may remove the last commits:
      // `begin` detects it by the start time of the computer.
      database.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
        PRAGMA cache_size = -${CACHE_KIB};
        CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS documents (key TEXT PRIMARY KEY, hash BLOB, seen INTEGER NOT NULL) WITHOUT ROWID`);
    } catch (error) {
      throw this.#readable(error);
    }
    // One statement for a batch takes a third of the time of one for each document.
    this.#changed = database.prepare(`SELECT batch.value AS key FROM json_each(?) AS batch
      LEFT JOIN documents ON documents.key = batch.value
      WHERE documents.hash IS NOT substr(?, 1 + ${HASH_BYTES} * batch.key, ${HASH_BYTES})`);
    this.#see = database.prepare(`UPDATE documents SET seen = ?1
      WHERE key IN (SELECT value FROM json_each(?2)) AND seen <> ?1`);
    this.#start = database.prepare(`INSERT INTO documents (key, hash, seen) VALUES (?, NULL, ?)
      ON CONFLICT (key) DO UPDATE SET hash = NULL, seen = excluded.seen`);
    this.#acknowledge = database.prepare('INSERT OR REPLACE INTO documents (key, hash, seen) VALUES (?, ?, ?)');
    this.#forget = database.prepare('DELETE FROM documents WHERE key = ?');
  }

  /**
   * Begins a run. Forgets all hashes if they may be wrong for the index as it is now, and then returns the reason.
   * Returns undefined if the hashes are right, or if there are none.
   */
  begin(now: IndexFingerprint): string | undefined {
    const reason = this.#reasonToForget(now);
    this.#transaction(() => {
      if (reason !== undefined) this.#database.exec('DELETE FROM documents');
      this.#run = Number(this.#read('run') ?? 0) + 1;
      this.#isComplete = reason === undefined && this.#read('complete') === 1;
      this.#before = now.writes;
      this.#write({
        ...now,
        run: this.#run,
        started: startOfComputer(),
        ended: 0,
        complete: this.#isComplete ? 1 : 0,
      });
    });
    return reason;
  }

  /**
   * Returns the positions of the documents to send. Removes their hashes, because their results are not known yet. If one
   * of several versions of a document has changed, all of them are sent.
   */
  take({ keys, hashes, deletions }: HashedBatch): number[] {
    const positions: number[] = [];
    this.#transaction(() => {
      const json = JSON.stringify(keys);
      const changed = new Set(this.#changed.all(json, hashes).map(({ key }) => key as string));
      for (const position of deletions) changed.add(keys[position] as string);
      if (this.#marksSeen) this.#see.run(this.#run, json);
      if (changed.size === 0) return;
      for (const key of changed) this.#start.run(key, this.#run);
      for (let i = 0; i < keys.length; i++) if (changed.has(keys[i] as string)) positions.push(i);
    });
    this.#sent += positions.length;
    return positions;
  }

  /** Stores the hashes of the documents that the index has acknowledged: all that were sent, except the failed ones. */
  acknowledge({ keys, hashes, deletions }: HashedBatch, sent: readonly number[], failed: ReadonlySet<number>): void {
    // A request without an answer may have written the document. So no other version of it has a hash either.
    const unknown = new Set([...failed].map((position) => keys[position]));
    this.#transaction(() => {
      for (const position of sent) {
        const key = keys[position] as string;
        if (unknown.has(key)) continue;
        // After a deletion, a later version in the batch stores its hash again.
        if (deletions.has(position)) this.#forget.run(key);
        else this.#acknowledge.run(key, hashes.subarray(position * HASH_BYTES, (position + 1) * HASH_BYTES), this.#run);
      }
    });
  }

  /**
   * Whether `missing` knows all documents of the source in the index. If not, a run that marks documents as seen has
   * begun without hashes, and sends all of them.
   */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Records that the index has no documents of the source other than those of this run. */
  complete(): void {
    this.#transaction(() => this.#write({ complete: 1 }));
  }

  /** Returns how many documents are known, and how many of them this run has not seen. */
  count(): { readonly all: number; readonly missing: number } {
    const sql = 'SELECT count(*) AS count, count(*) FILTER (WHERE seen <> ?) AS missing FROM documents';
    const { count, missing } = this.#database.prepare(sql).get(this.#run) as unknown as Counted & { missing: number };
    return { all: count, missing };
  }

  /** Returns the keys of documents that this run has not seen. */
  missing(limit: number): string[] {
    const rows = this.#database.prepare('SELECT key FROM documents WHERE seen <> ? LIMIT ?').all(this.#run, limit);
    return rows.map(({ key }) => key as string);
  }

  /** Counts documents that the run has deleted in another way than by `take`. */
  deleted(documents: number): void {
    this.#sent += documents;
  }

  /** Forgets documents that were deleted. */
  forget(keys: readonly string[]): void {
    this.#transaction(() => {
      for (const key of keys) this.#forget.run(key);
    });
  }

  /**
   * Ends a run, so that the next one can find out whether another program has changed the index. If the index has more
   * writes than the run has sent, another program wrote during the run, which the next run then notices.
   */
  end(now: IndexFingerprint): void {
    const writes = Math.min(now.writes, this.#before + this.#sent);
    this.#transaction(() => this.#write({ ...now, writes, ended: 1 }));
  }

  close(): void {
    this.#database.close();
  }

  #reasonToForget(now: IndexFingerprint): string | undefined {
    if (this.#read('run') === undefined) return undefined;
    if (this.#read('uuids') !== now.uuids) return 'the index was created again';
    if (this.#marksSeen && this.#read('complete') !== 1) {
      return 'deleteMissing first needs a complete run that sends all documents';
    }
    const writes = Number(this.#read('writes'));
    if (this.#read('ended') === 1) {
      if (this.#read('definition') !== now.definition) return 'its mappings, analysis or ingest pipelines have changed';
      return writes === now.writes ? undefined : 'another program has written to it';
    }
    // A run was killed, and its last requests may have been executed. More cannot be found out.
    if (now.writes < writes) return 'the search engine has lost writes';
    const isSameStart = Math.abs(Number(this.#read('started')) - startOfComputer()) < CLOCK_MILLIS;
    return isSameStart ? undefined : 'the computer was restarted during a run';
  }

  #read(name: string): string | number | undefined {
    const row = this.#database.prepare('SELECT value FROM state WHERE name = ?').get(name);
    return row?.value as string | number | undefined;
  }

  #write(values: Readonly<Record<string, string | number>>): void {
    const put = this.#database.prepare('INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)');
    for (const [name, value] of Object.entries(values)) put.run(name, value);
  }

  #transaction(work: () => void): void {
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        work();
        this.#database.exec('COMMIT');
      } catch (error) {
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        throw error;
      }
    } catch (error) {
      throw this.#readable(error);
    }
  }

  #readable(error: unknown): ReindexError {
    const code = ((error as { errcode?: number }).errcode ?? 0) % 256;
    if (code === BUSY) {
      return new ReindexError(
        `Another run uses the hashes in ${this.#file}`,
        'Wait until it has ended. If it writes to another index, set hashesFile to another file in one of the configs.',
      );
    }
    if (DAMAGED.includes(code)) {
      return new ReindexError(
        `The hashes in ${this.#file} are damaged: ${messageOf(error)}`,
        `Delete the file, and ${this.#file}-wal if it exists. The next run then sends all documents.`,
      );
    }
    return new ReindexError(`The hashes in ${this.#file} cannot be used: ${messageOf(error)}`);
  }
}

interface Counted {
  readonly count: number;
}

function startOfComputer(): number {
  return Math.round(Date.now() - uptime() * 1000);
}

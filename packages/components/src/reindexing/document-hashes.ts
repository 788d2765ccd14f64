import { uptime } from 'node:os';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { HASH_BYTES, HASH_KIND, HASH_WORDS } from './content-hash.ts';
import { hashesError } from './hashes-error.ts';
import { CREATED, DEFINED, doubtOf, type IndexFingerprint } from './index-fingerprint.ts';
import { KnownHashes, wordsOf } from './known-hashes.ts';

/** The documents of a batch as they are sent. */
export interface HashedDocuments {
  readonly count: number;
  /** The hashes of everything that is sent, without gaps. */
  readonly hashes: Uint8Array;
  /** The positions of deletions, whose hashes have no meaning. */
  readonly deletions: ReadonlySet<number>;
  /**
   * Identifies a document in its index: the JSON text of the id. The routing is no part of it: in the same shard, a
   * document replaces another one with its id, and the routing is part of the hash.
   */
  key(position: number): string;
}

/** The documents of a batch that are sent. */
export interface SentDocuments {
  /** Their positions in the batch. */
  readonly positions: number[];
  /** Their keys. */
  readonly keys: string[];
}

/** Two start times of the same computer differ less than this. They are computed from two clocks. */
const CLOCK_MILLIS = 60_000;
/** The memory for pages of the file, in KiB. */
const CACHE_KIB = 64 * 1024;
/** How many pages of 4 KiB are written before they are copied into the file, which waits for the disk. */
const CHECKPOINT_PAGES = 16 * 1024;
/** How many acknowledged documents wait for a transaction. */
const MAX_ACKNOWLEDGED = 500;
/** How many hashes are read from the file at a time. */
const READ_DOCUMENTS = 20_000;

/** A reason to forget all hashes. */
const RESTARTED = 'the computer was restarted during a run';
const OTHER_HASHES = 'another version of Headrace has computed the hashes';

/**
 * The hashes of the documents that an index has acknowledged, in a SQLite file. A run notes that the hash of a document
 * is wrong before it sends another version, and stores the new hash after the index has acknowledged it. So a killed run
 * leaves documents without a hash, which the next run sends again. One run at a time can open the file.
 */
export class DocumentHashes {
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #marksSeen: boolean;
  readonly #different: StatementSync;
  readonly #see: StatementSync;
  readonly #start: StatementSync;
  readonly #settle: StatementSync;
  readonly #forgetHashes: StatementSync;
  readonly #acknowledge: StatementSync;
  readonly #forget: StatementSync;
  readonly #put: StatementSync;
  #run = 0;
  #begun: IndexFingerprint = { uuids: '', definition: '', processing: '', writes: 0 };
  /** How many documents the run has sent, except those that the index refused, and how many it has acknowledged. */
  #sent = 0;
  #written = 0;
  #isComplete = false;
  #known = new KnownHashes(0, false);
  /** The documents whose hashes are stored with the next transaction: each takes as long as many documents. */
  readonly #acknowledged = new Map<string, Buffer | undefined>();
  /** The last document that `forget` has removed: `missing` has seen everything before it. */
  #missingAfter = '';
  /** The last batch with each document that is being sent. An earlier batch must not store the hash of its version. */
  readonly #sending = new Map<string, HashedDocuments>();

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
        PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
        CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS documents (key TEXT PRIMARY KEY, hash BLOB, seen INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS sending (key TEXT PRIMARY KEY) WITHOUT ROWID`);
      // One statement for a batch takes a third of the time of one for each document.
      this.#different = database.prepare(`SELECT key, hash FROM (
          SELECT batch.value AS key, iif(sending.key IS NULL, documents.hash, NULL) AS hash, batch.key AS position
          FROM json_each(?) AS batch
          LEFT JOIN sending ON sending.key = batch.value LEFT JOIN documents ON documents.key = batch.value)
        WHERE hash IS NOT substr(?, 1 + ${HASH_BYTES} * position, ${HASH_BYTES})`);
      this.#see = database.prepare(`UPDATE documents SET seen = ?1
        WHERE key IN (SELECT value FROM json_each(?2)) AND seen <> ?1`);
      // Changed documents are far from each other. A small table takes less time than a change of so many places.
      this.#start = database.prepare('INSERT OR IGNORE INTO sending (key) VALUES (?)');
      this.#settle = database.prepare('DELETE FROM sending WHERE key = ?');
      this.#forgetHashes = database.prepare(`INSERT INTO documents (key, hash, seen) SELECT key, NULL, ? FROM sending
        WHERE true ON CONFLICT (key) DO UPDATE SET hash = NULL, seen = excluded.seen`);
      this.#acknowledge = database.prepare('INSERT OR REPLACE INTO documents (key, hash, seen) VALUES (?, ?, ?)');
      this.#forget = database.prepare('DELETE FROM documents WHERE key = ?');
      this.#put = database.prepare('INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)');
    } catch (error) {
      throw hashesError(error, this.#file);
    }
  }

  /**
   * Begins a run. Forgets all hashes if they may be wrong for the index as it is now, and then returns the reason.
   * Returns undefined if the hashes are right, or if there are none.
   * @param source identifies the documents that `missing` finds: those of another source are not missing
   */
  begin(now: IndexFingerprint, source = ''): string | undefined {
    return this.#transaction(() => {
      const isSameSource = (this.#read('source') ?? '') === source;
      const reason = this.#reasonToForget(now, isSameSource);
      if (reason === undefined) this.#forgetUnknown(0);
      else this.#database.exec('DELETE FROM documents; DELETE FROM sending');
      this.#run = Number(this.#read('run') ?? 0) + 1;
      this.#isComplete = reason === undefined && isSameSource && this.#read('complete') === 1;
      this.#begun = now;
      this.#write({
        ...now,
        source,
        kind: HASH_KIND,
        run: this.#run,
        started: startOfComputer(),
        ended: 0,
        doubt: '',
        complete: this.#isComplete ? 1 : 0,
      });
      return reason;
    });
  }

  /**
   * Returns the documents to send. Removes their hashes, because their results are not known yet. If one of several
   * versions of a document has changed, all of them are sent. Call it in the order of the batches.
   */
  take(batch: HashedDocuments): SentDocuments {
    const known = this.#known;
    const words = wordsOf(batch.hashes);
    const candidates: number[] = [];
    for (let i = 0; i < batch.count; i++) if (!known.see(words, i)) candidates.push(i);
    if (candidates.length === 0) return { positions: [], keys: [] };
    const keys = candidates.map((position) => batch.key(position));
    const changed = new Set<string>();
    const removed = new Set<number>();
    const sent: SentDocuments = { positions: [], keys: [] };
    if (keys.some((key) => this.#acknowledged.has(key))) this.#store();
    this.#transaction(() => {
      const wanted = Buffer.concat(candidates.map((i) => hashAt(batch, i)));
      for (const { key, hash } of this.#different.all(JSON.stringify(keys), wanted)) {
        changed.add(key as string);
        if (!(hash instanceof Uint8Array)) continue;
        const old = wordsOf(hash);
        known.remove(old, 0);
        removed.add(old[0] as number);
      }
      if (this.#marksSeen && changed.size < keys.length) this.#see.run(this.#run, JSON.stringify(keys));
      for (const key of changed) this.#start.run(key);
      for (let i = 0, next = 0; i < batch.count; i++) {
        const key = candidates[next] === i ? (keys[next++] as string) : undefined;
        // A document that was no candidate is sent if its hash has just been removed because of another version.
        const isSent =
          key === undefined ? removed.has(words[i * HASH_WORDS] as number) && !known.has(words, i) : changed.has(key);
        if (!isSent) continue;
        sent.positions.push(i);
        sent.keys.push(key ?? batch.key(i));
      }
      this.#sent += sent.positions.length;
    });
    for (const key of sent.keys) this.#sending.set(key, batch);
    return sent;
  }

  /** Stores the hashes of the documents that the index has acknowledged: all that were sent, except the failed ones. */
  acknowledge(batch: HashedDocuments, { positions, keys }: SentDocuments, failed: ReadonlySet<number>): void {
    // A request without an answer may have written the document. So no other version of it has a hash either.
    const unknown = new Set<string>();
    positions.forEach((position, i) => {
      if (failed.has(position)) unknown.add(keys[i] as string);
    });
    // Nor has a version in a later batch: the search engine may still be writing the one without an answer.
    for (const key of unknown) this.#sending.delete(key);
    const isLast = new Set(keys.filter((key) => this.#sending.get(key) === batch));
    for (const key of isLast) this.#sending.delete(key);
    positions.forEach((position, i) => {
      const key = keys[i] as string;
      if (unknown.has(key) || !isLast.has(key)) return;
      // After a deletion, a later version in the batch stores its hash again.
      const hash = batch.deletions.has(position) ? undefined : Buffer.from(hashAt(batch, position));
      this.#acknowledged.set(key, hash);
    });
    this.#sent -= failed.size;
    this.#written += positions.length - failed.size;
    if (this.#acknowledged.size >= MAX_ACKNOWLEDGED) this.#store();
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
    this.#store(true);
    const sql = 'SELECT count(*) AS count, count(*) FILTER (WHERE seen <> ?) AS unmarked FROM documents';
    const { count, unmarked } = this.#transaction(
      () => this.#database.prepare(sql).get(this.#run) as unknown as Counted,
    );
    return { all: count, missing: unmarked - this.#known.seen };
  }

  /** Returns the keys of documents that this run has not seen, in ascending order. */
  missing(limit: number): string[] {
    this.#store(true);
    return this.#transaction(() => {
      const sql = 'SELECT key, hash FROM documents WHERE seen <> ? AND key > ? ORDER BY key';
      const keys: string[] = [];
      for (const { key, hash } of this.#database.prepare(sql).iterate(this.#run, this.#missingAfter)) {
        if (hash instanceof Uint8Array && this.#known.isSeen(wordsOf(hash), 0)) continue;
        keys.push(key as string);
        if (keys.length === limit) break;
      }
      return keys;
    });
  }

  /** Counts documents that the run has deleted in another way than by `take`. */
  deleted(documents: number): void {
    this.#sent += documents;
    this.#written += documents;
  }

  /** Counts documents that the index acknowledges without a write: dropped by an ingest pipeline, or older ones. */
  notWritten(documents: number): void {
    this.deleted(-documents);
  }

  /** Forgets documents of `missing` that were deleted. */
  forget(keys: readonly string[]): void {
    this.#transaction(() => {
      for (const key of keys) this.#forget.run(key);
    });
    this.#missingAfter = keys.at(-1) ?? this.#missingAfter;
  }

  /** Ends a run, so that the next one can find out whether another program has changed the index. */
  end(now: IndexFingerprint): void {
    const doubt = doubtOf(this.#begun, now, this.#written, this.#sent) ?? '';
    this.#store(true);
    this.#transaction(() => this.#write({ ...now, ended: 1, doubt }));
  }

  close(): void {
    this.#database.close();
  }

  #reasonToForget(now: IndexFingerprint, isSameSource: boolean): string | undefined {
    if (this.#read('run') === undefined) return undefined;
    const text = (name: string) => String(this.#read(name) ?? '');
    const number = (name: string) => Number(this.#read(name) ?? 0);
    const before = {
      uuids: text('uuids'),
      definition: text('definition'),
      processing: text('processing'),
      writes: number('writes'),
    };
    if (text('kind') !== HASH_KIND) return OTHER_HASHES;
    if (before.uuids !== now.uuids) return CREATED;
    if (this.#marksSeen && !(isSameSource && this.#read('complete') === 1)) {
      return 'deleteMissing first needs a complete run that sends all documents';
    }
    if (this.#read('ended') === 1) {
      const doubt = text('doubt');
      if (doubt !== '') return doubt;
      return before.definition === now.definition ? doubtOf(before, now, 0, 0) : DEFINED;
    }
    // A run was killed, and its last requests may have been executed. Only documents without a result leave a doubt.
    const isSameStart = Math.abs(number('started') - startOfComputer()) < CLOCK_MILLIS;
    return doubtOf(before, now, number('written'), number('sent')) ?? (isSameStart ? undefined : RESTARTED);
  }

  /**
   * Reads the hashes into memory, which makes `take` faster. Yields after some of them, so that the run can start
   * meanwhile. Call it after `begin`, and `take` not before its end.
   */
  *load(): Generator<void> {
    try {
      const count = this.#database.prepare('SELECT count(*) AS count FROM documents').get() as unknown as Counted;
      this.#known = new KnownHashes(count.count, this.#marksSeen);
      // Many hashes in one value take a tenth of the time of single hashes.
      const next = this.#database.prepare(`SELECT CAST(group_concat(hash, '') AS BLOB) AS hashes, max(key) AS last FROM
        (SELECT key, hash FROM documents WHERE key > ? AND hash IS NOT NULL ORDER BY key LIMIT ${READ_DOCUMENTS})`);
      for (let last = ''; !this.#known.isFull; yield) {
        const { hashes, last: key } = next.get(last) as { hashes: Uint8Array | null; last: string | null };
        if (hashes === null || key === null) return;
        this.#known.add(wordsOf(hashes));
        last = key;
      }
    } catch (error) {
      throw hashesError(error, this.#file);
    }
  }

  #read(name: string): string | number | undefined {
    const row = this.#database.prepare('SELECT value FROM state WHERE name = ?').get(name);
    return row?.value as string | number | undefined;
  }

  #write(values: Readonly<Record<string, string | number>>): void {
    for (const [name, value] of Object.entries(values)) this.#put.run(name, value);
  }

  /**
   * Stores what was acknowledged.
   * @param isLast whether nothing more is acknowledged: then the other documents that were sent have no hash
   */
  #store(isLast = false): void {
    this.#transaction(() => {
      for (const [key, hash] of this.#acknowledged) {
        if (hash === undefined) this.#forget.run(key);
        else this.#acknowledge.run(key, hash, this.#run);
        this.#settle.run(key);
      }
      if (isLast) this.#forgetUnknown(this.#run);
    });
    this.#acknowledged.clear();
  }

  /** Removes the hashes of the documents whose results are not known. */
  #forgetUnknown(seen: number): void {
    this.#forgetHashes.run(seen);
    this.#database.exec('DELETE FROM sending');
  }

  #transaction<T>(work: () => T): T {
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        this.#write({ sent: this.#sent, written: this.#written });
        this.#database.exec('COMMIT');
        return result;
      } catch (error) {
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        throw error;
      }
    } catch (error) {
      throw hashesError(error, this.#file);
    }
  }
}

function hashAt({ hashes }: HashedDocuments, position: number): Uint8Array {
  return hashes.subarray(position * HASH_BYTES, (position + 1) * HASH_BYTES);
}

interface Counted {
  readonly count: number;
  readonly unmarked: number;
}

function startOfComputer(): number {
  return Math.round(Date.now() - uptime() * 1000);
}

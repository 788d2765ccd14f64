import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** A change of a document that the live index has acknowledged. */
export interface Change {
  /** Identifies the document: its id and its routing. */
  readonly document: string;
  /**
   * The order of the changes of one document: those with a higher number came later. Two changes with the same number
   * are in the order of the journal.
   */
  readonly order: number;
  /** True if the document no longer depends on earlier changes: it was replaced or deleted. */
  readonly replaces: boolean;
  /** Whether the live index counts it as a write. An update without an effect does not count. */
  readonly counts: boolean;
  /** What is sent to the new index. */
  readonly content: Uint8Array;
}

/** Some of the changes that were not replayed yet. */
export interface ChangesToReplay {
  /** The contents, in an order in which they can be sent. The changes of one document are in their order. */
  readonly contents: readonly Uint8Array[];
  /** How many changes of the journal are done when these were sent. */
  readonly changes: number;
}

/** The length of the contents that are replayed together, in bytes, and how many changes of the journal they are. */
const REPLAY_BYTES = 8 * 1024 * 1024;
const REPLAY_CHANGES = 2000;

/** How long an append waits for that of another run, in milliseconds. */
const BUSY_MILLIS = 30_000;

/**
 * The changes of live indices during a rebuild, in a SQLite file. Several threads append to it, and the rebuild replays
 * it. It need not survive a crash of the computer, because the rebuild does not.
 */
export class ChangeJournal {
  readonly #database: DatabaseSync;
  readonly #append: StatementSync;
  readonly #next: StatementSync;
  readonly #changesOf: StatementSync;
  #replayed = 0;

  private constructor(database: DatabaseSync) {
    this.#database = database;
    this.#append = database.prepare(
      'INSERT INTO change (document, number, replaces, counts, content) VALUES (?, ?, ?, ?, ?)',
    );
    this.#next = database.prepare(
      'SELECT position, document, length(content) AS bytes FROM change WHERE position > ? ORDER BY position LIMIT ?',
    );
    this.#changesOf = database.prepare(
      'SELECT replaces, content FROM change WHERE document = ? ORDER BY number, position',
    );
  }

  static create(path: string): ChangeJournal {
    const database = open(path);
    database.exec(`PRAGMA journal_mode = WAL;
      CREATE TABLE change (
        position INTEGER PRIMARY KEY, document TEXT NOT NULL, number INTEGER NOT NULL,
        replaces INTEGER NOT NULL, counts INTEGER NOT NULL, content BLOB NOT NULL
      );
      CREATE INDEX change_document ON change (document)`);
    return new ChangeJournal(database);
  }

  /** Opens the journal of a rebuild. Throws if the rebuild has ended and removed it. */
  static open(path: string): ChangeJournal {
    if (!existsSync(path)) throw new Error('the rebuild has removed it');
    return new ChangeJournal(open(path));
  }

  /** Appends all changes, or none. Throws an error of SQLite, for example if the disk is full. */
  append(changes: Iterable<Change>): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const { document, order, replaces, counts, content } of changes)
        this.#append.run(document, order, replaces ? 1 : 0, counts ? 1 : 0, content);
      this.#database.exec('COMMIT');
    } catch (error) {
      // SQLite itself has rolled back after some errors, such as a full disk.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** The number of changes that the live index counts as writes. */
  get writes(): number {
    return this.#database.prepare('SELECT count(*) AS n FROM change WHERE counts = 1').get()?.['n'] as number;
  }

  /** The number of changes that were not replayed. */
  get open(): number {
    const row = this.#database.prepare('SELECT count(*) AS n FROM change WHERE position > ?').get(this.#replayed);
    return row?.['n'] as number;
  }

  /**
   * Returns changes that were not replayed; undefined if there are none. They count as replayed after `done`.
   *
   * Two runs may change the same document at the same time, and append their changes in another order than that of the
   * index. So each document with a new change gets all its changes again, in the order of the index, from the last one
   * that replaced it.
   */
  next(): { readonly toReplay: ChangesToReplay; done(): void } | undefined {
    const documents = new Set<string>();
    let last = this.#replayed;
    let bytes = 0;
    let changes = 0;
    for (const row of this.#next.iterate(this.#replayed, REPLAY_CHANGES)) {
      documents.add(row['document'] as string);
      last = row['position'] as number;
      changes++;
      bytes += row['bytes'] as number;
      if (bytes >= REPLAY_BYTES) break;
    }
    if (changes === 0) return undefined;
    const contents = inTurns(Array.from(documents, (document) => this.#contentsOf(document)));
    return {
      toReplay: { contents, changes },
      done: () => {
        this.#replayed = last;
      },
    };
  }

  close(): void {
    this.#database.close();
  }

  #contentsOf(document: string): Uint8Array[] {
    const all = this.#changesOf.all(document);
    const from = all.findLastIndex(({ replaces }) => replaces === 1);
    return all.slice(Math.max(0, from)).map(({ content }) => content as Uint8Array);
  }
}

/** Returns the first items of all lists, then the second ones: the changes of one document are in different requests. */
function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) =>
    lists.flatMap((list) => (i < list.length ? [list[i] as T] : [])),
  ).flat();
}

function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_MILLIS });
  database.exec('PRAGMA synchronous = OFF');
  return database;
}

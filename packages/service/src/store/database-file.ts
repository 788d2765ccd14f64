import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '@headrace/engine';
import { createPrivate, keepPrivate } from './private-files.ts';
import { migrate } from './sqlite-schema.ts';

/** What the journal is cut to when it has grown beyond it. */
const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;

const SQLITE_BUSY = 5;
/** Read-only, input or output, full, and cannot be opened. */
const DISK_ERRORS: ReadonlySet<number> = new Set([8, 10, 13, 14]);
/** Corrupt, and not a database. */
const DAMAGE: ReadonlySet<number> = new Set([11, 26]);
/** No permission, and a disk that is read-only. */
const REFUSED: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS']);

const NEEDS_RIGHTS = 'Give the user of the service the right to write there, or choose another storage.path';

/** The database of a store, open and locked. */
export interface DatabaseFile {
  readonly db: DatabaseSync;
  /** Throws if the files on the disk are not those that are open: what is written goes nowhere then. */
  check(): void;
}

/**
 * Opens the database in a directory, creates both if they are missing, and locks it for as long as this process lives.
 * The lock is the operating system's, so a killed process leaves none. Throws if that is not possible; the message says
 * what to do.
 *
 * `synchronous = FULL` waits for the disk at every commit, so that an acknowledged write survives the loss of power as
 * well as `kill -9`. Measured on a shared two-core machine, rows of 1 kB in groups of 100: 18,000 to 28,000 rows a
 * second with `FULL`, 27,000 to 30,000 with `NORMAL`. That is enough, and the group pays for the wait once.
 * @param warn called if others may read a file of the store, and that cannot be changed
 */
export function openDatabaseFile(directory: string, warn: (message: string) => void): DatabaseFile {
  makeDirectory(directory);
  const pidFile = join(directory, 'pid');
  const path = join(directory, 'headrace.db');
  let db: DatabaseSync | undefined;
  try {
    // Configs hold secrets, whatever may be done with the directory. SQLite makes its other files with the mode of this one.
    createPrivate(path);
    for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`, pidFile]) keepPrivate(file, warn);
    db = new DatabaseSync(path);
    // Giving back space works for a new database only: it must be said before anything is in it.
    db.exec(`PRAGMA auto_vacuum = INCREMENTAL; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;
             PRAGMA journal_size_limit = ${MAX_JOURNAL_BYTES}; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
             BEGIN IMMEDIATE; COMMIT;`);
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
    migrate(db);
    return { db, check: checkOf([path, `${path}-wal`]) };
  } catch (error) {
    db?.close();
    throw openError(error, directory, path, pidFile);
  }
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    const why = `The store directory ${directory} cannot be made: ${messageOf(error)}`;
    throw new Error(`${why}. ${NEEDS_RIGHTS}`, { cause: error });
  }
}

/** Remembers which files are there, and returns what throws when others are. */
function checkOf(paths: readonly string[]): () => void {
  const opened = paths.map((path) => ({ path, id: fileId(path) }));
  return () => {
    for (const { path, id } of opened) {
      if (fileId(path) === id) continue;
      throw new Error(
        `${path} was removed or replaced while the service has it open. Put the files of the store back as they were, ` +
          'or end the service, and start it with the store that it is to have',
      );
    }
  };
}

/** Tells a file from every other one; undefined if there is none. */
function fileId(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev} ${stat.ino}`;
}

function openError(error: unknown, directory: string, path: string, pidFile: string): Error {
  const { errcode = 0, code } = error as { errcode?: number; code?: string };
  // The low byte says the kind.
  const kind = errcode % 256;
  if (kind === SQLITE_BUSY) {
    return new Error(
      `The store ${directory} is in use by another service (process ${readPid(pidFile)}). ` +
        'Stop that one first, or give this one another storage.path.',
      { cause: error },
    );
  }
  const advice = REFUSED.has(code)
    ? NEEDS_RIGHTS
    : DISK_ERRORS.has(kind)
      ? `Look at its disk: it must be writable, sound, and not full. ${NEEDS_RIGHTS}`
      : DAMAGE.has(kind)
        ? `${path} is damaged, or of another program: put a copy from a backup in its place, or move all files of the ` +
          'directory away, and the service begins with an empty store'
        : undefined;
  const hint = advice === undefined ? '' : `. ${advice}`;
  return new Error(`The store ${directory} cannot be opened: ${messageOf(error)}${hint}`, { cause: error });
}

function readPid(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    // It has the lock and has not written its number yet.
    return 'unknown';
  }
}

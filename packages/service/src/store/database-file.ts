import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '@headrace/engine';
import { createPrivate, keepPrivate } from './private-files.ts';
import { migrate } from './sqlite-schema.ts';

/** The size to which SQLite truncates a larger journal. */
const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;

const SQLITE_BUSY = 5;
/** SQLite error codes for a read-only disk, I/O errors, a full disk, and a file that cannot be opened. */
const DISK_ERRORS: ReadonlySet<number> = new Set([8, 10, 13, 14]);
/** SQLite error codes for a corrupt file, and for a file that is not a database. */
const DAMAGE: ReadonlySet<number> = new Set([11, 26]);
/** System error codes for missing permissions, and for a read-only disk. */
const REFUSED: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS']);

const NEEDS_RIGHTS = 'Give the user of the service the right to write there, or choose another storage.path';

/** The open and locked database of a store. */
export interface DatabaseFile {
  readonly db: DatabaseSync;
  /** Throws if the files on the disk are not the open files. Writes would then be lost. */
  check(): void;
}

/**
 * Opens the database in a directory and locks it while this process lives. Creates both if they are missing. The
 * operating system releases the lock when the process ends, even if it was killed. If opening fails, throws an error
 * that says what to do.
 *
 * `synchronous = FULL` waits for the disk at every commit, so that an acknowledged write survives a loss of power as
 * well as `kill -9`. Measured on a shared two-core machine, with rows of 1 kB in groups of 100: 18,000 to 28,000 rows
 * per second with `FULL`, 27,000 to 30,000 with `NORMAL`. That is fast enough, because each group waits only once.
 * @param warn called if other users can read a file of the store and this cannot be changed
 */
export function openDatabaseFile(directory: string, warn: (message: string) => void): DatabaseFile {
  makeDirectory(directory);
  const pidFile = join(directory, 'pid');
  const path = join(directory, 'headrace.db');
  let db: DatabaseSync | undefined;
  try {
    // Configs contain secrets, so the files are private even in a public directory. SQLite creates its other files with
    // the mode of this file.
    createPrivate(path);
    for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`, pidFile]) keepPrivate(file, warn);
    db = new DatabaseSync(path);
    // Automatic vacuum must be set before a new database has any content. It has no effect on existing databases.
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
    const why = `The store directory ${directory} cannot be created: ${messageOf(error)}`;
    throw new Error(`${why}. ${NEEDS_RIGHTS}`, { cause: error });
  }
}

/** Remembers the identity of the files. Returns a function that throws if they were removed or replaced. */
function checkOf(paths: readonly string[]): () => void {
  const opened = paths.map((path) => ({ path, id: fileId(path) }));
  return () => {
    for (const { path, id } of opened) {
      if (fileId(path) === id) continue;
      throw new Error(
        `${path} was removed or replaced while the service has it open. Restore the files of the store,` +
          'or stop the service and start it with the correct store',
      );
    }
  };
}

/** Returns the identity of a file (device and inode), or undefined if it does not exist. */
function fileId(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev} ${stat.ino}`;
}

function openError(error: unknown, directory: string, path: string, pidFile: string): Error {
  const { errcode = 0, code } = error as { errcode?: number; code?: string };
  // The low byte of an extended SQLite error code is the kind of the error.
  const kind = errcode % 256;
  if (kind === SQLITE_BUSY) {
    return new Error(
      `The store ${directory} is in use by another service (process ${readPid(pidFile)}). ` +
        'Stop that service first, or set another storage.path for this one.',
      { cause: error },
    );
  }
  const advice = REFUSED.has(code)
    ? NEEDS_RIGHTS
    : DISK_ERRORS.has(kind)
      ? `Check its disk: it must be writable, intact, and not full. ${NEEDS_RIGHTS}`
      : DAMAGE.has(kind)
        ? `${path} is damaged, or belongs to another program: restore a backup, or move all files of the ` +
          'directory away to start with an empty store'
        : undefined;
  const hint = advice === undefined ? '' : `. ${advice}`;
  return new Error(`The store ${directory} cannot be opened: ${messageOf(error)}${hint}`, { cause: error });
}

function readPid(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    // The other process has the lock, but has not written its process id yet.
    return 'unknown';
  }
}

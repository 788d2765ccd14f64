import { HeadraceError, messageOf } from '@headrace/engine';

/** The SQLite error codes SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED = [11, 26];

/** Returns the error to report if SQLite cannot read a damaged state file; undefined for any other error. */
export function damagedState(file: string, error: unknown): HeadraceError | undefined {
  const { errcode = 0 } = error as { errcode?: number };
  if (!DAMAGED.includes(errcode % 256)) return undefined;
  return new HeadraceError('HR_SOURCE_UNREADABLE', `The state in ${file} is damaged: ${messageOf(error)}`, {
    hint: `Restore it from a backup, or delete it (and ${file}-wal and ${file}-shm if they exist). After a deletion, the next run publishes everything again and sends no tombstones for files that were deleted before that run.`,
    cause: error,
  });
}

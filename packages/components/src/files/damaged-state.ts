import { HeadraceError, messageOf } from '@headrace/engine';

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED = [11, 26];

/** The error for a file of a state that SQLite cannot make sense of; undefined for what has other reasons. */
export function damagedState(file: string, error: unknown): HeadraceError | undefined {
  const { errcode = 0 } = error as { errcode?: number };
  if (!DAMAGED.includes(errcode % 256)) return undefined;
  return new HeadraceError('HR_SOURCE_UNREADABLE', `The state in ${file} is damaged: ${messageOf(error)}`, {
    hint: `Bring it back from a backup, or delete it, with ${file}-wal and ${file}-shm if they are there: the next run then publishes everything again, and sends no tombstones of files that have vanished by then.`,
    cause: error,
  });
}

import { messageOf } from '@headrace/engine';
import { ReindexError } from './reindex-error.ts';

/** SQLite error codes: the file is locked, is damaged, is no database. */
const BUSY = 5;
const DAMAGED: readonly number[] = [11, 26];

/** Returns an error of SQLite as one that names the file with hashes and says what to do. */
export function hashesError(error: unknown, file: string): ReindexError {
  const code = ((error as { errcode?: number }).errcode ?? 0) % 256;
  if (code === BUSY) {
    return new ReindexError(
      `Another run uses the hashes in ${file}`,
      'Wait until it has ended. If it writes to another index, set hashesFile to another file in one of the configs.',
    );
  }
  if (DAMAGED.includes(code)) {
    return new ReindexError(
      `The hashes in ${file} are damaged: ${messageOf(error)}`,
      `Delete the file, and ${file}-wal if it exists. The next run then sends all documents.`,
    );
  }
  return new ReindexError(
    `The hashes in ${file} cannot be used: ${messageOf(error)}`,
    'hashesFile must name a file that only this parameter uses, in a folder with space that this process may write.',
  );
}

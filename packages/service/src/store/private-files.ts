import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { messageOf } from '@headrace/engine';

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/**
 * Creates a file that only its owner can access, unless the file exists. An existing file must not be opened: closing
 * it would release the lock that this process may hold on it.
 */
export function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Removes the permissions of other users from a file, if it exists. Calls `warn` if this fails. */
export function keepPrivate(path: string, warn: (message: string) => void): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & OTHERS) === 0) return;
  try {
    chmodSync(path, OWNER_ONLY);
  } catch (error) {
    warn(
      `Other users can access ${path}, which contains secrets, and its permissions cannot be changed: ${messageOf(error)}`,
    );
  }
}

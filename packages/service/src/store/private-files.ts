import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { messageOf } from '@headrace/engine';

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/**
 * Makes a file for its owner alone, unless there is one. One that there is must not be opened: closing it again would
 * release the lock that this process may hold on it.
 */
export function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Takes the rights of others from a file, if there is one. Where that cannot be done, a warning says so. */
export function keepPrivate(path: string, warn: (message: string) => void): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & OTHERS) === 0) return;
  try {
    chmodSync(path, OWNER_ONLY);
  } catch (error) {
    warn(`Others may use ${path}, which holds secrets, and that cannot be changed: ${messageOf(error)}`);
  }
}

import { HeadraceError } from '@headrace/engine';

/** A file that exists, but in an archive of the provider: it cannot be read before it is restored. */
export class ArchivedFileError extends HeadraceError {
  constructor(path: string, archive: string, cause?: unknown) {
    super('HR_SOURCE_UNREADABLE', `${path} is ${archivedIn(archive)}`, {
      hint: RESTORE,
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

const RESTORE = 'Restore it with the tools of the provider; the next run then reads it.';

/** Says where a file is, and what to do, for a notice. */
export function archivedHint(archive: string): string {
  return `It is ${archivedIn(archive)}. ${RESTORE}`;
}

/** @param archive the storage class or the access tier */
function archivedIn(archive: string): string {
  return `archived (${archive})`;
}

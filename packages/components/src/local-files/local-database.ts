import type { DatabaseSync } from 'node:sqlite';
import { allowedPath, isRestricted } from '@headrace/engine';

const IN_MEMORY = ':memory:';

/**
 * Opens a SQLite file of this machine, or a database in memory, as the policy of the config allows: SQL does not get at
 * other files then.
 */
export async function openLocalDatabase(
  file: string,
  { readOnly = false, timeout }: { readonly readOnly?: boolean; readonly timeout: number },
): Promise<DatabaseSync> {
  const { DatabaseSync, constants } = await import('node:sqlite');
  const path = file === IN_MEMORY ? file : allowedPath(file, readOnly ? 'read' : 'write');
  const database = new DatabaseSync(path, { readOnly, timeout });
  if (isRestricted()) {
    const { SQLITE_ATTACH, SQLITE_PRAGMA, SQLITE_DENY, SQLITE_OK } = constants;
    database.setAuthorizer((action, name) => {
      // VACUUM INTO attaches too; VACUUM alone attaches what has no name.
      if (action === SQLITE_ATTACH && name !== '' && name !== IN_MEMORY) return SQLITE_DENY;
      // They would change where the whole process keeps its files.
      const moves = action === SQLITE_PRAGMA && /^(temp|data)_store_directory$/i.test(name ?? '');
      return moves ? SQLITE_DENY : SQLITE_OK;
    });
  }
  return database;
}

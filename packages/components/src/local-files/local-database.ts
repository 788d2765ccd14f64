import type { DatabaseSync } from 'node:sqlite';
import { allowedPath, isRestricted } from '@headrace/engine';

const IN_MEMORY = ':memory:';

/** Opens a local SQLite file, or a database in memory. With a policy, SQL statements cannot access other files. */
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
      // VACUUM INTO also attaches a file; VACUUM alone attaches a database without a name.
      if (action === SQLITE_ATTACH && name !== '' && name !== IN_MEMORY) return SQLITE_DENY;
      // These pragmas would change the folders of files for the whole process.
      const moves = action === SQLITE_PRAGMA && /^(temp|data)_store_directory$/i.test(name ?? '');
      return moves ? SQLITE_DENY : SQLITE_OK;
    });
  }
  return database;
}

import { dirname } from 'node:path';
import { HeadraceError, type IndexerContext } from '@headrace/engine';
import { openLocalDatabase } from '../local-files/local-database.ts';
import { makeFolders } from '../local-files/local-files.ts';
import { DocumentHashes } from '../reindexing/document-hashes.ts';
import { hashesError } from '../reindexing/hashes-error.ts';
import type { IndexAdmin } from '../reindexing/index-admin.ts';
import { IndexHashes } from '../reindexing/index-hashes.ts';
import { jsonOf } from './index-lifecycle.ts';
import type { IndexParameters } from './index-parameters.ts';

export function hashesFileOf({ index, hashesFile = `./state/${index}.hashes` }: IndexParameters): string {
  return hashesFile;
}

/** Opens the hashes of the documents of an index, for a run. */
export async function openHashes(
  admin: IndexAdmin,
  params: IndexParameters,
  { log, onUnchanged = () => {} }: IndexerContext,
): Promise<IndexHashes> {
  const { index, sync } = params;
  const file = hashesFileOf(params);
  await makeFolders(dirname(file));
  const database = await openLocalDatabase(file, { timeout: 0 }).catch((error: unknown) => {
    throw error instanceof HeadraceError ? error : hashesError(error, file);
  });
  try {
    const hashes = new DocumentHashes(database, file, sync?.deleteMissing === true);
    // Another config may write other documents to the same index.
    const source = JSON.stringify(sync?.where === undefined ? {} : jsonOf(sync.where));
    return await IndexHashes.begin(hashes, { admin, index, source, log, onUnchanged });
  } catch (error) {
    database.close();
    throw error;
  }
}

import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { HeadraceError, type IndexerContext, messageOf } from '@headrace/engine';
import { DocumentHashes, type IndexAdmin, IndexHashes } from '@headrace/reindexing';
import { openLocalDatabase } from '../local-files/local-database.ts';
import { makeFolders } from '../local-files/local-files.ts';
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
  const database = await openDatabase(file);
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

async function openDatabase(file: string): Promise<DatabaseSync> {
  try {
    return await openLocalDatabase(file, { timeout: 0 });
  } catch (error) {
    if (error instanceof HeadraceError) throw error;
    const hint = 'hashesFile must name a file that this process may write.';
    throw new HeadraceError('HR_INDEXER_START', `The hashes in ${file} cannot be used: ${messageOf(error)}`, { hint });
  }
}

/**
 * The files of local disks, Amazon S3, Azure and Google Cloud, for plugins.
 *
 * @module
 */

export { cachedVector } from '../caches/checked-vector.ts';
export type { GuardedCache } from '../caches/guarded-cache.ts';
export { CacheParameter, checkCache, openCache } from '../caches/open-cache.ts';
export { remove, rename } from '../local-files/local-files.ts';
export { checkOutputFileAccess, checkOutputPath, type Output, openOutputFile } from '../local-files/output-file.ts';
export { type ContentFields, contentOf } from './content-of.ts';
export { type FileUri, localFileUri, parseConfigUri, parseFileUri } from './file-uri.ts';
export { FileTooLarge } from './read-whole.ts';
export type { ListOptions, RangedFile, Storage, StoredFile } from './storage.ts';
export { checkStorageSettings, type StorageSettings, s3Parameters, storageParameters } from './storage-parameters.ts';
export { Storages, unneededStorages, unreadableScheme, unreadyStorages } from './storages.ts';

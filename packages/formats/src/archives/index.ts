export type { ArchiveEntry } from './archive-entry.ts';
export type { ByteSource } from './byte-source.ts';
export { gunzipped } from './gzip.ts';
export { withLocalCopy } from './local-copy.ts';
export { TruncatedError } from './packed-input.ts';
export { tarEntries } from './tar-reader.ts';
export { UnpackBudget } from './unpack-budget.ts';
export { zipEntries } from './zip-reader.ts';

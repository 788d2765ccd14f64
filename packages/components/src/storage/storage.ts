import type { FileIdentity } from '../local-files/output-lock.ts';
import type { FileUri } from './file-uri.ts';

/** A file of a storage, as far as a listing shows. */
export interface StoredFile {
  readonly uri: FileUri;
  /** The full path, a URI: ids of documents are made of it. */
  readonly path: string;
  /** What patterns are matched with: the name of a local file, the whole key of an object. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** Nanoseconds since the epoch. */
  readonly modified: bigint;
  /** Nanoseconds since the epoch; undefined if the storage does not say. */
  readonly created: bigint | undefined;
}

export interface ListOptions {
  /** Whether to skip the folder of this URI, which has no slash at its end. */
  skips(folder: string): boolean;
  /** Whether to skip a local file, without a look at its content. */
  leavesOut?(path: string, file: FileIdentity): boolean;
  /**
   * Something could not be read: it is left out, the rest continues.
   * @param uri of a folder with a slash at its end
   */
  onProblem(uri: string, error: unknown): void;
  readonly signal: AbortSignal;
}

/** Files of one place: the local disk, buckets of one provider. Errors are those of the system or the provider. */
export interface Storage {
  /** All files at or below a path, page by page, folders left out. Nothing is kept of what it has given. */
  list(start: FileUri, options: ListOptions): AsyncIterable<StoredFile>;
  /** Whether a path can be listed or read; throws why not. What a bucket has below it does not matter. */
  reach(start: FileUri, signal: AbortSignal): Promise<void>;
  stat(uri: FileUri): Promise<StoredFile>;
  /** The bytes of a file, in pieces that are the receiver's until it asks for the next one. */
  read(uri: FileUri): AsyncIterable<Uint8Array>;
  /**
   * Moves a file into a folder. Local files take their name with them, or get another one where that is taken; objects
   * take their whole key, and replace what had it before.
   */
  move(file: FileUri, folder: FileUri): Promise<void>;
  close(): Promise<void>;
}

/** Asks for the first files at a path: an answer means that the storage is there, lets in, and has the bucket. */
export async function reachByListing(
  storage: Pick<Storage, 'list'>,
  start: FileUri,
  signal: AbortSignal,
): Promise<void> {
  const onProblem = (_uri: string, error: unknown): never => {
    throw error;
  };
  for await (const _ of storage.list(start, { skips: () => true, onProblem, signal })) return;
}

/** The key of an object in the folder that it is moved to. */
export function movedKey(key: string, folder: FileUri): string {
  const prefix = folder.path.slice(1);
  return prefix === '' || prefix.endsWith('/') ? prefix + key : `${prefix}/${key}`;
}

/** Nanoseconds since the epoch, as far as a date shows: 0 for one that is missing, or beyond what dates can be. */
export function nanosOf(date: Date | undefined): bigint {
  return BigInt(date?.getTime() || 0) * 1_000_000n;
}

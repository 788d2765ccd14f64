import type { FileIdentity } from '../local-files/output-lock.ts';
import type { FileUri } from './file-uri.ts';

/** The properties of a file in a listing. */
export interface StoredFile {
  readonly uri: FileUri;
  /** The full path, a URI. Document ids are calculated from it. */
  readonly path: string;
  /** The text that patterns match: the name of a local file, or the whole key of an object. */
  readonly name: string;
  /** The size in bytes. */
  readonly size: number;
  /** The time of modification, in nanoseconds since the epoch. */
  readonly modified: bigint;
  /** Nanoseconds since the epoch; undefined if the storage does not report it. */
  readonly created: bigint | undefined;
  /**
   * The storage class or access tier of an object that cannot be read before it is restored from an archive, such as
   * GLACIER. Absent for all other files.
   */
  readonly archive?: string | undefined;
}

export interface ListOptions {
  /** Returns whether to skip the folder with this URI (without a slash at the end). */
  skips(folder: string): boolean;
  /** Returns whether to skip a local file, without reading it. */
  omits?(path: string, file: FileIdentity): boolean;
  /**
   * Called if something cannot be read: it is skipped, and the listing continues.
   * @param uri the URI, with a slash at the end for a folder
   */
  onProblem(uri: string, error: unknown): void;
  readonly signal: AbortSignal;
}

/**
 * The files of one place: the local disk, or the buckets of one provider. Throws the errors of the system or the
 * provider.
 */
export interface Storage {
  /** Lists all files at or below a path, page by page, without folders. Keeps no pages in memory. */
  list(start: FileUri, options: ListOptions): AsyncIterable<StoredFile>;
  /** Checks that a path can be listed or read; throws the reason if not. The path may be empty. */
  checkAccess(start: FileUri, signal: AbortSignal): Promise<void>;
  stat(uri: FileUri): Promise<StoredFile>;
  /** Returns the bytes of a file. The caller may use a chunk until it reads the next one. */
  read(uri: FileUri): AsyncIterable<Uint8Array>;
  /** Opens a file to read parts of it. Throws if the file does not exist. */
  openRanges(uri: FileUri): Promise<RangedFile>;
  /**
   * Moves a file into a folder. A local file keeps its name, or gets a new name if the name is taken. An object keeps
   * its whole key, and replaces an existing object with that key.
   */
  move(file: FileUri, folder: FileUri): Promise<void>;
  close(): Promise<void>;
}

/** A file that is read in parts. All parts are from the same version of the file. */
export interface RangedFile {
  /** The size in bytes. */
  readonly size: number;
  /** Returns the bytes from `start` to before `end`. Throws if the file is shorter, or was replaced. */
  read(start: number, end: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Returns the error for a part of a file that has fewer bytes than expected. */
export function shortRange(path: string, start: number, end: number, found: number): Error {
  return new Error(`${path} has only ${found} of the bytes ${start} to ${end}: it was changed while it was read`);
}

/**
 * Lists the first files at a path. If that succeeds, the storage is reachable, accepts the login, and has the bucket.
 */
export async function checkAccessByListing(
  storage: Pick<Storage, 'list'>,
  start: FileUri,
  signal: AbortSignal,
): Promise<void> {
  const onProblem = (_uri: string, error: unknown): never => {
    throw error;
  };
  for await (const _ of storage.list(start, { skips: () => true, onProblem, signal })) return;
}

/** Returns the key of an object in its target folder. */
export function movedKey(key: string, folder: FileUri): string {
  const prefix = folder.path.slice(1);
  return prefix === '' || prefix.endsWith('/') ? prefix + key : `${prefix}/${key}`;
}

/** Returns a date in nanoseconds since the epoch; 0 if the date is missing or invalid. */
export function nanosOf(date: Date | undefined): bigint {
  return BigInt(date?.getTime() || 0) * 1_000_000n;
}

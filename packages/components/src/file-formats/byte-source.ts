import type { FileHandle } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HeadraceError, messageOf } from '@headrace/engine';
import type { UnpackBudget } from '@headrace/formats/archives';
import { open, stat } from '../local-files/local-files.ts';

/** The bytes of a source, in pieces of any size. A piece may be overwritten when the next piece is read. */
export type ByteSource = AsyncIterable<Uint8Array>;

/** A file with records to publish: a local file, an entry of an archive, or an object of a bucket. */
export interface SourceFile {
  /** The path as the user wrote it. Documents and messages contain it. */
  readonly path: string;
  /** The name of the file, without folders. */
  readonly name: string;
  readonly bytes: ByteSource;
  /** The path on the local disk, if the source is a local file that is not inside another file. */
  readonly local?: string | undefined;
  /** Limits what a file inside an archive may unpack to, if it is compressed itself. */
  readonly budget?: UnpackBudget | undefined;
}

const READ_BYTES = 1024 * 1024;
/** The minimum size of a read buffer. Some files, such as those of /proc, report the size 0 but have content. */
const MIN_READ_BYTES = 64 * 1024;
const CLASSPATH = 'classpath:';

/**
 * Returns the local path for a path in the config: a plain path, a `file:` URI, or `classpath:x`, which means x in the
 * working directory. Throws `HR_SOURCE_UNREADABLE` for a URI of another host.
 */
export function localPath(path: string): string {
  if (path.startsWith(CLASSPATH)) return resolve(path.slice(CLASSPATH.length).replace(/^\/+/, ''));
  if (!/^file:/i.test(path)) return path;
  try {
    return fileURLToPath(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/**
 * Returns the problem of a path that cannot be a local file, such as an `s3://` URI. Returns undefined for other paths.
 */
export function notLocal(path: string): string | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(path)?.[1];
  if (scheme === undefined || scheme.toLowerCase() === 'file') return undefined;
  return `"${path}" is not a local file: ${scheme}:// is not supported here`;
}

/** Returns a local file as a source. The file is opened when its bytes are read. */
export function localFile(path: string): SourceFile {
  const local = localPath(path);
  return { path, name: basename(local), bytes: readFile(local, path) };
}

/**
 * Opens a source as a file that can be read at any position, and passes it to `use`: the local file itself, or a
 * temporary copy without a name. Throws `HR_SOURCE_UNREADABLE` if the source cannot be read.
 */
export async function* withOpenFile<T>(
  { path, bytes, local }: SourceFile,
  use: (file: FileHandle) => AsyncIterable<T>,
): AsyncGenerator<T> {
  if (local === undefined) {
    const { withLocalCopy } = await import('@headrace/formats/archives');
    yield* withLocalCopy(bytes, use);
    return;
  }
  const handle = await openFile(local, path);
  try {
    yield* use(handle);
  } finally {
    await handle.close();
  }
}

/** Yields the bytes of a file. Throws `HR_SOURCE_UNREADABLE` with the path as the user wrote it. */
async function* readFile(local: string, path: string): ByteSource {
  const handle = await openFile(local, path);
  try {
    // A small file gets a small buffer.
    const { size } = await handle.stat();
    const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, Math.max(MIN_READ_BYTES, size)));
    for (;;) {
      const bytesRead = await read(handle, buffer, path);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function openFile(local: string, path: string): Promise<FileHandle> {
  try {
    // Opening a pipe without a writer, or a device, would block a thread of the process forever.
    const found = await stat(local);
    if (!found.isFile() && !found.isDirectory()) throw new Error('it is not a regular file');
    return await open(local, 'r');
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function read(handle: FileHandle, buffer: Uint8Array, path: string): Promise<number> {
  try {
    return (await handle.read(buffer, 0, buffer.length, null)).bytesRead;
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): HeadraceError {
  if (error instanceof HeadraceError) return error;
  return new HeadraceError('HR_SOURCE_UNREADABLE', `Cannot read ${path}: ${messageOf(error)}`, {
    hint: 'Check the path and its permissions; a relative path starts at the working directory.',
  });
}

import type { FileHandle } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HeadraceError, messageOf } from '@headrace/engine';
import { open, stat } from '../local-files/local-files.ts';

/** Bytes of a source, in pieces of any size. A piece may be overwritten when the next one is asked for. */
export type ByteSource = AsyncIterable<Uint8Array>;

/** A file whose records are published: a local file, an entry of an archive, or an object of a bucket. */
export interface SourceFile {
  /** As the user named it: documents and messages say it so. */
  readonly path: string;
  /** Its own name, without folders. */
  readonly name: string;
  readonly bytes: ByteSource;
}

const READ_BYTES = 1024 * 1024;
/** Some files, those of /proc above all, say that they are empty and are not. */
const MIN_READ_BYTES = 64 * 1024;
const CLASSPATH = 'classpath:';

/**
 * The local path of a connector's path: a plain path, a `file:` URI, or `classpath:x`, which is read from the working
 * directory because there is no class path. Throws `HR_SOURCE_UNREADABLE` for a URI of another host.
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

/** What is wrong with a path that no local file can have, such as an `s3://` URI; undefined for all others. */
export function notLocal(path: string): string | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(path)?.[1];
  if (scheme === undefined || scheme.toLowerCase() === 'file') return undefined;
  return `"${path}" is not a local file: ${scheme}:// is not read here`;
}

/** A local file as a source; nothing is opened before its bytes are read. */
export function localFile(path: string): SourceFile {
  const local = localPath(path);
  return { path, name: basename(local), bytes: readFile(local, path) };
}

/** The bytes of a file. Throws `HR_SOURCE_UNREADABLE`, naming the file as the user did. */
async function* readFile(local: string, path: string): ByteSource {
  const handle = await openFile(local, path);
  try {
    // No more than a small file has use for.
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
    // A pipe without a writer, or a device, would hold a thread of the process forever.
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

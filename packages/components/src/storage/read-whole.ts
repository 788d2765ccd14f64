import { closeSync, constants, readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { HeadraceError, type MemoryHold, maxValueBytes } from '@headrace/engine';
import { open, openSync } from '../local-files/local-files.ts';

/** The maximum size of a field value. As base64 it becomes a string, and memory holds several copies of it. */
export const MAX_CONTENT_BYTES = 256 * 1024 * 1024;

/** Returns the maximum size of the content of a file that a connector reads for a document. */
export function maxContentBytes(): number {
  return Math.min(MAX_CONTENT_BYTES, maxValueBytes());
}

/** A file that has more bytes than are read. */
export class FileTooLarge extends HeadraceError {
  constructor(path: string, limit: number) {
    super('HR_SOURCE_UNREADABLE', `${path} has more than ${limit} bytes, too many for one field`, {
      hint: 'Do not read the content (getFileContent: false), or read its records with a file handler of FileConnector.',
    });
  }
}

/**
 * Reads all bytes of a source. Throws `FileTooLarge` and closes the source if there are more than `limit` bytes.
 * @param memory counts the bytes; nothing more is read while there is not enough
 */
export async function collectBytes(
  source: AsyncIterable<Uint8Array>,
  limit: number,
  path: string,
  memory?: MemoryHold,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of source) {
    size += piece.length;
    if (size > limit) throw new FileTooLarge(path, limit);
    await memory?.take(piece.length);
    // The source may reuse the buffer of the chunk.
    pieces.push(Buffer.from(piece));
  }
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, size);
}

/** Files up to this size are read synchronously if the disk is fast. */
const SMALL_BYTES = 64 * 1024;
/** If a read takes longer, the disk is slow or remote. */
const FAST_MILLIS = 1;
/**
 * After a slow read, this many files are read asynchronously before a synchronous read is tried again, and four times as
 * many if that read is slow too. A single slow read may be the fault of other work on the machine.
 */
const PATIENCE = 4;
const MAX_PATIENCE = 1000;

/**
 * Reads local files that a listing has found. A small file on a fast disk is read synchronously: the detour through the
 * thread pool costs many times more than the read. After a slow read, files are read asynchronously and concurrently.
 */
export class LocalFileReader {
  #slow = 0;
  #patience = PATIENCE;

  /**
   * Reads all bytes of a file.
   * @param size the size in the listing; the file may have changed since
   */
  async read(local: string, size: number, limit: number): Promise<Buffer> {
    return this.#readAtOnce(local, size) ?? readLocalFile(local, size, limit);
  }

  /**
   * Yields the bytes of a file.
   * @param size the size in the listing; the file may have changed since
   * @param read yields the bytes of a file that is not small, or of any file if the disk is slow
   */
  async *pieces(local: string, size: number, read: () => AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const bytes = this.#readAtOnce(local, size);
    if (bytes === undefined) yield* read();
    else yield bytes;
  }

  /** Reads a small file on a fast disk. Returns undefined for other files, and if the file has grown. */
  #readAtOnce(local: string, size: number): Buffer | undefined {
    if (size > SMALL_BYTES || this.#slow > 0) {
      if (this.#slow > 0) this.#slow--;
      return undefined;
    }
    const started = performance.now();
    const bytes = readAtOnce(local, size);
    if (performance.now() - started <= FAST_MILLIS) this.#patience = PATIENCE;
    else {
      this.#slow = this.#patience;
      this.#patience = Math.min(4 * this.#patience, MAX_PATIENCE);
    }
    return bytes;
  }
}

/** Reads all bytes of a small file synchronously. Returns undefined if the file has grown. */
function readAtOnce(local: string, size: number): Buffer | undefined {
  const file = openSync(local, READ_ONLY);
  try {
    // One byte more: if it stays empty, the file has ended.
    const buffer = Buffer.allocUnsafe(size + 1);
    const bytesRead = readSync(file, buffer, 0, size + 1, null);
    return bytesRead > size ? undefined : buffer.subarray(0, bytesRead);
  } finally {
    closeSync(file);
  }
}

/** O_NONBLOCK: otherwise a pipe without a writer would block a thread of the process forever. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Reads all bytes of a local file.
 *
 * @param size the size in the listing; the file may have changed since
 * @param memory counts the bytes before they are read
 */
export async function readLocalFile(
  local: string,
  size: number | undefined,
  limit: number,
  memory?: MemoryHold,
): Promise<Buffer> {
  const handle = await open(local, READ_ONLY);
  try {
    const expected = size ?? (await regularSize(handle));
    if (expected > limit) throw new FileTooLarge(local, limit);
    await memory?.take(expected);
    // One byte more: if it stays empty, the file has ended.
    let buffer = Buffer.allocUnsafe(expected + 1);
    let filled = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, null);
      filled += bytesRead;
      if (bytesRead === 0 || filled === expected) return buffer.subarray(0, filled);
      if (filled < buffer.length) continue;
      if (filled > limit) throw new FileTooLarge(local, limit);
      await memory?.take(Math.min(filled, limit + 1 - filled));
      buffer = Buffer.concat([buffer], Math.min(filled * 2, limit + 1));
    }
  } finally {
    await handle.close();
  }
}

async function regularSize(handle: FileHandle): Promise<number> {
  const stats = await handle.stat();
  if (!stats.isFile()) throw new Error(stats.isDirectory() ? 'it is a folder' : 'it is not a regular file');
  return stats.size;
}

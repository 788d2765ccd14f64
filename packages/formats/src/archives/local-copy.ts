import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ByteSource } from './byte-source.ts';

/** The limit for all copies that a thread has at one time: nested archives need several. */
const MAX_BYTES = 16 * 1024 ** 3;

/** The current total size of the copies of this thread, in bytes. */
let held = 0;

/**
 * Writes a source to a local copy and passes it to `use`, for formats whose directory is at the end. The copy is an
 * unlinked file in the directory for temporary files: the system frees it when its handle closes, even if the thread or
 * the process crashes.
 */
export async function* withLocalCopy<T>(
  source: ByteSource,
  use: (file: FileHandle) => AsyncIterable<T>,
  maxBytes = MAX_BYTES,
): AsyncGenerator<T> {
  const file = await openNameless();
  let size = 0;
  try {
    for await (const piece of source) {
      if (held + piece.length > maxBytes) throw tooLarge(maxBytes);
      size += piece.length;
      held += piece.length;
      await writeAt(file, piece, size - piece.length).catch(refuse);
    }
    yield* use(file);
  } finally {
    held -= size;
    await file.close();
  }
}

/** Writes at a position, and does not move the current position of the file, from which other programs read. */
async function writeAt(file: FileHandle, piece: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < piece.length) {
    const { bytesWritten } = await file.write(piece, written, piece.length - written, position + written);
    written += bytesWritten;
  }
}

async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `headrace-archive-${randomUUID()}`);
  try {
    const file = await open(path, 'wx+', 0o600);
    await unlink(path);
    return file;
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  throw new Error(`its temporary copy cannot be written in ${tmpdir()}: ${reason}`, { cause: error });
}

function tooLarge(maxBytes: number): Error {
  const gibibytes = Number((maxBytes / 1024 ** 3).toFixed(3));
  return new Error(
    `it needs a temporary copy, and all copies of a run are limited to ${gibibytes} GiB: unpack the archive, or read it as a local file`,
  );
}

import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@headrace/engine';
import type { ByteSource } from '../../formats/byte-source.ts';

/** For all copies that a run has at one time: archives in archives have several. */
const MAX_BYTES = 16 * 1024 ** 3;

/** Of the copies that this thread has now. */
let held = 0;

/**
 * Does something with a local copy of a source, which needs to be read from its end. The copy is a file without a name
 * in the directory for temporary files: the system takes it back with the last handle, however the thread ends, or the
 * process.
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
      await file.writeFile(piece).catch(refuse);
    }
    yield* use(file);
  } finally {
    held -= size;
    await file.close();
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
  throw new Error(`its temporary copy cannot be written in ${tmpdir()}: ${messageOf(error)}`, { cause: error });
}

function tooLarge(maxBytes: number): Error {
  const gibibytes = Number((maxBytes / 1024 ** 3).toFixed(3));
  return new Error(
    `it needs a temporary copy, and those of a run may have ${gibibytes} GiB at a time: unpack it, or give it as a local file`,
  );
}

import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ByteSource } from '../../formats/byte-source.ts';

/**
 * Does something with a local copy of a source, which needs to be read from its end: it lies in the directory for
 * temporary files, and is removed afterwards.
 */
export async function* withLocalCopy<T>(
  source: ByteSource,
  use: (path: string) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-archive-'));
  try {
    const path = join(folder, 'copy');
    const file = await open(path, 'wx', 0o600);
    try {
      for await (const piece of source) await file.writeFile(piece);
    } finally {
      await file.close();
    }
    yield* use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

import { setTimeout } from 'node:timers/promises';
import { collectBytes } from './read-whole.ts';
import { shortRange } from './storage.ts';

/** After this number of attempts without a new byte, reading fails. */
const ATTEMPTS = 5;
const FIRST_WAIT_MILLIS = 200;

/**
 * Reads a remote file from an offset, and opens it again after the last byte if the connection is lost. A failure to
 * open the file is not retried here: the libraries of the providers do that, and know which errors to retry.
 *
 * @param open opens the file at an offset; it must return the same version of the file each time
 */
export async function* resumedReading(
  open: (offset: number) => Promise<AsyncIterable<Uint8Array>>,
): AsyncGenerator<Uint8Array> {
  let offset = 0;
  for (let attempt = 1; ; attempt++) {
    const source = await open(offset);
    try {
      for await (const piece of source) {
        offset += piece.length;
        attempt = 1;
        yield piece;
      }
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
    await setTimeout(FIRST_WAIT_MILLIS * 2 ** (attempt - 1));
  }
}

/** Reads a range of a remote file. `open` opens the rest of the range from an offset in the file. */
export async function readRange(
  path: string,
  start: number,
  end: number,
  open: (from: number) => Promise<AsyncIterable<Uint8Array>>,
): Promise<Buffer> {
  const pieces = resumedReading((offset) => open(start + offset));
  const bytes = await collectBytes(pieces, end - start, path);
  if (bytes.length < end - start) throw shortRange(path, start, end, bytes.length);
  return bytes;
}

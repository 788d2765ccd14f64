import { setTimeout } from 'node:timers/promises';

/** Attempts without a byte read, after which reading is given up. */
const ATTEMPTS = 5;
const FIRST_WAIT_MILLIS = 200;

/**
 * Reads a remote file that is opened at an offset, and opens it again after the last byte if the connection is lost.
 * Opening itself is not repeated: the libraries of the providers do that, and know when it helps.
 *
 * @param open must find the same version of the file when it opens it again
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

import { pipeline, Readable, type Transform } from 'node:stream';
import { createGunzip, createInflateRaw } from 'node:zlib';
import type { ByteSource } from '../../formats/byte-source.ts';

/** What a decompressor gives at once, in bytes, and how much may wait: it goes on while its reader is busy. */
const PIECE_BYTES = 1024 * 1024;
const WAITING_BYTES = 4 * 1024 * 1024;
const OPTIONS = { chunkSize: PIECE_BYTES, highWaterMark: WAITING_BYTES };
/** No honest file shrinks to less than this part of its size, at a size that matters. */
export const MAX_RATIO = 500;
export const HARMLESS_BYTES = 64 * 1024 * 1024;

/**
 * What a gzip file holds, all its members one after the other. It fails when the file is cut off or damaged, and when
 * it unfolds to more than any honest file would.
 */
export function gunzipped(source: ByteSource): ByteSource {
  return transformed(source, () => createGunzip(OPTIONS));
}

/** What a raw deflate stream holds. */
export function inflated(source: ByteSource): ByteSource {
  return transformed(source, () => createInflateRaw(OPTIONS));
}

async function* transformed(source: ByteSource, create: () => Transform): ByteSource {
  let taken = 0;
  let given = 0;
  const copies = async function* () {
    for await (const piece of source) {
      taken += piece.length;
      // The source may use the memory of the piece again, while this one still waits.
      yield Buffer.from(piece);
    }
  };
  const transform = create();
  // An error shows where the output is read; leaving early ends the input too.
  pipeline(Readable.from(copies(), { objectMode: false, highWaterMark: WAITING_BYTES }), transform, () => undefined);
  for await (const piece of transform as AsyncIterable<Buffer>) {
    given += piece.length;
    if (given > HARMLESS_BYTES && given > taken * MAX_RATIO) throw unfoldsTooMuch();
    yield piece;
  }
}

/** The error for a file that unfolds to more than any honest file would. */
export function unfoldsTooMuch(): Error {
  return new Error(`it unfolds to more than ${MAX_RATIO} times its size, as files do that are made to fill disks`);
}

import { crc32, createInflateRaw, type InflateRaw, inflateRawSync } from 'node:zlib';
import type { ByteSource } from './byte-source.ts';
import { nothingIn, PackedInput, TruncatedError } from './packed-input.ts';

/** The size of a decompressed chunk, and the size of the queue that is filled while the reader is busy. */
const PIECE_BYTES = 1024 * 1024;
const WAITING_BYTES = 4 * 1024 * 1024;
const OPTIONS = { chunkSize: PIECE_BYTES, highWaterMark: WAITING_BYTES };
/** If the previous member was up to this size, the next one is unpacked synchronously, with the chunk size below. */
const SMALL_BYTES = 64 * 1024;
const SMALL_CHUNK_BYTES = 16 * 1024;
/** The maximum compression ratio of a genuine file, and the output size below which the ratio is not checked. */
export const MAX_RATIO = 500;
export const HARMLESS_BYTES = 64 * 1024 * 1024;

/** The start of a gzip member, and the flags of the optional parts after the first ten bytes (RFC 1952). */
const MAGIC = Buffer.from([0x1f, 0x8b]);
const DEFLATE = 8;
const HEADER_CHECKSUM = 2;
const EXTRA = 4;
const NAME = 8;
const COMMENT = 16;

/**
 * Returns the unpacked content of a gzip file with all its members. Fails if the file is truncated or damaged, or
 * unpacks to far more than its size (a zip bomb). Bytes after the last member are ignored, as in `gzip -d`: zeros are
 * padding, and other bytes are reported to `onRest`.
 *
 * Members are unpacked one at a time: Node's gunzip does not report where the last one ends, and it discards its output
 * if other bytes follow.
 */
export async function* gunzipped(source: ByteSource, onRest: () => void = () => undefined): ByteSource {
  const input = new PackedInput(source);
  try {
    yield* bounded(input, membersOf(input));
    if (await hasRest(input)) onRest();
  } finally {
    await input.close();
  }
}

/** Returns the unpacked content of a raw deflate stream. */
export async function* inflated(source: ByteSource): ByteSource {
  const input = new PackedInput(source);
  try {
    yield* bounded(input, inflatedFrom(input));
  } finally {
    await input.close();
  }
}

/** Returns the error for a file that unpacks to far more than any genuine file of its size (a zip bomb). */
export function unfoldsTooMuch(): Error {
  return new Error(`it unpacks to more than ${MAX_RATIO} times its size, like a zip bomb`);
}

/** Returns the same bytes. Fails if they are far more than those of the input (a zip bomb). */
export async function* bounded(input: PackedInput, pieces: ByteSource): ByteSource {
  let given = 0;
  for await (const piece of pieces) {
    given += piece.length;
    if (given > HARMLESS_BYTES && given > input.taken * MAX_RATIO) throw unfoldsTooMuch();
    yield piece;
  }
}

async function* membersOf(input: PackedInput): ByteSource {
  let size: number | undefined;
  for (;;) {
    const start = await input.peek(MAGIC.length);
    if (!start.equals(MAGIC)) {
      if (size !== undefined) return;
      throw start.length === 0 ? nothingIn() : new Error('it is not compressed with gzip: incorrect header check');
    }
    await skipHeader(input);
    const isSmall = size !== undefined && size <= SMALL_BYTES;
    let sum = 0;
    size = 0;
    for await (const piece of (isSmall ? await inflatedAtOnce(input) : undefined) ?? inflatedFrom(input)) {
      sum = crc32(piece, sum);
      size += piece.length;
      yield piece;
    }
    const trailer = await input.take(8);
    if (trailer.readUInt32LE(0) !== sum || trailer.readUInt32LE(4) !== size % 2 ** 32) {
      throw new Error('it is damaged: its checksum is wrong');
    }
  }
}

async function skipHeader(input: PackedInput): Promise<void> {
  const header = await input.take(10);
  if (header[2] !== DEFLATE) throw new Error(`it uses compression method ${header[2]}, which is not supported`);
  const flags = header[3] as number;
  if (flags & EXTRA) await input.take((await input.take(2)).readUInt16LE());
  if (flags & NAME) await skipText(input);
  if (flags & COMMENT) await skipText(input);
  if (flags & HEADER_CHECKSUM) await input.take(2);
}

async function skipText(input: PackedInput): Promise<void> {
  for (;;) {
    const piece = await input.next();
    if (piece === undefined) throw new TruncatedError();
    const end = piece.indexOf(0);
    if (end < 0) continue;
    input.unread(piece.subarray(end + 1));
    return;
  }
}

/** Returns whether any byte other than zero is left. */
async function hasRest(input: PackedInput): Promise<boolean> {
  for (let piece = await input.next(); piece !== undefined; piece = await input.next()) {
    if (piece.some((byte) => byte !== 0)) return true;
  }
  return false;
}

/**
 * Unpacks a small member synchronously. A file with one small member usually has many, and a stream for each costs more
 * than its content. Returns undefined if the member is larger, truncated or damaged, and then consumes no input.
 */
async function inflatedAtOnce(input: PackedInput): Promise<Uint8Array[] | undefined> {
  const packed = await input.peek(SMALL_BYTES);
  let unpacked: { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
  try {
    const options = { info: true, maxOutputLength: SMALL_BYTES, chunkSize: SMALL_CHUNK_BYTES };
    unpacked = inflateRawSync(packed, options) as unknown as typeof unpacked;
  } catch {
    // The streaming path below reports the error.
    return undefined;
  }
  await input.take(unpacked.engine.bytesWritten);
  return [unpacked.buffer];
}

/** Returns the unpacked content of a raw deflate stream. The input may contain more bytes after it. */
async function* inflatedFrom(input: PackedInput): ByteSource {
  const inflate = createInflateRaw(OPTIONS);
  const feeding = feed(input, inflate);
  feeding.catch((error) => inflate.destroy(error));
  try {
    yield* inflate as AsyncIterable<Buffer>;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR' ? new TruncatedError() : error;
  }
  // After this promise, the bytes after the deflate stream are back in the input.
  await feeding;
}

async function feed(input: PackedInput, inflate: InflateRaw): Promise<void> {
  for (let handed = 0; ; ) {
    const piece = await input.next();
    if (piece === undefined) {
      inflate.end();
      return;
    }
    handed += piece.length;
    await new Promise<void>((resolve, reject) => {
      inflate.write(piece, (error) => (error ? reject(error) : resolve()));
    });
    const left = handed - inflate.bytesWritten;
    if (left > 0) {
      input.unread(piece.subarray(piece.length - left));
      return;
    }
  }
}

import { crc32, createInflateRaw, type InflateRaw, inflateRawSync } from 'node:zlib';
import type { ByteSource } from '../../formats/byte-source.ts';
import { cutOff, nothingIn, PackedInput } from './packed-input.ts';

/** How many bytes a decompressor returns at once, and how many may wait: it continues while its reader is busy. */
const PIECE_BYTES = 1024 * 1024;
const WAITING_BYTES = 4 * 1024 * 1024;
const OPTIONS = { chunkSize: PIECE_BYTES, highWaterMark: WAITING_BYTES };
/** Members up to this size are unpacked in one go when the one before is as small; and in what memory. */
const SMALL_BYTES = 64 * 1024;
const SMALL_CHUNK_BYTES = 16 * 1024;
/** No honest file shrinks to less than this part of its size, at a size that matters. */
export const MAX_RATIO = 500;
export const HARMLESS_BYTES = 64 * 1024 * 1024;

/** The start of a member of a gzip file, and the flags of the parts after the first ten bytes (RFC 1952). */
const MAGIC = Buffer.from([0x1f, 0x8b]);
const DEFLATE = 8;
const HEADER_CHECKSUM = 2;
const EXTRA = 4;
const NAME = 8;
const COMMENT = 16;

/**
 * The content of a gzip file, with all its members. It fails if the file is cut off or damaged, and if it expands to
 * more than any honest file. Bytes after the last member do no harm, as with `gzip -d`: zeros, with which files are
 * padded, and anything else, which is reported.
 *
 * Members are unpacked one by one: Node's gunzip does not report where the last one ended, and it discards its output
 * with the rest.
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

/** What a raw deflate stream holds. */
export async function* inflated(source: ByteSource): ByteSource {
  const input = new PackedInput(source);
  try {
    yield* bounded(input, inflatedFrom(input));
  } finally {
    await input.close();
  }
}

/** The error for a file that unfolds to more than any honest file would. */
export function unfoldsTooMuch(): Error {
  return new Error(`it unfolds to more than ${MAX_RATIO} times its size, as files do that are made to fill disks`);
}

async function* bounded(input: PackedInput, pieces: ByteSource): ByteSource {
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
  if (header[2] !== DEFLATE) throw new Error(`it is compressed by method ${header[2]}, which is not known here`);
  const flags = header[3] as number;
  if (flags & EXTRA) await input.take((await input.take(2)).readUInt16LE());
  if (flags & NAME) await skipText(input);
  if (flags & COMMENT) await skipText(input);
  if (flags & HEADER_CHECKSUM) await input.take(2);
}

async function skipText(input: PackedInput): Promise<void> {
  for (;;) {
    const piece = await input.next();
    if (piece === undefined) throw cutOff();
    const end = piece.indexOf(0);
    if (end < 0) continue;
    input.unread(piece.subarray(end + 1));
    return;
  }
}

/** Whether anything but zeros is left. */
async function hasRest(input: PackedInput): Promise<boolean> {
  for (let piece = await input.next(); piece !== undefined; piece = await input.next()) {
    if (piece.some((byte) => byte !== 0)) return true;
  }
  return false;
}

/**
 * A small member: where one is, there are many, and a stream for each costs more than its content. Undefined for one
 * that is larger, cut off or damaged; nothing of it is taken then.
 */
async function inflatedAtOnce(input: PackedInput): Promise<Uint8Array[] | undefined> {
  const packed = await input.peek(SMALL_BYTES);
  let unpacked: { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
  try {
    const options = { info: true, maxOutputLength: SMALL_BYTES, chunkSize: SMALL_CHUNK_BYTES };
    unpacked = inflateRawSync(packed, options) as unknown as typeof unpacked;
  } catch {
    // The stream emits the error.
    return undefined;
  }
  await input.take(unpacked.engine.bytesWritten);
  return [unpacked.buffer];
}

/** What a raw deflate stream holds, which need not go to the end of the input. */
async function* inflatedFrom(input: PackedInput): ByteSource {
  const inflate = createInflateRaw(OPTIONS);
  const feeding = feed(input, inflate);
  feeding.catch((error) => inflate.destroy(error));
  try {
    yield* inflate as AsyncIterable<Buffer>;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR' ? cutOff() : error;
  }
  // What it has not taken is back when this is done.
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

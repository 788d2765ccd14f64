import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** The fastest level. It compresses documents to about a quarter, in less time than a broker needs for the rest. */
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** A longer batch is not compressed. Without this limit, a small message could fill the memory of its reader. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A shorter batch is not compressed, because it would not get much smaller. */
const MIN_BYTES = 512;

/** The first bytes of a Zstandard frame. A frame of `BatchEncoder` begins with a digit. */
const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** The maximum size of an output buffer of the library. */
const MAX_CHUNK = 2 * 1024 * 1024;
/** The minimum size of an output buffer of the library. */
const MIN_CHUNK = 64 * 1024;

/** Compresses a batch, if it is worth it. */
export function compress(batch: Buffer): Buffer {
  if (batch.length < MIN_BYTES || batch.length > MAX_BYTES) return batch;
  // One buffer for the output: the library would join many small ones, which takes time and memory.
  const chunkSize = Math.max(MIN_CHUNK, batch.length >> 1);
  return zstdCompressSync(batch, { ...OPTIONS, chunkSize });
}

/**
 * Returns the bytes of a batch that may be compressed. Throws if they are damaged.
 * @param expected the number of bytes of the result, if it is known
 */
export function decompress(bytes: Uint8Array, expected = 0): Uint8Array {
  const isCompressed = MAGIC.every((byte, i) => bytes[i] === byte);
  if (!isCompressed) return bytes;
  // Other programs may write any number. One more byte, because the library asks for more when its buffer is full.
  const size = Number.isSafeInteger(expected) ? expected + 1 : 0;
  const chunkSize = Math.max(MIN_CHUNK, Math.min(size, MAX_CHUNK));
  return zstdDecompressSync(bytes, { maxOutputLength: MAX_BYTES, chunkSize });
}

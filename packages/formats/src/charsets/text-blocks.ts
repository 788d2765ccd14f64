import { isAscii } from 'node:buffer';

/** The approximate size of a block. Cells are slices of a block, and a slice keeps the whole block in memory. */
const BLOCK_BYTES = 32 * 1024;
const LF = 10;

/**
 * Decodes UTF-8 in blocks that end at a line end. Bytes that are not UTF-8 become U+FFFD.
 * Values of documents are slices of a block. A stored value keeps its whole block in memory, so blocks must be small.
 */
export class TextBlocks {
  readonly #bytes: Buffer;
  readonly #encoding: 'latin1' | 'utf8';
  readonly #ordinarySize: number;
  #size: number;
  #at = 0;

  /** @param size the approximate size of a block in bytes */
  constructor(bytes: Uint8Array, size = BLOCK_BYTES) {
    this.#ordinarySize = this.#size = size;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // For ASCII, decoding as Latin-1 takes half the time and needs one byte per character.
    this.#encoding = isAscii(this.#bytes) ? 'latin1' : 'utf8';
  }

  /** Returns the next block, or undefined at the end. */
  next(): string | undefined {
    const bytes = this.#bytes;
    const at = this.#at;
    const size = this.#size;
    if (at >= bytes.length) return undefined;
    let end = bytes.length;
    if (end - at > size) {
      const before = bytes.lastIndexOf(LF, at + size - 1);
      const lineEnd = before >= at ? before : bytes.indexOf(LF, at + size);
      if (lineEnd >= 0) end = lineEnd + 1;
    }
    this.#at = end;
    return bytes.toString(this.#encoding, at, end);
  }

  /** Doubles the size of the next block. */
  enlarge(): void {
    this.#size *= 2;
  }

  /** Restores the normal block size. */
  reset(): void {
    this.#size = this.#ordinarySize;
  }
}

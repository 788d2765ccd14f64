import { isAscii } from 'node:buffer';

/** Texts of about this size are cut from: cells are slices of them, and a slice keeps its whole text in memory. */
const BLOCK_BYTES = 32 * 1024;
const LF = 10;

/**
 * Decodes UTF-8 a block at a time, each ending at a line end. Bytes that are not UTF-8 become U+FFFD.
 * Blocks, not the whole: the values of documents are slices of a block, and one that a stage keeps keeps it all.
 */
export class TextBlocks {
  readonly #bytes: Buffer;
  readonly #encoding: 'latin1' | 'utf8';
  readonly #ordinarySize: number;
  #size: number;
  #at = 0;

  /** @param size about how many bytes a block has */
  constructor(bytes: Uint8Array, size = BLOCK_BYTES) {
    this.#ordinarySize = this.#size = size;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // ASCII as Latin-1 takes half the time, and gives texts of one byte a character.
    this.#encoding = isAscii(this.#bytes) ? 'latin1' : 'utf8';
  }

  /** The next block; undefined at the end. */
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

  /** Doubles the next block. */
  enlarge(): void {
    this.#size *= 2;
  }

  /** Goes back to the ordinary size. */
  reset(): void {
    this.#size = this.#ordinarySize;
  }
}

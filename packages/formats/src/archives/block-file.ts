import type { FileHandle } from 'node:fs/promises';

/** The number of bytes per read: most reads follow the one before. */
const BLOCK_BYTES = 128 * 1024;

/** Reads a file at any position, one large block at a time: many small consecutive reads need one system call. */
export class BlockFile {
  readonly #file: FileHandle;
  #block: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Returns bytes of the file; fewer than `length` only at the end of the file. The bytes do not change later. */
  async read(position: number, length: number): Promise<Buffer> {
    const offset = position - this.#start;
    if (offset < 0 || offset + length > this.#block.length) await this.#load(position, length);
    return this.#block.subarray(position - this.#start, position - this.#start + length);
  }

  async #load(position: number, length: number): Promise<void> {
    // Each block needs a new buffer: the caller may still use the bytes of the previous block.
    const block = Buffer.allocUnsafeSlow(Math.max(length, BLOCK_BYTES));
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.#file.read(block, filled, block.length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    this.#block = block.subarray(0, filled);
    this.#start = position;
  }
}

import type { FileHandle } from 'node:fs/promises';

/** Read at once, for reads that mostly follow one another. */
const BLOCK_BYTES = 128 * 1024;

/** Reads a file at any place, a block ahead, so that small reads in a row cost one call to the system together. */
export class BlockFile {
  readonly #file: FileHandle;
  #block: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Bytes of the file, which stay as they are; fewer than asked for only at its end. */
  async read(position: number, length: number): Promise<Buffer> {
    const offset = position - this.#start;
    if (offset < 0 || offset + length > this.#block.length) await this.#load(position, length);
    return this.#block.subarray(position - this.#start, position - this.#start + length);
  }

  async #load(position: number, length: number): Promise<void> {
    // A new buffer each time: what was given from the last one may still be in use.
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

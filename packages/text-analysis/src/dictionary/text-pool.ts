import { shared } from './shared-memory.ts';

const INITIAL_BYTES = 4096;
/** The maximum size, because offsets are stored in signed 32-bit tables. */
const MAX_BYTES = 0x7fff_ffff;

/**
 * Stores many texts in one block of memory, each identified by its offset. It takes about one byte per character; a
 * separate string takes twenty more. Threads can share the block. A text is stored as a little-endian base-128 number
 * and its units. The number is twice the number of UTF-16 units, plus one if the text is wide. A unit takes one byte,
 * or two if a unit of the text is beyond Latin-1.
 */
export class TextPool {
  #bytes: Buffer;
  #used: number;

  /** Creates a pool with the texts of another pool, or an empty pool. */
  constructor(bytes?: Uint8Array) {
    this.#bytes =
      bytes === undefined
        ? Buffer.allocUnsafeSlow(INITIAL_BYTES)
        : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#used = bytes?.byteLength ?? 0;
  }

  /** Adds a text and returns its offset. Throws a RangeError if the pool would have more than 2 GiB. */
  add(text: string): number {
    const wide = isWide(text);
    const at = this.#used;
    this.#reserve(5 + text.length * (wide ? 2 : 1));
    let header = text.length * 2 + (wide ? 1 : 0);
    while (header >= 0x80) {
      this.#bytes[this.#used++] = (header % 0x80) | 0x80;
      header = Math.floor(header / 0x80);
    }
    this.#bytes[this.#used++] = header;
    this.#used += this.#bytes.write(text, this.#used, wide ? 'utf16le' : 'latin1');
    return at;
  }

  /** Returns the text at an offset. */
  read(at: number): string {
    const start = this.#unitsAt(at);
    const units = this.#header(at);
    if ((units & 1) === 0) return this.#bytes.toString('latin1', start, start + units / 2);
    return this.#bytes.toString('utf16le', start, start + units - 1);
  }

  /** Returns the offset after the text at an offset, which is the offset of the next text. */
  next(at: number): number {
    const units = this.#header(at);
    return this.#unitsAt(at) + ((units & 1) === 0 ? units / 2 : units - 1);
  }

  /** Returns the number of UTF-16 units of the text at an offset. */
  length(at: number): number {
    return Math.floor(this.#header(at) / 2);
  }

  /** Returns whether the text at an offset, without its first `skip` units, occurs in another text at a position. */
  standsIn(text: string, position: number, at: number, skip = 0): boolean {
    const bytes = this.#bytes;
    const units = this.#header(at);
    const length = Math.floor(units / 2) - skip;
    if (length > text.length - position) return false;
    if ((units & 1) === 0) {
      const start = this.#unitsAt(at) + skip;
      for (let i = 0; i < length; i++) if (bytes[start + i] !== text.charCodeAt(position + i)) return false;
      return true;
    }
    const start = this.#unitsAt(at) + skip * 2;
    for (let i = 0; i < length; i++) {
      const unit = (bytes[start + 2 * i] as number) | ((bytes[start + 2 * i + 1] as number) << 8);
      if (unit !== text.charCodeAt(position + i)) return false;
    }
    return true;
  }

  /** Returns a copy of the texts in memory that threads can share, at the same offsets. */
  share(): Uint8Array {
    const bytes = new Uint8Array(shared(this.#used));
    bytes.set(this.#bytes.subarray(0, this.#used));
    return bytes;
  }

  #header(at: number): number {
    let value = this.#bytes[at] as number;
    if (value < 0x80) return value;
    value &= 0x7f;
    for (let factor = 0x80; ; factor *= 0x80) {
      const next = this.#bytes[++at] as number;
      value += (next & 0x7f) * factor;
      if (next < 0x80) return value;
    }
  }

  #unitsAt(at: number): number {
    while ((this.#bytes[at] as number) >= 0x80) at++;
    return at + 1;
  }

  #reserve(size: number): void {
    const wanted = this.#used + size;
    if (wanted <= this.#bytes.length) return;
    if (wanted > MAX_BYTES) throw new RangeError('A dictionary cannot hold more than 2 GiB of text');
    const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(wanted, this.#bytes.length * 2), MAX_BYTES));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}

function isWide(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0xff) return true;
  return false;
}

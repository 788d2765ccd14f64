import { PackedBits } from './packed-bits.ts';

/**
 * Reads numbers in Parquet's hybrid of run lengths and packed bits: levels, indexes of a dictionary, and booleans.
 * (Source: Encodings.md of the Parquet format, RLE.)
 */
export class HybridRuns {
  readonly #bytes: Uint8Array;
  readonly #packed: PackedBits;
  readonly #width: number;
  #at: number;
  /** How many numbers of the current run are left. */
  #left = 0;
  /** The number that the run repeats; -1 if its numbers are packed. */
  #repeated = 0;
  /** The next bit of a packed run, from the first byte of the run. */
  #bit = 0;

  /** @param width the bits of a number; 0 if all numbers are 0 and nothing is stored */
  constructor(bytes: Uint8Array, at: number, width: number) {
    if (width > 32) throw new Error(`a page has numbers of ${width} bits`);
    this.#bytes = bytes;
    this.#packed = new PackedBits(bytes);
    this.#at = at;
    this.#width = width;
    if (width === 0) this.#left = Number.POSITIVE_INFINITY;
  }

  /** Returns the next number if it is known to be repeated `count` times, and skips these; undefined otherwise. */
  same(count: number): number | undefined {
    if (this.#left === 0) this.#nextRun();
    if (this.#repeated < 0 || this.#left < count) return undefined;
    this.#left -= count;
    return this.#repeated;
  }

  /** Reads the next numbers. Throws if there are fewer. */
  read(count: number): Int32Array {
    const numbers = new Int32Array(count);
    for (let filled = 0; filled < count; ) {
      if (this.#left === 0) this.#nextRun();
      const end = filled + Math.min(count - filled, this.#left);
      if (this.#repeated < 0) this.#unpack(numbers, filled, end);
      else numbers.fill(this.#repeated, filled, end);
      this.#left -= end - filled;
      filled = end;
    }
    return numbers;
  }

  #nextRun(): void {
    const bytes = this.#bytes;
    if (this.#repeated < 0) this.#at += this.#bit >>> 3;
    do {
      let header = 0;
      for (let shift = 0; ; shift += 7) {
        if (this.#at >= bytes.length || shift > 28) throw new Error('the runs of a page end before its values');
        const byte = bytes[this.#at++] as number;
        header |= (byte & 0x7f) << shift;
        if (byte < 0x80) break;
      }
      this.#left = header >>> 1;
      this.#repeated = header & 1 ? -1 : this.#number();
      if (header & 1) this.#left *= 8;
      this.#bit = 0;
    } while (this.#left === 0);
  }

  /** Reads the number of a run in whole bytes. */
  #number(): number {
    let number = 0;
    for (let shift = 0; shift < this.#width; shift += 8) number |= (this.#bytes[this.#at++] as number) << shift;
    // A negative number would mark packed bits. No dictionary is that large.
    if (number < 0) throw new Error(`a page has the number ${number >>> 0}`);
    return number;
  }

  #unpack(numbers: Int32Array, from: number, to: number): void {
    this.#packed.read(numbers, from, to, this.#at, this.#bit, this.#width);
    this.#bit += (to - from) * this.#width;
  }
}

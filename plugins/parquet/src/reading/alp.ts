import { UNIT_OF_HIGH } from './halves.ts';
import { PackedBits } from './packed-bits.ts';
import { viewOf } from './text-block.ts';

/** The bytes before the positions of the vectors: mode, kind of integers, size of a vector, number of values. */
const HEADER_BYTES = 7;

/** What differs between numbers of 32 and 64 bits. */
interface Width {
  readonly bits: 32 | 64;
  readonly array: typeof Float32Array | typeof Float64Array;
  /** The highest power of ten. */
  readonly highest: number;
  /** Rounds the result of an operation. */
  readonly round: (value: number) => number;
}

const FLOAT: Width = { bits: 32, array: Float32Array, highest: 10, round: Math.fround };
const DOUBLE: Width = { bits: 64, array: Float64Array, highest: 18, round: (value) => value };

/**
 * Reads floating-point numbers that are stored as decimal integers, in vectors. An integer is the sum of the least one
 * of its vector and a number of a few bits. Numbers that are no such decimals are stored after them, with their places.
 * (Source: AlpEncoding.md of the Parquet format.)
 * @param most the largest number of values
 */
export function alpNumbers(bytes: Buffer, type: 'FLOAT' | 'DOUBLE', most: number): Float32Array | Float64Array {
  const width = type === 'FLOAT' ? FLOAT : DOUBLE;
  const view = viewOf(bytes);
  const [mode, integers, logSize] = [view.getUint8(0), view.getUint8(1), view.getUint8(2)];
  const count = view.getInt32(3, true);
  if (mode !== 0 || integers !== 0) throw new Error(`the compression ${mode} and ${integers} of ALP is not supported`);
  if (logSize < 3 || logSize > 15) throw new Error(`a page has vectors of 2^${logSize} numbers`);
  if (!(count >= 0 && count <= most)) throw new Error(`a page has ${count} numbers, and states ${most}`);
  const numbers = new width.array(count);
  const reader = new VectorReader(bytes, width, numbers, 2 ** logSize);
  for (let vector = 0, from = 0; from < count; vector++, from += 2 ** logSize) {
    reader.read(HEADER_BYTES + view.getUint32(HEADER_BYTES + 4 * vector, true), from);
  }
  return numbers;
}

class VectorReader {
  readonly #view: DataView;
  readonly #bytes: Buffer;
  readonly #packed: PackedBits;
  readonly #width: Width;
  readonly #numbers: Float32Array | Float64Array;
  readonly #lows: Int32Array;
  readonly #highs: Int32Array;

  constructor(bytes: Buffer, width: Width, numbers: Float32Array | Float64Array, size: number) {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
    this.#packed = new PackedBits(bytes);
    this.#width = width;
    this.#numbers = numbers;
    this.#lows = new Int32Array(Math.min(size, numbers.length));
    this.#highs = new Int32Array(width.bits === 64 ? this.#lows.length : 0);
  }

  /** Reads a vector into the numbers from `from`. */
  read(start: number, from: number): void {
    const { bits, highest, round } = this.#width;
    const [view, numbers] = [this.#view, this.#numbers];
    const [exponent, factor] = [view.getUint8(start), view.getUint8(start + 1)];
    if (exponent > highest || factor > highest) throw new Error(`a page has the powers of ten ${exponent}, ${factor}`);
    const exceptions = view.getUint16(start + 2, true);
    const [least, leastHigh] = [view.getInt32(start + 4, true), bits === 32 ? 0 : view.getInt32(start + 8, true)];
    const at = start + 4 + bits / 8 + 1;
    const width = view.getUint8(at - 1);
    if (width > bits) throw new Error(`a page has integers of ${width} bits`);
    const count = Math.min(this.#lows.length, numbers.length - from);
    const [lows, highs] = [this.#lows, this.#highs];
    this.#unpack(lows, count, at, 0, Math.min(width, 32), width);
    if (bits === 64) this.#unpack(highs, count, at, 32, width - 32, width);
    const [times, over] = [round(Number(`1e${factor}`)), round(Number(`1e-${exponent}`))];
    for (let i = 0; i < count; i++) {
      const integer =
        bits === 32
          ? ((lows[i] as number) + least) | 0
          : sumOf(least, leastHigh, lows[i] as number, highs[i] as number);
      numbers[from + i] = round(round(integer) * times) * over;
    }
    this.#replace(exceptions, at + Math.ceil((count * width) / 8), from, count);
  }

  #unpack(target: Int32Array, count: number, at: number, bit: number, width: number, stride: number): void {
    if (width <= 0) target.fill(0, 0, count);
    else this.#packed.read(target, 0, count, at, bit, width, stride);
  }

  /** Copies the numbers that are stored as they are: all their places, then all of them. */
  #replace(exceptions: number, at: number, from: number, count: number): void {
    const size = this.#width.bits / 8;
    const values = at + 2 * exceptions;
    if (values + size * exceptions > this.#bytes.length) throw new Error('a page ends before its values');
    const target = Buffer.from(this.#numbers.buffer);
    for (let i = 0; i < exceptions; i++) {
      const place = this.#view.getUint16(at + 2 * i, true);
      if (place >= count) throw new Error(`a page has a number at place ${place} of ${count}`);
      this.#bytes.copy(target, (from + place) * size, values + size * i, values + size * (i + 1));
    }
  }
}

/** Returns the sum of two integers of 64 bits, which wraps, as the nearest double. */
function sumOf(low: number, high: number, otherLow: number, otherHigh: number): number {
  const lows = (low >>> 0) + (otherLow >>> 0);
  const carry = lows >= UNIT_OF_HIGH ? 1 : 0;
  return ((high + otherHigh + carry) | 0) * UNIT_OF_HIGH + (lows - carry * UNIT_OF_HIGH);
}

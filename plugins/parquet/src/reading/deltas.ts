import { UNIT_OF_HIGH } from './halves.ts';
import { PackedBits } from './packed-bits.ts';

/** Numbers of a page: those of 64 bits by their halves, the lower one first. */
export interface Deltas {
  readonly numbers: Int32Array;
  /** The position after them. */
  readonly end: number;
}

/**
 * Reads numbers that are stored as their differences, which wrap. (Source: Encodings.md of the Parquet format,
 * DELTA_BINARY_PACKED.)
 * @param most the largest number of values
 */
export function deltas(bytes: Buffer, start: number, bits: 32 | 64, most: number): Deltas {
  const reader = { bytes, at: start };
  const blockSize = varInt(reader).low;
  const perBlock = varInt(reader).low;
  const count = varInt(reader).low;
  const each = blockSize / perBlock;
  if (count > most) throw new Error(`a page has ${count} numbers, and states ${most}`);
  if (count > 1 && !(each >= 8 && each % 8 === 0)) {
    throw new Error(`a page has ${perBlock} parts of a block of ${blockSize} numbers`);
  }
  const first = zigZag(reader);
  const numbers = new Int32Array(bits === 32 ? count : 2 * count);
  if (count === 0) return { numbers, end: reader.at };
  numbers[0] = first.low;
  if (bits === 64) numbers[1] = first.high;
  const packed = new PackedBits(bytes);
  const lows = new Int32Array(bits === 32 ? 0 : Math.min(each, count));
  const highs = new Int32Array(lows.length);
  for (let done = 1; done < count; ) {
    const least = zigZag(reader);
    const widths = reader.at;
    let at = widths + perBlock;
    for (let part = 0; part < perBlock && done < count; part++) {
      const width = bytes[widths + part];
      if (width === undefined) throw new Error('a page ends before its values');
      if (width > 64) throw new Error(`a page has differences of ${width} bits`);
      const to = Math.min(count, done + each);
      if (bits === 32) {
        if (width > 0) packed.read(numbers, done, to, at, 0, width);
        addUp(numbers, done, to, least.low);
      } else {
        if (width > 0) packed.read(lows, 0, to - done, at, 0, width);
        else lows.fill(0);
        if (width > 32) packed.read(highs, 0, to - done, at, 32, width - 32, width);
        else highs.fill(0);
        addUpHalves(numbers, done, to, least, lows, highs);
      }
      done = to;
      at += (each * width) / 8;
    }
    reader.at = at;
  }
  return { numbers, end: reader.at };
}

/** Replaces differences above the least one by numbers. */
function addUp(numbers: Int32Array, from: number, to: number, least: number): void {
  let value = numbers[from - 1] as number;
  for (let i = from; i < to; i++) {
    value = (value + least + (numbers[i] as number)) | 0;
    numbers[i] = value;
  }
}

/** Adds numbers, from their differences above the least one. */
function addUpHalves(
  numbers: Int32Array,
  from: number,
  to: number,
  least: Halves,
  lows: Int32Array,
  highs: Int32Array,
) {
  let low = (numbers[2 * from - 2] as number) >>> 0;
  let high = numbers[2 * from - 1] as number;
  for (let i = from; i < to; i++) {
    const sum = low + least.low + ((lows[i - from] as number) >>> 0);
    const carry = Math.floor(sum / UNIT_OF_HIGH);
    low = sum - carry * UNIT_OF_HIGH;
    high = (high + least.high + (highs[i - from] as number) + carry) | 0;
    numbers[2 * i] = low;
    numbers[2 * i + 1] = high;
  }
}

interface Reader {
  readonly bytes: Buffer;
  at: number;
}

/** An integer of 64 bits, of which the lower half has no sign. */
interface Halves {
  readonly low: number;
  readonly high: number;
}

/** Reads seven bits from each byte until one without the highest bit. */
function varInt(reader: Reader): Halves {
  let low = 0;
  let high = 0;
  for (let shift = 0; shift < 70; shift += 7) {
    const byte = reader.bytes[reader.at++];
    if (byte === undefined) throw new Error('a page ends before its values');
    const bits = byte & 0x7f;
    if (shift < 32) low |= bits << shift;
    if (shift > 24) high |= shift < 32 ? bits >>> (32 - shift) : bits << (shift - 32);
    if (byte < 0x80) break;
  }
  return { low: low >>> 0, high };
}

function zigZag(reader: Reader): Halves {
  const { low, high } = varInt(reader);
  const sign = -(low & 1);
  return { low: (((low >>> 1) | (high << 31)) ^ sign) >>> 0, high: (high >>> 1) ^ sign };
}

import type { Encoding, SchemaElement } from 'hyparquet';
import { alpNumbers } from './alp.ts';
import { deltas } from './deltas.ts';
import { HybridRuns } from './hybrid-runs.ts';
import {
  type Converter,
  checkLength,
  type RawValue,
  StoredBits,
  StoredBytes,
  StoredHalves,
  StoredNumbers,
  StoredSlices,
  type StoredValues,
} from './stored-values.ts';
import { viewOf } from './text-block.ts';

/** The values of a page may repeat at most this number of bytes of other values. */
const MAX_REPEATED_BYTES = 1024 ** 3;
const INT96_BYTES = 12;

/** The type of the values of a column. */
export type Stored = Pick<SchemaElement, 'type' | 'type_length'>;

/** Returns the values that the bytes of a page contain after its levels. */
export function storedValues<V>(
  bytes: Buffer,
  encoding: Encoding,
  column: Stored,
  most: number,
  convert: Converter<V>,
): StoredValues<V> {
  const { type } = column;
  switch (encoding) {
    case 'PLAIN':
      return plainValues(bytes, column, convert);
    case 'RLE':
      return new Booleans(new HybridRuns(bytes, 4, 1), convert);
    case 'BYTE_STREAM_SPLIT':
      return plainValues(unsplit(bytes, sizeOf(column)), column, convert);
    case 'DELTA_BINARY_PACKED': {
      const { numbers } = deltas(bytes, 0, type === 'INT32' ? 32 : 64, most);
      return plainValues(bufferOf(numbers), column, convert);
    }
    case 'DELTA_LENGTH_BYTE_ARRAY': {
      const { numbers: lengths, end } = deltas(bytes, 0, 32, most);
      return new StoredBytes(bytes, placesByLength(lengths, end, bytes.length), convert);
    }
    case 'DELTA_BYTE_ARRAY': {
      const { joined, lengths } = withPrefixes(bytes, most);
      return new StoredBytes(joined, placesByLength(lengths, 0, joined.length), convert);
    }
    case 'ALP': {
      if (type !== 'FLOAT' && type !== 'DOUBLE') throw new Error(`values of type ${type} have no encoding ALP`);
      return plainValues(bufferOf(alpNumbers(bytes, type, most)), column, convert);
    }
    default:
      throw new Error(`the encoding ${encoding} is not supported`);
  }
}

/** Returns the values of the encoding PLAIN. */
export function plainValues<V>(bytes: Buffer, column: Stored, convert: Converter<V>): StoredValues<V> {
  switch (column.type) {
    case 'BOOLEAN':
      return new StoredBits(bytes, convert.of);
    case 'INT32':
      return new StoredNumbers(new Int32Array(...aligned(bytes, 4)), convert);
    case 'FLOAT':
      return new StoredNumbers(new Float32Array(...aligned(bytes, 4)), convert);
    case 'DOUBLE':
      return new StoredNumbers(new Float64Array(...aligned(bytes, 8)), convert);
    case 'INT64':
      return new StoredHalves(new Int32Array(...aligned(bytes, 4)), convert);
    case 'INT96':
      return new StoredSlices(bytes, INT96_BYTES, {
        ofBytes: (all, places) =>
          Array.from({ length: places.length / 2 }, (_, i) => convert.of(int96(all, places[2 * i] as number))),
        ...convert,
      });
    case 'FIXED_LEN_BYTE_ARRAY':
      return new StoredSlices(bytes, sizeOf(column), convert);
    default:
      return new StoredBytes(bytes, prefixedPlaces(bytes), convert);
  }
}

/** Booleans as runs. */
class Booleans<V> implements StoredValues<V> {
  readonly #runs: HybridRuns;
  readonly #convert: Converter<V>;

  constructor(runs: HybridRuns, convert: Converter<V>) {
    this.#runs = runs;
    this.#convert = convert;
  }

  take(_from: number, count: number): V[] {
    return Array.from(this.#runs.read(count), (bit) => this.#convert.of(bit === 1));
  }

  skip(count: number): void {
    this.#runs.read(count);
  }

  pick(): never {
    throw new Error('a dictionary has no runs');
  }
}

function sizeOf({ type, type_length: length = 0 }: Stored): number {
  if (type === 'INT32' || type === 'FLOAT') return 4;
  if (type === 'INT64' || type === 'DOUBLE') return 8;
  if (type !== 'FIXED_LEN_BYTE_ARRAY' || length <= 0) throw new Error(`values of type ${type} have no size`);
  return length;
}

/** Returns the memory of whole numbers for a typed array, which is copied if a typed array cannot begin there. */
function aligned(bytes: Buffer, size: number): [ArrayBufferLike, number, number] {
  const count = Math.floor(bytes.length / size);
  if (bytes.byteOffset % size === 0) return [bytes.buffer, bytes.byteOffset, count];
  const copy = Uint8Array.from(bytes);
  return [copy.buffer, 0, count];
}

function bufferOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}

function int96(bytes: Buffer, at: number): RawValue {
  return (BigInt(bytes.readInt32LE(at + 8)) << 64n) | bytes.readBigUInt64LE(at);
}

/** Values whose lengths are before each of them. */
function prefixedPlaces(bytes: Buffer): (count: number) => Int32Array {
  let at = 0;
  return (count) => {
    const places = new Int32Array(2 * count);
    for (let i = 0; i < places.length; i += 2) {
      checkLength(at + 4, 1, bytes.length);
      const length =
        ((bytes[at] as number) |
          ((bytes[at + 1] as number) << 8) |
          ((bytes[at + 2] as number) << 16) |
          ((bytes[at + 3] as number) << 24)) >>>
        0;
      at += 4;
      places[i] = at;
      at += length;
      checkLength(at, 1, bytes.length);
      places[i + 1] = at;
    }
    return places;
  };
}

/** Values without gaps whose lengths are known. */
function placesByLength(lengths: Int32Array, start: number, end: number): (count: number) => Int32Array {
  let at = start;
  let next = 0;
  return (count) => {
    if (next + count > lengths.length) throw new Error(`a page has the lengths of only ${lengths.length} values`);
    const places = new Int32Array(2 * count);
    for (let i = 0; i < places.length; i += 2) {
      const length = lengths[next++] as number;
      if (length < 0) throw new Error(`a page has a value of ${length} bytes`);
      places[i] = at;
      at += length;
      checkLength(at, 1, end);
      places[i + 1] = at;
    }
    return places;
  };
}

/** Returns values that repeat the beginning of the value before them. */
function withPrefixes(bytes: Buffer, most: number): { joined: Buffer; lengths: Int32Array } {
  const { numbers: prefixes, end } = deltas(bytes, 0, 32, most);
  const { numbers: lengths, end: start } = deltas(bytes, end, 32, most);
  let repeated = 0;
  let rest = 0;
  let previous = 0;
  if (prefixes.length !== lengths.length) throw new Error('a page has more beginnings of values than ends');
  for (let i = 0; i < lengths.length; i++) {
    const [prefix, length] = [prefixes[i] as number, lengths[i] as number];
    if (prefix < 0 || prefix > previous || length < 0)
      throw new Error(`a value repeats ${prefix} bytes of ${previous}`);
    repeated += prefix;
    rest += length;
    previous = prefix + length;
  }
  if (repeated > MAX_REPEATED_BYTES) throw new Error(`the values of a page repeat ${repeated} bytes of other values`);
  checkLength(start + rest, 1, bytes.length);
  const joined = Buffer.allocUnsafe(repeated + rest + WORD);
  const [target, source] = [viewOf(joined), viewOf(bytes)];
  const sourceEnd = bytes.length - WORD;
  let at = 0;
  let from = start;
  let before = 0;
  for (let i = 0; i < lengths.length; i++) {
    const [prefix, length] = [prefixes[i] as number, lengths[i] as number];
    // Whole words are copied. What is copied after a value is replaced by the next one.
    for (let k = 0; k < prefix; k += WORD) target.setInt32(at + k, target.getInt32(before + k, true), true);
    before = at;
    at += prefix;
    const end = from + length;
    for (; from < end && from <= sourceEnd; from += WORD, at += WORD)
      target.setInt32(at, source.getInt32(from, true), true);
    for (; from < end; from++, at++) joined[at] = bytes[from] as number;
    at -= from - end;
    from = end;
    lengths[i] = at - before;
  }
  return { joined, lengths };
}

/** The bytes that are copied together. */
const WORD = 4;

/** Returns the bytes of values of which all first bytes are stored first, then all second ones. */
function unsplit(bytes: Buffer, size: number): Buffer {
  const count = Math.floor(bytes.length / size);
  const whole = Buffer.allocUnsafe(count * size);
  for (let byte = 0; byte < size; byte++) {
    const start = byte * count;
    for (let i = 0; i < count; i++) whole[i * size + byte] = bytes[start + i] as number;
  }
  return whole;
}

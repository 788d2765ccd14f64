import { isAscii } from 'node:buffer';
import { filled } from './filled-array.ts';

/** A value as Parquet stores it, before its logical type is applied. */
export type RawValue = number | bigint | boolean | Uint8Array;

/** Returns the value of a field for a stored value. */
export type Convert<V> = (raw: RawValue) => V;

/** How the stored values of a column are converted. */
export interface Converter<V> {
  readonly of: Convert<V>;
  /** Faster for numbers of 32 bits and doubles: converts as many as `count` from a position. */
  readonly ofNumbers?: (numbers: Numbers, from: number, count: number) => V[];
  /** Faster for 64-bit integers: converts their halves, of which the lower one is first. */
  readonly ofHalves?: (halves: Int32Array, from: number, count: number) => V[];
  /** Faster for bytes: converts those between pairs of positions. */
  readonly ofBytes?: (bytes: Buffer, places: Int32Array) => V[];
  /** Whether bytes are texts in UTF-8, so that many are decoded with one call. `of` returns them too. */
  readonly isText?: boolean;
}

export type Numbers = Int32Array | Float32Array | Float64Array;

/** The stored values of a page, which are converted when they are taken. */
export interface StoredValues<V> {
  /** Returns `count` values from a position. Throws if the page is too short. */
  take(from: number, count: number): V[];
  /** Must be called instead of `take` for values that are not needed. */
  skip(count: number): void;
  /** Returns the values at some positions. They must exist. */
  pick(positions: Int32Array): V[];
}

/** Numbers of 32 bits and doubles. */
export class StoredNumbers<V> implements StoredValues<V> {
  readonly #numbers: Numbers;
  readonly #convert: Converter<V>;

  constructor(numbers: Numbers, convert: Converter<V>) {
    this.#numbers = numbers;
    this.#convert = convert;
  }

  take(from: number, count: number): V[] {
    checkLength(from + count, this.#numbers.BYTES_PER_ELEMENT, this.#numbers.byteLength);
    return this.#convertAll(this.#numbers, from, count);
  }

  /** Values are taken by their position. */
  skip(): void {}

  pick(positions: Int32Array): V[] {
    const numbers = this.#numbers;
    const picked = new (numbers.constructor as new (count: number) => Numbers)(positions.length);
    for (let i = 0; i < positions.length; i++) picked[i] = numbers[positions[i] as number] as number;
    return this.#convertAll(picked, 0, positions.length);
  }

  #convertAll(numbers: Numbers, from: number, count: number): V[] {
    const { of, ofNumbers } = this.#convert;
    if (ofNumbers !== undefined) return ofNumbers(numbers, from, count);
    const values = filled<unknown>('', count) as V[];
    for (let i = 0; i < count; i++) values[i] = of(numbers[from + i] as number);
    return values;
  }
}

/** Integers of 64 bits, by their halves, because a bigint for each is slow. */
export class StoredHalves<V> implements StoredValues<V> {
  readonly #halves: Int32Array;
  readonly #convert: Converter<V>;

  constructor(halves: Int32Array, convert: Converter<V>) {
    this.#halves = halves;
    this.#convert = convert;
  }

  take(from: number, count: number): V[] {
    checkLength(from + count, 8, this.#halves.byteLength);
    return this.#convertAll(this.#halves, from, count);
  }

  /** Values are taken by their position. */
  skip(): void {}

  pick(positions: Int32Array): V[] {
    const halves = this.#halves;
    const picked = new Int32Array(2 * positions.length);
    for (let i = 0; i < positions.length; i++) {
      const at = 2 * (positions[i] as number);
      picked[2 * i] = halves[at] as number;
      picked[2 * i + 1] = halves[at + 1] as number;
    }
    return this.#convertAll(picked, 0, positions.length);
  }

  #convertAll(halves: Int32Array, from: number, count: number): V[] {
    const { of, ofHalves } = this.#convert;
    if (ofHalves !== undefined) return ofHalves(halves, from, count);
    const values = filled<unknown>('', count) as V[];
    for (let i = 0; i < count; i++) {
      const [low, high] = [halves[2 * (from + i)] as number, halves[2 * (from + i) + 1] as number];
      values[i] = of((BigInt(high) << 32n) | BigInt(low >>> 0));
    }
    return values;
  }
}

/** Values that are stored one bit each. */
export class StoredBits<V> implements StoredValues<V> {
  readonly #bytes: Uint8Array;
  readonly #of: Convert<V>;

  constructor(bytes: Uint8Array, of: Convert<V>) {
    this.#bytes = bytes;
    this.#of = of;
  }

  take(from: number, count: number): V[] {
    checkLength((from + count) / 8, 1, this.#bytes.length);
    return this.pick(Int32Array.from({ length: count }, (_, i) => from + i));
  }

  /** Values are taken by their position. */
  skip(): void {}

  pick(positions: Int32Array): V[] {
    const bytes = this.#bytes;
    return Array.from(positions, (at) => this.#of((((bytes[at >>> 3] as number) >>> (at & 7)) & 1) === 1));
  }
}

/** The places of all values, and the text of all bytes if they are ASCII. */
interface Index {
  readonly places: Int32Array;
  readonly text: string | undefined;
}

/** Bytes of any length, such as texts. */
export class StoredBytes<V> implements StoredValues<V> {
  readonly #bytes: Buffer;
  /** Returns where the next values begin and end, in pairs. */
  readonly #nextPlaces: (count: number) => Int32Array;
  readonly #convert: Converter<V>;
  #index: Index | undefined;

  /** @param nextPlaces returns where the next values begin and end, in pairs; it is called in sequence */
  constructor(bytes: Buffer, nextPlaces: (count: number) => Int32Array, convert: Converter<V>) {
    this.#bytes = bytes;
    this.#nextPlaces = nextPlaces;
    this.#convert = convert;
  }

  /** Makes all values accessible by position. */
  index(count: number): void {
    const places = this.#nextPlaces(count);
    const text = this.#convert.isText && isAscii(this.#bytes) ? this.#bytes.toString('latin1') : undefined;
    this.#index = { places, text };
  }

  take(_from: number, count: number): V[] {
    const places = this.#nextPlaces(count);
    if (!this.#convert.isText) return bytesAt(this.#bytes, places, this.#convert);
    return textsAt(this.#bytes, places) as V[];
  }

  skip(count: number): void {
    this.#nextPlaces(count);
  }

  pick(positions: Int32Array): V[] {
    const { places: all, text } = this.#index as Index;
    if (text !== undefined) {
      const texts = filled('', positions.length);
      for (let i = 0; i < positions.length; i++) {
        const at = 2 * (positions[i] as number);
        texts[i] = text.substring(all[at] as number, all[at + 1]);
      }
      return texts as V[];
    }
    const places = new Int32Array(2 * positions.length);
    for (let i = 0; i < positions.length; i++) {
      const at = 2 * (positions[i] as number);
      places[2 * i] = all[at] as number;
      places[2 * i + 1] = all[at + 1] as number;
    }
    return bytesAt(this.#bytes, places, this.#convert);
  }
}

/** Bytes of one length, such as decimals. */
export class StoredSlices<V> implements StoredValues<V> {
  readonly #bytes: Buffer;
  readonly #size: number;
  readonly #convert: Converter<V>;

  constructor(bytes: Buffer, size: number, convert: Converter<V>) {
    this.#bytes = bytes;
    this.#size = size;
    this.#convert = convert;
  }

  take(from: number, count: number): V[] {
    const size = this.#size;
    checkLength(from + count, size, this.#bytes.length);
    const places = new Int32Array(2 * count);
    for (let i = 0, at = from * size; i < places.length; i += 2) {
      places[i] = at;
      places[i + 1] = at += size;
    }
    return bytesAt(this.#bytes, places, this.#convert);
  }

  /** Values are taken by their position. */
  skip(): void {}

  pick(positions: Int32Array): V[] {
    const size = this.#size;
    const places = new Int32Array(2 * positions.length);
    for (let i = 0; i < positions.length; i++) {
      const at = (positions[i] as number) * size;
      places[2 * i] = at;
      places[2 * i + 1] = at + size;
    }
    return bytesAt(this.#bytes, places, this.#convert);
  }
}

function bytesAt<V>(bytes: Buffer, places: Int32Array, { of, ofBytes }: Converter<V>): V[] {
  if (ofBytes !== undefined) return ofBytes(bytes, places);
  const values = filled<unknown>('', places.length / 2) as V[];
  for (let i = 0; i < values.length; i++) {
    values[i] = of(viewOf(bytes, places[2 * i] as number, places[2 * i + 1] as number));
  }
  return values;
}

/** The slices of a Buffer are Buffers, whose own slices are no copies. */
function viewOf({ buffer, byteOffset }: Buffer, from: number, to: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset + from, to - from);
}

/** Longer texts are decoded one by one if some bytes around them are not ASCII. */
const SHORT_BYTES = 32;

/** Returns the texts between ascending positions. Many short calls into the runtime would take most of the time. */
function textsAt(bytes: Buffer, places: Int32Array): string[] {
  const texts = filled('', places.length / 2);
  const first = places[0] ?? 0;
  const last = places[places.length - 1] ?? 0;
  const text = bytes.toString('latin1', first, last);
  const allAscii = isAscii(bytes.subarray(first, last));
  for (let i = 0; i < texts.length; i++) {
    const [from, to] = [places[2 * i] as number, places[2 * i + 1] as number];
    texts[i] =
      allAscii || (to - from <= SHORT_BYTES && isAsciiBetween(bytes, from, to))
        ? text.substring(from - first, to - first)
        : bytes.toString('utf8', from, to);
  }
  return texts;
}

function isAsciiBetween(bytes: Buffer, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if ((bytes[i] as number) >= 0x80) return false;
  return true;
}

/** Throws if a page has fewer bytes than its values need. */
export function checkLength(values: number, size: number, bytes: number): void {
  const needed = Math.ceil(values * size);
  if (needed > bytes) throw new Error(`the values of a page need ${needed} bytes, and it has ${bytes}`);
}

import { crc32 } from 'node:zlib';
import type { DeletedRows } from './deleted-rows.ts';

/**
 * Reads the deletion vectors of Delta Lake and Iceberg: numbers of rows, in the portable format of Roaring bitmaps with
 * 64 bits. (Sources: PROTOCOL.md of Delta Lake, "Deletion Vector Format"; the Puffin specification of Iceberg,
 * "deletion-vector-v1"; RoaringFormatSpec.)
 */

const MAGIC = 1681511377;
/** The cookies of a bitmap without and with containers of runs. */
const NO_RUNS = 12346;
const WITH_RUNS = 12347;
/** A bitmap with fewer containers and with runs has no list of offsets. */
const NO_OFFSETS = 4;
/** A container with more values is a bitmap of 8 KiB. */
const MAX_LIST = 4096;

/**
 * Reads a vector as it is stored in a file: its length, the vector, and its checksum.
 * @param length the length that the table states; undefined if only the file states it
 */
export function storedVector(bytes: Uint8Array, length: number): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < length + 8) throw new Error('the deletion vector ends too early');
  const stated = view.getUint32(0);
  if (stated !== length) throw new Error(`the deletion vector has ${stated} bytes, and the table states ${length}`);
  const vector = bytes.subarray(4, 4 + length);
  if (view.getUint32(4 + length) !== crc32(vector)) throw new Error('the deletion vector has a wrong checksum');
  return vector;
}

/**
 * Adds the rows of a vector.
 * @param cardinality the number of rows that the table states
 */
export function addVector(vector: Uint8Array, cardinality: number, rows: DeletedRows): void {
  const reader = new Reader(vector);
  const before = rows.count;
  const magic = reader.uint32();
  if (magic !== MAGIC) throw new Error(`the deletion vector has the unknown format ${magic}`);
  const bitmaps = reader.uint64();
  let last = -1;
  for (let i = 0; i < bitmaps; i++) {
    const key = reader.uint32();
    if (key <= last) throw new Error('the bitmaps of the deletion vector are not in order');
    last = key;
    addBitmap(reader, key * 2 ** 32, rows);
  }
  const found = rows.count - before;
  if (found !== cardinality) {
    throw new Error(`the deletion vector has ${found} rows, and the table states ${cardinality}`);
  }
}

function addBitmap(reader: Reader, base: number, rows: DeletedRows): void {
  const cookie = reader.uint32();
  const hasRuns = (cookie & 0xffff) === WITH_RUNS;
  if (!hasRuns && cookie !== NO_RUNS) throw new Error(`the deletion vector has the unknown cookie ${cookie}`);
  const count = hasRuns ? (cookie >>> 16) + 1 : reader.uint32();
  if (count > 2 ** 16) throw new Error(`the deletion vector has ${count} containers`);
  const runs = hasRuns ? reader.bytes(Math.ceil(count / 8)) : undefined;
  const containers = Array.from({ length: count }, () => ({ key: reader.uint16(), values: reader.uint16() + 1 }));
  if (!hasRuns || count >= NO_OFFSETS) reader.bytes(4 * count);
  let last = -1;
  for (const [i, { key, values }] of containers.entries()) {
    if (key <= last) throw new Error('the containers of the deletion vector are not in order');
    last = key;
    const from = base + key * 2 ** 16;
    if (runs !== undefined && (((runs[i >>> 3] as number) >>> (i & 7)) & 1) === 1) {
      const length = reader.uint16();
      let end = from;
      for (let run = 0; run < length; run++) {
        const start = from + reader.uint16();
        if (start < end) throw new Error('the runs of the deletion vector are not in order');
        end = start + reader.uint16() + 1;
        rows.addRange(start, end);
      }
    } else if (values > MAX_LIST) {
      const bits = reader.bytes(8192);
      for (let value = 0; value < 2 ** 16; value++) {
        if ((((bits[value >>> 3] as number) >>> (value & 7)) & 1) === 1) rows.add(from + value);
      }
    } else {
      for (let value = 0; value < values; value++) rows.add(from + reader.uint16());
    }
  }
}

/** Reads numbers, of which the lowest byte is first. */
class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  uint16(): number {
    return this.#view.getUint16(this.#next(2), true);
  }

  uint32(): number {
    return this.#view.getUint32(this.#next(4), true);
  }

  uint64(): number {
    return Number(this.#view.getBigUint64(this.#next(8), true));
  }

  bytes(count: number): Uint8Array {
    const from = this.#next(count);
    return this.#bytes.subarray(from, from + count);
  }

  #next(count: number): number {
    const from = this.#at;
    if (from + count > this.#bytes.length) throw new Error('the deletion vector ends too early');
    this.#at += count;
    return from;
  }
}

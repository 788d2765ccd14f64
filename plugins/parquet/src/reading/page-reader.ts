import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { CompressionCodec, Compressors, SchemaElement, SchemaTree } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressPage, readDataPage, readDataPageV2 } from 'hyparquet/src/datapage.js';
import { readPlain } from 'hyparquet/src/plain.js';
import { compressors } from 'hyparquet-compressors';

/** A value as Parquet stores it, before its logical type is applied. */
export type RawValue = number | bigint | boolean | Uint8Array;

/** Returns the value of a field for a stored value. */
export type Convert<V> = (raw: RawValue) => V;

/** The values of a page. */
export interface Page<V> {
  /** The number of values, with those that are missing. */
  readonly count: number;
  /** For each value, how many optional and repeated levels of its path exist. Empty if all values exist. */
  readonly definitions: readonly number[];
  /** For each value, the level at which it continues a list; 0 for the first value of a row. Empty if there are no lists. */
  readonly repetitions: readonly number[];
  /** The values without the missing ones. */
  readonly values: readonly V[];
}

/** Where a column chunk is in the bytes of a row group. Plain data. */
export interface ColumnChunkPlace {
  /** The names from the root of the schema to the column. */
  readonly path: readonly string[];
  readonly codec: CompressionCodec;
  /** The first byte of the column chunk. */
  readonly start: number;
  readonly length: number;
  /** The number of rows of the row group that begin before the bytes. Defaults to 0. */
  readonly firstRow?: number;
}

/** A page with more bytes is a damaged or hostile file: writers make pages of about a mebibyte. */
const MAX_PAGE_BYTES = 1024 ** 3;
/** So is a page with more values. A few bytes can state billions of equal values, whose list would end the process. */
const MAX_PAGE_VALUES = 2 ** 24;

/** Node's decompressors are several times as fast as those in JavaScript, and they stop at the expected length. */
const DECOMPRESSORS: Compressors = {
  ...compressors,
  GZIP: (input, length) => gunzipSync(input, { maxOutputLength: length || 1 }),
  BROTLI: (input, length) => brotliDecompressSync(input, { maxOutputLength: length || 1 }),
  ZSTD: (input, length) => zstdDecompressSync(input, { maxOutputLength: length || 1 }),
};

/** Reads the pages of a column chunk, one at a time, and converts their values. */
export class PageReader<V> {
  readonly #reader: { readonly view: DataView; offset: number };
  readonly #column: { readonly element: SchemaElement; readonly type: NonNullable<SchemaElement['type']> };
  readonly #schemaPath: SchemaTree[];
  readonly #codec: CompressionCodec;
  readonly #convert: Convert<V>;
  #dictionary: V[] | undefined;

  /**
   * @param bytes the bytes of the row group
   * @param schemaPath the elements of the schema from the root to the column
   */
  constructor(bytes: Uint8Array, place: ColumnChunkPlace, schemaPath: SchemaTree[], convert: Convert<V>) {
    const { element } = schemaPath.at(-1) as SchemaTree;
    if (element.type === undefined) throw new Error(`the column ${place.path.join('.')} has no type`);
    const view = new DataView(bytes.buffer, bytes.byteOffset + place.start, place.length);
    this.#reader = { view, offset: 0 };
    this.#column = { element, type: element.type };
    this.#schemaPath = schemaPath;
    this.#codec = place.codec;
    this.#convert = convert;
  }

  /** Returns the next page with values, or undefined after the last one. */
  next(): Page<V> | undefined {
    const reader = this.#reader;
    while (reader.offset < reader.view.byteLength - 1) {
      const header = parquetHeader(reader);
      const { compressed_page_size: size, uncompressed_page_size: uncompressed } = header;
      if (size < 0 || reader.offset + size > reader.view.byteLength || !(uncompressed <= MAX_PAGE_BYTES)) {
        throw new Error(`a page of ${size} bytes, or ${uncompressed} without compression, does not fit its column`);
      }
      const compressed = new Uint8Array(reader.view.buffer, reader.view.byteOffset + reader.offset, size);
      reader.offset += size;
      if (header.type === 'DICTIONARY_PAGE') this.#readDictionary(compressed, uncompressed, header);
      else if (header.type === 'DATA_PAGE' || header.type === 'DATA_PAGE_V2') {
        const page = this.#readPage(compressed, uncompressed, header);
        if (page.count > 0) return page;
      }
    }
    return undefined;
  }

  #readDictionary(compressed: Uint8Array, uncompressed: number, header: ReturnType<typeof parquetHeader>): void {
    const { type, element } = this.#column;
    const page = decompressPage(compressed, uncompressed, this.#codec, DECOMPRESSORS);
    const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
    const count = header.dictionary_page_header?.num_values ?? 0;
    checkCount(count);
    const raw = readPlain({ view, offset: 0 }, type, count, element.type_length);
    checkBytes(raw as ArrayLike<RawValue>, uncompressed);
    this.#dictionary = Array.from(raw as ArrayLike<RawValue>, this.#convert);
  }

  #readPage(compressed: Uint8Array, uncompressed: number, header: ReturnType<typeof parquetHeader>): Page<V> {
    const { type, element } = this.#column;
    const column = {
      type,
      element,
      schemaPath: this.#schemaPath,
      codec: this.#codec,
      compressors: DECOMPRESSORS,
    } as never;
    const v1 = header.data_page_header;
    const about = v1 ?? header.data_page_header_v2;
    if (about === undefined) throw new Error('a data page has no header');
    checkCount(about.num_values);
    const bytes = v1 === undefined ? compressed : decompressPage(compressed, uncompressed, this.#codec, DECOMPRESSORS);
    if (about.encoding === 'DELTA_BYTE_ARRAY') checkPrefixes(bytes, header, column);
    const data = v1 === undefined ? readDataPageV2(bytes, header, column) : readDataPage(bytes, v1, column);
    const raw = data.dataPage as ArrayLike<RawValue>;
    if (about.encoding === 'PLAIN' || about.encoding === 'DELTA_LENGTH_BYTE_ARRAY') checkBytes(raw, uncompressed);
    return {
      count: about.num_values,
      definitions: raw.length === about.num_values ? [] : (data.definitionLevels ?? []),
      repetitions: data.repetitionLevels,
      values: about.encoding.endsWith('_DICTIONARY') ? this.#fromDictionary(raw) : convertAll(raw, this.#convert),
    };
  }

  #fromDictionary(indexes: ArrayLike<RawValue>): V[] {
    const dictionary = this.#dictionary;
    if (dictionary === undefined) throw new Error('a page refers to a dictionary that its column does not have');
    const values = new Array<V>(indexes.length);
    for (let i = 0; i < values.length; i++) {
      const index = indexes[i] as number;
      if (!(index < dictionary.length)) throw new Error(`a page refers to value ${index} of ${dictionary.length}`);
      values[i] = dictionary[index] as V;
    }
    return values;
  }
}

/** Returns how many rows begin in a page of version 1 of a column with lists, whose header does not say it. */
export function countRows(
  compressed: Uint8Array,
  header: ReturnType<typeof parquetHeader>,
  codec: CompressionCodec,
  schemaPath: SchemaTree[],
): number {
  const { element } = schemaPath.at(-1) as SchemaTree;
  const about = header.data_page_header;
  if (about === undefined) throw new Error('a data page has no header');
  if (!(header.uncompressed_page_size <= MAX_PAGE_BYTES)) {
    throw new Error(`a page has ${header.uncompressed_page_size} bytes without compression`);
  }
  checkCount(about.num_values);
  const page = decompressPage(compressed, header.uncompressed_page_size, codec, DECOMPRESSORS);
  const column = { type: element.type, element, schemaPath, codec, compressors: DECOMPRESSORS } as never;
  return readDataPage(page, about, column).repetitionLevels.reduce((rows, level) => rows + (level === 0 ? 1 : 0), 0);
}

function checkCount(values: number): void {
  if (!(values >= 0 && values <= MAX_PAGE_VALUES)) throw new Error(`a page has ${values} values`);
}

/**
 * Checks what the values of a page take from the values before them. Each value is a copy, so a page of a mebibyte can state
 * values of many gigabytes. The lengths are read first, as the page begins with them.
 */
function checkPrefixes(bytes: Uint8Array, header: ReturnType<typeof parquetHeader>, column: object): void {
  const lengths = { ...column, type: 'INT32' } as never;
  const encoding = 'DELTA_BINARY_PACKED';
  const { data_page_header: v1, data_page_header_v2: v2 } = header;
  const { dataPage } =
    v1 === undefined
      ? readDataPageV2(bytes, { ...header, data_page_header_v2: v2 && { ...v2, encoding } }, lengths)
      : readDataPage(bytes, { ...v1, encoding }, lengths);
  let total = 0;
  for (const length of dataPage as Int32Array) total += Math.abs(length);
  if (!(total <= MAX_PAGE_BYTES)) throw new Error(`the values of a page repeat ${total} bytes of other values`);
}

/** hyparquet reads past the end of a page, as far as the memory that contains it. */
function checkBytes(values: ArrayLike<RawValue> & { readonly byteLength?: number }, most: number): void {
  const [first, last] = [values[0], values[values.length - 1]];
  const bytes =
    first instanceof Uint8Array && last instanceof Uint8Array
      ? last.byteOffset + last.length - first.byteOffset
      : (values.byteLength ?? 0);
  if (bytes > most) throw new Error(`the values of a page need ${bytes} bytes, and it has ${most}`);
}

/** Separate, so that the compiler optimizes a small function for each column. */
function convertAll<V>(raw: ArrayLike<RawValue>, convert: Convert<V>): V[] {
  const values = new Array<V>(raw.length);
  for (let i = 0; i < values.length; i++) values[i] = convert(raw[i] as RawValue);
  return values;
}

import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { maxValueBytes } from 'headrace/engine';
import type { CompressionCodec, Compressors, SchemaTree } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { plainValues, type Stored, storedValues } from './encodings.ts';
import { filled, modelOf } from './filled-array.ts';
import { HybridRuns } from './hybrid-runs.ts';
import { type PageHeader, readPageHeader } from './page-header.ts';
import { type Converter, StoredBytes, type StoredValues } from './stored-values.ts';

/** Values of a page that follow each other. */
export interface Block<V> {
  /** The number of values, with those that are missing. */
  readonly count: number;
  /** For each value, how many optional and repeated levels of its path exist. Empty if all values exist. */
  readonly definitions: ArrayLike<number>;
  /** For each value, the level at which it continues a list; 0 for the first value of a row. Empty if there are no lists. */
  readonly repetitions: ArrayLike<number>;
  /** The values without the missing ones. */
  readonly values: V[];
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
/** A page may also not be larger than a value of a document. */
const maxPageBytes = () => Math.min(MAX_PAGE_BYTES, maxValueBytes());
/** So is a page with more values. A few bytes can state billions of equal values, whose list would end the process. */
const MAX_PAGE_VALUES = 2 ** 24;

/** Node's decompressors are several times as fast as those in JavaScript, and they stop at the expected length. */
const DECOMPRESSORS: Compressors = {
  ...compressors,
  GZIP: (input, length) => gunzipSync(input, { maxOutputLength: length || 1 }),
  BROTLI: (input, length) => brotliDecompressSync(input, { maxOutputLength: length || 1 }),
  ZSTD: (input, length) => zstdDecompressSync(input, { maxOutputLength: length || 1 }),
};

/** The current page of a column: the levels and the values that were not read yet. */
interface Page<V> {
  left: number;
  readonly repetitions: HybridRuns | undefined;
  readonly definitions: HybridRuns | undefined;
  readonly values: { take(from: number, count: number): V[]; skip(count: number): void };
  /** How many values were read, without the missing ones. */
  taken: number;
}

/** A page of which all values are skipped. */
const UNREAD: Page<never> = {
  left: 0,
  repetitions: undefined,
  definitions: undefined,
  values: { take: () => [], skip: () => undefined },
  taken: 0,
};

/** Reads the pages of a column chunk, a block of values at a time, and converts the values. */
export class PageReader<V> {
  readonly #reader: { readonly view: DataView; offset: number };
  readonly #stored: Stored;
  readonly #levels: Levels;
  readonly #codec: CompressionCodec;
  readonly #convert: Converter<V>;
  /** About the number of values of the column. */
  readonly #rows: number;
  #dictionary: Dictionary<V> | undefined;
  #page: Page<V> | undefined;

  /**
   * @param bytes the bytes of the row group
   * @param schemaPath the elements of the schema from the root to the column
   * @param rows about how many values are read
   */
  constructor(
    bytes: Uint8Array,
    place: ColumnChunkPlace,
    schemaPath: readonly SchemaTree[],
    convert: Converter<V>,
    rows: number,
  ) {
    const { element } = schemaPath.at(-1) as SchemaTree;
    if (element.type === undefined) throw new Error(`the column ${place.path.join('.')} has no type`);
    const view = new DataView(bytes.buffer, bytes.byteOffset + place.start, place.length);
    this.#reader = { view, offset: 0 };
    this.#stored = element;
    this.#levels = levelsOf(schemaPath);
    this.#codec = place.codec;
    this.#convert = convert;
    this.#rows = rows;
  }

  /** Whether the column has lists. */
  get hasLists(): boolean {
    return this.#levels.repetition > 0;
  }

  /** Returns at most `most` of the next values, all of one page, or undefined after the last one. */
  next(most: number): Block<V> | undefined {
    this.#page ??= this.#nextPage();
    const page = this.#page;
    if (page === undefined) return undefined;
    const count = Math.min(most, page.left);
    page.left -= count;
    if (page.left === 0) this.#page = undefined;
    const repetitions = page.repetitions?.read(count) ?? NONE;
    const { definitions, present } = this.#definitions(page, count);
    const values = present === 0 ? [] : page.values.take(page.taken, present);
    page.taken += present;
    return { count, definitions, repetitions, values };
  }

  /** Skips values without converting them. Throws if there are fewer. */
  skip(count: number): void {
    for (let left = count; left > 0; ) {
      this.#page ??= this.#nextPage(left);
      const page = this.#page;
      if (page === undefined) throw new Error('a column ends before the rows of its row group');
      const skipped = Math.min(left, page.left);
      left -= skipped;
      page.left -= skipped;
      if (page.left === 0) this.#page = undefined;
      else {
        page.repetitions?.read(skipped);
        const { present } = this.#definitions(page, skipped);
        if (present > 0) page.values.skip(present);
        page.taken += present;
      }
    }
  }

  /** Returns the definition levels of the next values unless all exist, and how many exist. */
  #definitions({ definitions }: Page<V>, count: number): { definitions: ArrayLike<number>; present: number } {
    const highest = this.#levels.definition;
    const same = definitions?.same(count);
    if (definitions === undefined || same === highest) return { definitions: NONE, present: count };
    const read = same === undefined ? definitions.read(count) : new Int32Array(count).fill(same);
    const present = countOf(read, highest);
    return { definitions: present < count ? read : NONE, present };
  }

  /**
   * Returns the next page with values.
   * @param skipped the number of values to skip; a page that has no more is not decompressed
   */
  #nextPage(skipped = 0): Page<V> | undefined {
    const reader = this.#reader;
    while (reader.offset < reader.view.byteLength - 1) {
      const header = readPageHeader(reader);
      const { kind, size, uncompressed, values } = header;
      if (size < 0 || reader.offset + size > reader.view.byteLength || !(uncompressed <= maxPageBytes())) {
        throw new Error(`a page of ${size} bytes, or ${uncompressed} without compression, does not fit its column`);
      }
      const compressed = new Uint8Array(reader.view.buffer, reader.view.byteOffset + reader.offset, size);
      reader.offset += size;
      if (kind === 'dictionary') this.#readDictionary(compressed, header);
      else if (kind === 'data') {
        if (values > 0 && values <= skipped) return { ...UNREAD, left: values };
        const page = this.#readPage(compressed, header);
        if (page.left > 0) return page;
      }
    }
    return undefined;
  }

  #readDictionary(compressed: Uint8Array, { uncompressed, values: count }: PageHeader): void {
    const bytes = decompress(compressed, uncompressed, this.#codec);
    checkCount(count);
    const values = plainValues(bytes, this.#stored, this.#convert);
    this.#dictionary = new Dictionary(values, count, count <= this.#rows / REPEATED);
  }

  #readPage(compressed: Uint8Array, header: PageHeader): Page<V> {
    const { repetitions, definitions, bytes, count, encoding } = openPage(
      compressed,
      header,
      this.#codec,
      this.#levels,
    );
    const page = { left: count, repetitions, definitions, taken: 0 };
    if (!encoding.endsWith('_DICTIONARY')) {
      return { ...page, values: storedValues(bytes, encoding, this.#stored, count, this.#convert) };
    }
    const dictionary = this.#dictionary;
    if (dictionary === undefined) throw new Error('a page refers to a dictionary that its column does not have');
    const indexes = new HybridRuns(bytes, 1, bytes[0] ?? 0);
    const values = {
      take: (_: number, taken: number) => dictionary.pick(indexes.read(taken)),
      skip: (skipped: number) => void indexes.read(skipped),
    };
    return { ...page, values };
  }
}

const NONE: ArrayLike<number> = [];

/** Values that occur at least so often on average are converted once. */
const REPEATED = 4;

/** The distinct values of a column. */
class Dictionary<V> {
  readonly #stored: StoredValues<V>;
  readonly #count: number;
  /** The converted values. They would live as long as the dictionary, so rare values are converted when they occur. */
  readonly #values: V[] | undefined;
  /** A value of the kind for which the arrays of values are made. */
  readonly #model: unknown;

  constructor(stored: StoredValues<V>, count: number, keep: boolean) {
    this.#stored = stored;
    this.#count = count;
    this.#values = keep ? stored.take(0, count) : undefined;
    this.#model = modelOf(this.#values ?? []);
    if (!keep && stored instanceof StoredBytes) stored.index(count);
  }

  pick(indexes: Int32Array): V[] {
    const [count, values] = [this.#count, this.#values];
    for (let i = 0; i < indexes.length; i++) {
      // A negative number is larger than all others without its sign.
      if ((indexes[i] as number) >>> 0 >= count) {
        throw new Error(`a page refers to value ${(indexes[i] as number) >>> 0} of ${count}`);
      }
    }
    if (values === undefined) return this.#stored.pick(indexes);
    const picked = filled<unknown>(this.#model, indexes.length) as V[];
    for (let i = 0; i < indexes.length; i++) picked[i] = values[indexes[i] as number] as V;
    return picked;
  }
}

/** The highest levels of the values of a column; 0 if they are not stored. */
interface Levels {
  readonly repetition: number;
  readonly definition: number;
}

function levelsOf(schemaPath: readonly SchemaTree[]): Levels {
  const repeats = schemaPath.slice(1).map(({ element }) => element.repetition_type);
  return {
    repetition: repeats.filter((type) => type === 'REPEATED').length,
    definition: repeats.filter((type) => type !== 'REQUIRED').length,
  };
}

/** Returns the levels of a page, and the bytes of its values without compression. */
function openPage(compressed: Uint8Array, header: PageHeader, codec: CompressionCodec, levels: Levels) {
  const { uncompressed, values: count, encoding, version2 } = header;
  checkCount(count);
  const runs = (bytes: Uint8Array, at: number, highest: number) =>
    highest === 0 ? undefined : new HybridRuns(bytes, at, 32 - Math.clz32(highest));
  if (version2 === undefined) {
    const page = decompress(compressed, uncompressed, codec);
    let at = 0;
    const [repetitions, definitions] = [levels.repetition, levels.definition].map((highest) => {
      if (highest === 0) return undefined;
      const found = runs(page, at + 4, highest);
      at += 4 + page.readUInt32LE(at);
      return found;
    });
    return { repetitions, definitions, bytes: page.subarray(at), count, encoding };
  }
  const { repetitionBytes: first, definitionBytes: second, areValuesCompressed } = version2.levels;
  const rest = uncompressed - first - second;
  if (!(first >= 0 && second >= 0 && first + second <= compressed.length && rest >= 0)) {
    throw new Error(`a page has ${first} and ${second} bytes of levels, which do not fit it`);
  }
  const stored = compressed.subarray(first + second);
  // A page without values may have no bytes, which no codec accepts.
  const plain = !areValuesCompressed || rest === 0;
  return {
    repetitions: runs(compressed, 0, levels.repetition),
    definitions: runs(compressed, first, levels.definition),
    bytes: plain ? bufferOf(stored) : decompress(stored, rest, codec),
    count,
    encoding,
  };
}

/** Returns how many rows begin in a page of version 1 of a column with lists, whose header does not say it. */
export function countRows(
  compressed: Uint8Array,
  header: PageHeader,
  codec: CompressionCodec,
  schemaPath: readonly SchemaTree[],
): number {
  if (!(header.uncompressed <= maxPageBytes())) {
    throw new Error(`a page has ${header.uncompressed} bytes without compression`);
  }
  const { repetitions, count } = openPage(compressed, header, codec, levelsOf(schemaPath));
  return repetitions === undefined ? count : countOf(repetitions.read(count), 0);
}

function decompress(bytes: Uint8Array, length: number, codec: CompressionCodec): Buffer {
  const decompressor = DECOMPRESSORS[codec];
  if (codec !== 'UNCOMPRESSED' && decompressor === undefined)
    throw new Error(`the compression ${codec} is not supported`);
  const page = decompressor === undefined ? bytes : decompressor(bytes, length);
  if (page.length !== length)
    throw new Error(`a page has ${page.length} bytes without compression instead of ${length}`);
  return bufferOf(page);
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function countOf(levels: Int32Array, wanted: number): number {
  let count = 0;
  for (let i = 0; i < levels.length; i++) if (levels[i] === wanted) count++;
  return count;
}

function checkCount(values: number): void {
  if (!(values >= 0 && values <= MAX_PAGE_VALUES)) throw new Error(`a page has ${values} values`);
}

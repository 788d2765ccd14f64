import { HeadraceError, maxValueBytes, messageOf } from 'headrace/engine';
import type { RangedFile } from 'headrace/storage';
import type { ColumnMetaData, FileMetaData, RowGroup, SchemaElement } from 'hyparquet';
import { checkFooter } from './check-footer.ts';
import type { ColumnChunkPlace } from './page-reader.ts';
import { runsOf } from './read-ranges.ts';
import { type ColumnFilter, type Comparison, columnFilter } from './row-filter.ts';
import type { ColumnChunk, RowGroupPart } from './row-group-parts.ts';
import { FooterStatistics } from './stored-bounds.ts';

/** A larger row group is read in parts, page by page. */
const WHOLE_BYTES = 128 * 1024 ** 2;
/** Of a larger row group, the page index selects the pages that a filter needs. */
const INDEXED_BYTES = 1024 ** 2;
/** About the size of these parts. */
const PART_BYTES = 32 * 1024 ** 2;
/** A larger row group that must be read as a whole does not fit into the memory of a run. */
const MAX_ROW_GROUP_BYTES = 1024 ** 3;
/** The columns of a row group may also not be larger than a value of a document. */
const maxRowGroupBytes = () => Math.min(MAX_ROW_GROUP_BYTES, maxValueBytes());
/** A longer footer is a damaged or hostile file. */
const MAX_FOOTER_BYTES = 256 * 1024 ** 2;
/** One request of this size reads the footer of most files. */
const FOOTER_REQUEST_BYTES = 64 * 1024;
/** The length of the footer and the magic number at the end of a file. */
const TAIL_BYTES = 8;

/** A row group that a run reads. */
export interface WantedRowGroup {
  /** The number in the file, counted from 1. */
  readonly number: number;
  /** The number of its first row in the file, counted from 1. */
  readonly firstRow: number;
  readonly rows: number;
  readonly group: RowGroup;
}

/** The structure of a Parquet file, from its footer. */
export class ParquetFile {
  readonly metadata: FileMetaData;
  readonly #file: RangedFile;
  readonly #footer: Uint8Array;
  #footerStatistics: FooterStatistics | undefined;

  private constructor(file: RangedFile, metadata: FileMetaData, footer: Uint8Array) {
    this.#file = file;
    this.metadata = metadata;
    this.#footer = footer;
  }

  /** Reads the footer. Throws an error that says what is wrong if the file is not a Parquet file. */
  static async open(file: RangedFile): Promise<ParquetFile> {
    const { parquetMetadata } = await import('hyparquet');
    if (file.size < 2 * TAIL_BYTES) throw new Error(`it has only ${file.size} bytes, which is too short for Parquet`);
    const start = Math.max(0, file.size - FOOTER_REQUEST_BYTES);
    const end = await file.read(start, file.size);
    const magic = Buffer.from(end.subarray(-4)).toString('latin1');
    if (magic === 'PARE') throw new Error('it is encrypted');
    if (magic !== 'PAR1') throw new Error('it is not a Parquet file: PAR1 is missing at its end');
    const length = new DataView(end.buffer, end.byteOffset + end.length - TAIL_BYTES).getUint32(0, true) + TAIL_BYTES;
    if (length > file.size) throw new Error('its footer is longer than the file: it was probably cut off');
    if (length > MAX_FOOTER_BYTES) throw new Error(`its footer has ${length} bytes`);
    const footer = length <= end.length ? end.subarray(-length) : await file.read(file.size - length, file.size);
    // Converted statistics are not used.
    const same = (value: unknown) => value;
    const parsers = {
      timestampFromMilliseconds: same,
      timestampFromMicroseconds: same,
      timestampFromNanoseconds: same,
      dateFromDays: same,
      stringFromBytes: same,
    };
    try {
      const metadata = parquetMetadata(exactBuffer(footer), { parsers, geoparquet: false });
      checkFooter(metadata);
      return new ParquetFile(file, metadata, footer);
    } catch (error) {
      throw new Error(`its footer is damaged: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Returns the same file with other names of its columns. */
  withMetadata(metadata: FileMetaData): ParquetFile {
    return new ParquetFile(this.#file, metadata, this.#footer);
  }

  /** The number of rows of all row groups. */
  get rows(): number {
    return this.metadata.row_groups.reduce((sum, { num_rows: rows }) => sum + Number(rows), 0);
  }

  /** The names of the columns, in the order of the schema. */
  get columns(): string[] {
    return topLevel(this.metadata.schema).map(({ name }) => name);
  }

  /** Returns the element of a column; undefined if the file does not have it. */
  column(name: string): SchemaElement | undefined {
    return topLevel(this.metadata.schema).find((element) => element.name === name);
  }

  /** Returns the row groups that have rows after the skipped ones, and that may have rows that pass the filter. */
  rowGroups(skip: number, filter: readonly Comparison[]): WantedRowGroup[] {
    const filters = this.#filtersOf(filter);
    const wanted: WantedRowGroup[] = [];
    let firstRow = 1;
    for (const [i, group] of this.metadata.row_groups.entries()) {
      const rows = Number(group.num_rows);
      const mayPass = filters.every(({ element, test }) => {
        const at = columnAt(group, element.name);
        return at < 0 || test.mayPass(this.#statistics.boundsOf(i, at, element));
      });
      if (rows > 0 && firstRow - 1 + rows > skip && mayPass) wanted.push({ number: i + 1, firstRow, rows, group });
      firstRow += rows;
    }
    return wanted;
  }

  /**
   * Reads rows of some columns of a row group: all together, or in parts if they are large.
   * @param columns the names of columns of the schema
   * @param skip the number of rows to skip
   * @param filter skips pages of large row groups whose rows do not pass
   */
  async *read(
    { group, rows: all }: WantedRowGroup,
    columns: ReadonlySet<string>,
    skip: number,
    rows: number,
    filter: readonly Comparison[] = [],
    limits = { whole: WHOLE_BYTES, part: PART_BYTES, indexed: INDEXED_BYTES },
  ): AsyncGenerator<RowGroupPart> {
    const chunks = this.#chunksOf(group, columns);
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
    const { schema } = this.metadata;
    if (filter.length > 0 && bytes >= limits.indexed && !this.#isOld) {
      const { selectedParts } = await import('./selected-parts.ts');
      const tests = this.#filtersOf(filter).map(({ element, test }) => {
        const at = columnAt(group, element.name);
        return { element, test, at, order: this.#statistics.orderOf(at) };
      });
      const selected = await selectedParts(this.#file, group, chunks, tests, { from: skip, to: skip + rows, all });
      if (selected !== undefined) {
        yield* selected.read(limits.part);
        return;
      }
    }
    // Each part has the dictionaries, so only pages with values can be divided.
    const values = chunks.reduce((sum, { length, dictionary }) => sum + length - dictionary, 0);
    if (bytes <= limits.whole || this.#isOld || (values <= limits.part && bytes <= maxRowGroupBytes())) {
      yield { skip, rows, ...(await this.#readWhole(chunks, bytes)) };
      return;
    }
    const { rowGroupParts } = await import('./row-group-parts.ts');
    yield* rowGroupParts(this.#file, schema, chunks, { from: skip, to: skip + rows, all }, limits.part);
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Only filters need the statistics. */
  get #statistics(): FooterStatistics {
    this.#footerStatistics ??= new FooterStatistics(this.#footer);
    return this.#footerStatistics;
  }

  get #isOld(): boolean {
    return OLD_WRITER.test(this.metadata.created_by ?? '');
  }

  #chunksOf(group: RowGroup, columns: ReadonlySet<string>): ColumnChunk[] {
    return group.columns.flatMap(({ meta_data, file_path, crypto_metadata }) => {
      if (crypto_metadata !== undefined) throw new Error('a column is encrypted');
      if (meta_data === undefined || !columns.has(meta_data.path_in_schema[0] as string)) return [];
      checkCodec(meta_data);
      if (file_path !== undefined) throw new Error(`its data is in another file, ${file_path}`);
      return rangeOf(meta_data, this.#file.size, this.#isOld ? DICTIONARY_HEADER : 0);
    });
  }

  async #readWhole(chunks: readonly ColumnChunk[], bytes: number) {
    if (bytes > maxRowGroupBytes()) {
      throw new HeadraceError(
        'HR_SOURCE_UNREADABLE',
        `a row group has ${bytes} bytes, more than ${maxRowGroupBytes()}`,
        {
          hint: 'The old writer stored wrong lengths, so it cannot be divided. Write the file again, or read fewer columns.',
        },
      );
    }
    const whole = new Uint8Array(bytes);
    const places: ColumnChunkPlace[] = [];
    let filled = 0;
    for (const run of runsOf(chunks)) {
      const [first, last] = [run[0] as ColumnChunk, run.at(-1) as ColumnChunk];
      const read = await this.#file.read(first.from, last.from + last.length);
      for (const { from, length, path, codec } of run) {
        whole.set(read.subarray(from - first.from, from - first.from + length), filled);
        places.push({ path, codec, start: filled, length });
        filled += length;
      }
    }
    return { bytes: whole, columns: places };
  }

  #filtersOf(filter: readonly Comparison[]): { element: SchemaElement; test: ColumnFilter }[] {
    return [...new Set(filter.map(({ column }) => column))].map((column) => {
      const element = this.column(column);
      if (element === undefined) throw new Error(`filter: the file has no column ${column}`);
      if (element.type === undefined || element.repetition_type === 'REPEATED') {
        throw new Error(`filter: the column ${column} has lists or objects, which cannot be compared`);
      }
      return {
        element,
        test: columnFilter(
          element,
          filter.filter((one) => one.column === column),
        ),
      };
    });
  }
}

/**
 * Versions of parquet-mr whose lengths of column chunks lack the header of the dictionary. (Source: PARQUET-816, which
 * also gives the number of bytes.)
 */
const OLD_WRITER = /^parquet-mr(?: version (?:0\.|1\.[01]\.|1\.2\.[0-8]\b)|$)/;
const DICTIONARY_HEADER = 100;

/** No maintained library with a free licence reads LZO, and neither does pyarrow. */
function checkCodec({ codec, path_in_schema: path }: ColumnMetaData): void {
  // The numbers of newer codecs have no name.
  const name = codec as string | undefined;
  if (name !== undefined && name !== 'LZO') return;
  const what = name === undefined ? 'a codec that is not known' : `the codec ${name}, which is not supported`;
  throw new Error(`the column ${path.join('.')} has ${what}: write the file again with another one, such as ZSTD`);
}

/** @param more the bytes that the length of a column chunk may lack */
function rangeOf(column: ColumnMetaData, size: number, more: number): ColumnChunk {
  const { codec, path_in_schema: path, data_page_offset, dictionary_page_offset, total_compressed_size } = column;
  const data = Number(data_page_offset);
  // Some writers store 0 if there is no dictionary.
  const dictionary = Number(dictionary_page_offset ?? 0n);
  const from = dictionary > 0 ? Math.min(dictionary, data) : data;
  const length = Number(total_compressed_size);
  if (!(from >= 0 && length >= 0 && from + length <= size)) {
    throw new Error(`the column ${path.join('.')} is outside the file: it was probably cut off`);
  }
  const whole = Math.min(length + more, size - from);
  return { path, codec, from, length: whole, dictionary: Math.min(whole, data - from) };
}

/** Returns the position of a column without lists and objects in a row group, or -1. */
function columnAt({ columns }: RowGroup, name: string): number {
  return columns.findIndex(
    ({ meta_data: about }) => about?.path_in_schema.length === 1 && about.path_in_schema[0] === name,
  );
}

function topLevel(schema: readonly SchemaElement[]): SchemaElement[] {
  const found: SchemaElement[] = [];
  const skip = (at: number): number => {
    let next = at + 1;
    for (let i = 0; i < (schema[at]?.num_children ?? 0); i++) next = skip(next);
    return next;
  };
  for (let at = 1; at < schema.length; at = skip(at)) found.push(schema[at] as SchemaElement);
  return found;
}

/** hyparquet reads whole buffers only. */
function exactBuffer(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

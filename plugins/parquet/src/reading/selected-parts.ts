import type { RangedFile } from 'headrace/storage';
import type { RowGroup, SchemaElement } from 'hyparquet';
import { commonRows, type IndexedPage, indexedPages, type RowRange, rowsThatMayPass } from './page-index.ts';
import type { ColumnChunkPlace } from './page-reader.ts';
import { type Range, readRanges } from './read-ranges.ts';
import type { ColumnFilter } from './row-filter.ts';
import type { ColumnChunk, RowGroupPart } from './row-group-parts.ts';
import type { Thrift } from './thrift.ts';

/** The comparisons of a column. */
export interface ColumnTest {
  readonly element: SchemaElement;
  readonly test: ColumnFilter;
  /** The position of the column in the row groups, or -1. */
  readonly at: number;
  /** The order of its bounds. */
  readonly order: Thrift | undefined;
}

/** Rows with a smaller gap are read together, because each part reads pages of all columns. */
const GAP_ROWS = 1024;
/** A larger part of a row group is read as a whole. */
const MAX_PART = 1 / 2;

/** The pages of a column. */
interface ColumnPages {
  readonly chunk: ColumnChunk;
  readonly pages: readonly IndexedPage[];
  /** Read once. */
  dictionary: Uint8Array | undefined;
}

/**
 * Selects the pages of a row group that have rows that may pass a filter. Returns undefined if the file has no page
 * index, or if it does not exclude enough rows.
 * @param rows the first row to read and the one after the last, and the number of all rows of the row group
 */
export async function selectedParts(
  file: RangedFile,
  group: RowGroup,
  chunks: readonly ColumnChunk[],
  tests: readonly ColumnTest[],
  rows: RowRange & { readonly all: number },
): Promise<SelectedParts | undefined> {
  let wanted: RowRange[] = [rows];
  const indexed = tests.flatMap((test) => {
    const { column_index_offset, column_index_length, offset_index_offset, offset_index_length } =
      group.columns[test.at] ?? {};
    const index = rangeOf(column_index_offset, column_index_length, file.size);
    const offsets = rangeOf(offset_index_offset, offset_index_length, file.size);
    const chunk = chunks.find(({ path }) => path.length === 1 && path[0] === test.element.name);
    return index === undefined || offsets === undefined || chunk === undefined ? [] : { test, index, offsets, chunk };
  });
  if (indexed.length === 0) return undefined;
  const read = await readRanges(
    file,
    indexed.flatMap(({ index, offsets }) => [index, offsets]),
  );
  for (const [i, { test, chunk }] of indexed.entries()) {
    const pages = indexedPages(read[2 * i + 1] as Uint8Array, rows.all, chunk);
    const passing = pages && rowsThatMayPass(read[2 * i] as Uint8Array, pages, test);
    if (passing !== undefined) wanted = commonRows(wanted, passing);
  }
  const count = wanted.reduce((sum, { from, to }) => sum + to - from, 0);
  if (count > MAX_PART * (rows.to - rows.from)) return undefined;
  const columns = await pagesOf(file, group, chunks, rows.all);
  return columns && new SelectedParts(file, columns, joined(wanted), rows.all);
}

/** Reads the offset indexes of columns. Returns undefined if one is missing or damaged. */
async function pagesOf(
  file: RangedFile,
  group: RowGroup,
  chunks: readonly ColumnChunk[],
  rows: number,
): Promise<ColumnPages[] | undefined> {
  const places = new Map(group.columns.map((column) => [column.meta_data?.path_in_schema.join('\0'), column]));
  const ranges = chunks.map(({ path }) => {
    const { offset_index_offset, offset_index_length } = places.get(path.join('\0')) ?? {};
    return rangeOf(offset_index_offset, offset_index_length, file.size);
  });
  if (ranges.includes(undefined)) return undefined;
  const indexes = await readRanges(file, ranges as Range[]);
  const columns: ColumnPages[] = [];
  for (const [i, chunk] of chunks.entries()) {
    const pages = indexedPages(indexes[i] as Uint8Array, rows, chunk);
    if (pages === undefined) return undefined;
    columns.push({ chunk, pages, dictionary: undefined });
  }
  return columns;
}

/** Rows of a row group that may pass a filter. */
export class SelectedParts {
  readonly #file: RangedFile;
  readonly #columns: readonly ColumnPages[];
  readonly #wanted: readonly RowRange[];
  readonly #all: number;

  /** @param all the number of rows of the row group */
  constructor(file: RangedFile, columns: readonly ColumnPages[], wanted: readonly RowRange[], all: number) {
    this.#file = file;
    this.#columns = columns;
    this.#wanted = wanted;
    this.#all = all;
  }

  /**
   * Reads the pages of the rows.
   * @param partBytes about how many bytes a part may have
   */
  async *read(partBytes: number): AsyncGenerator<RowGroupPart> {
    const total = this.#columns.reduce((sum, { chunk }) => sum + chunk.length, 0);
    const step = Math.max(1, Math.floor((this.#all * partBytes) / total));
    for (const { from, to } of this.#wanted) {
      for (let skip = from; skip < to; skip += step) {
        const end = Math.min(to, skip + step);
        yield { skip, rows: end - skip, ...(await this.#readRows(skip, end)) };
      }
    }
  }

  async #readRows(from: number, to: number) {
    const ranges: Range[] = [];
    const firstRows: number[] = [];
    for (const { chunk, pages, dictionary } of this.#columns) {
      const needed = pages.filter((page) => page.to > from && page.from < to);
      const [first, last] = [needed[0] as IndexedPage, needed.at(-1) as IndexedPage];
      // What is before the first page is the dictionary.
      const start = (pages[0] as IndexedPage).at;
      ranges.push({ from: chunk.from, length: dictionary === undefined ? start - chunk.from : 0 });
      ranges.push({ from: first.at, length: last.at + last.length - first.at });
      firstRows.push(first.from);
    }
    const read = await readRanges(this.#file, ranges);
    const pieces: Uint8Array[] = [];
    const columns: ColumnChunkPlace[] = [];
    let filled = 0;
    for (const [i, column] of this.#columns.entries()) {
      column.dictionary ??= Uint8Array.from(read[2 * i] as Uint8Array);
      const found = [column.dictionary, read[2 * i + 1] as Uint8Array];
      const length = found.reduce((sum, bytes) => sum + bytes.length, 0);
      const { path, codec } = column.chunk;
      columns.push({ path, codec, start: filled, length, firstRow: firstRows[i] as number });
      pieces.push(...found);
      filled += length;
    }
    return { bytes: new Uint8Array(Buffer.concat(pieces)), columns };
  }
}

/** Joins rows that are close together. */
function joined(rows: readonly RowRange[]): RowRange[] {
  const runs: { from: number; to: number }[] = [];
  for (const { from, to } of rows) {
    const last = runs.at(-1);
    if (last !== undefined && from - last.to <= GAP_ROWS) last.to = to;
    else runs.push({ from, to });
  }
  return runs;
}

/** Returns the bytes of an index; undefined if it is missing or outside the file. */
function rangeOf(offset: bigint | undefined, length: number | undefined, size: number): Range | undefined {
  const from = Number(offset ?? -1n);
  if (length === undefined || !(from >= 0 && length > 0 && from + length <= size)) return undefined;
  return { from, length };
}

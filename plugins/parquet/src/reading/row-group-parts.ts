import type { RangedFile } from 'headrace/storage';
import { type ColumnMetaData, type FileMetaData, parquetSchema, type SchemaTree } from 'hyparquet';
import { type PageHeader, readPageHeader } from './page-header.ts';
import { type ColumnChunkPlace, countRows } from './page-reader.ts';

/** Where a column chunk is in the file. */
export interface ColumnChunk extends Pick<ColumnMetaData, 'codec'> {
  readonly path: readonly string[];
  readonly from: number;
  readonly length: number;
  /** The bytes of the dictionary, which are the first ones. */
  readonly dictionary: number;
}

/** A part of the rows of a row group, with the bytes that contain them. */
export interface RowGroupPart {
  /** The number of rows of the row group before the part. */
  readonly skip: number;
  readonly rows: number;
  readonly bytes: Uint8Array;
  readonly columns: readonly ColumnChunkPlace[];
}

/** How much of a column is read with one request. */
const MIN_REQUEST_BYTES = 64 * 1024;
const MAX_REQUEST_BYTES = 4 * 1024 * 1024;
/** The header of a page is longer only if it has long statistics. */
const HEADER_BYTES = 4096;

/**
 * Reads rows of a row group in parts, page by page, so that a large row group is never in memory as a whole.
 * @param chunks the columns to read
 * @param rows the first row to read and the one after the last, and the number of all rows of the row group
 * @param partBytes about how many bytes a part has
 */
export async function* rowGroupParts(
  file: RangedFile,
  schema: FileMetaData['schema'],
  chunks: readonly ColumnChunk[],
  rows: { readonly from: number; readonly to: number; readonly all: number },
  partBytes: number,
): AsyncGenerator<RowGroupPart> {
  const total = chunks.reduce((sum, { length }) => sum + length, 0);
  const step = Math.max(1, Math.floor((rows.all * partBytes) / total));
  const request = Math.min(MAX_REQUEST_BYTES, Math.max(MIN_REQUEST_BYTES, Math.floor(partBytes / chunks.length)));
  const root = parquetSchema({ schema } as never);
  const columns = chunks.map((chunk) => new ColumnPages(file, chunk, pathOf(root, chunk.path), request));
  for (let skip = rows.from; skip < rows.to; skip += step) {
    const to = Math.min(rows.to, skip + step);
    const pieces: Uint8Array[] = [];
    const places: ColumnChunkPlace[] = [];
    let start = 0;
    for (const column of columns) {
      await column.advance(skip, to);
      const { path, codec } = column.chunk;
      const length = column.pieces.reduce((sum, piece) => sum + piece.length, 0);
      places.push({ path, codec, start, length, firstRow: column.firstRow });
      pieces.push(...column.pieces);
      start += length;
    }
    yield { skip, rows: to - skip, bytes: new Uint8Array(Buffer.concat(pieces)), columns: places };
  }
}

interface PageBytes {
  readonly bytes: Uint8Array;
  /** The number of rows of the row group that begin before the page, and up to its end. */
  readonly firstRow: number;
  readonly endRow: number;
}

/** Reads the pages of a column chunk in order, and keeps those of the current rows. */
class ColumnPages {
  readonly chunk: ColumnChunk;
  readonly #file: RangedFile;
  readonly #schemaPath: SchemaTree[];
  readonly #hasLists: boolean;
  readonly #request: number;
  readonly #end: number;
  /** The position of the next page in the file. */
  #at: number;
  #buffer = { from: 0, bytes: new Uint8Array() };
  #dictionary: Uint8Array | undefined;
  #pages: PageBytes[] = [];
  /** The number of rows that begin in the pages that were read. */
  #rows = 0;

  constructor(file: RangedFile, chunk: ColumnChunk, schemaPath: SchemaTree[], request: number) {
    this.#file = file;
    this.chunk = chunk;
    this.#schemaPath = schemaPath;
    this.#hasLists = schemaPath.some(({ element }, i) => i > 0 && element.repetition_type === 'REPEATED');
    this.#request = request;
    this.#at = chunk.from;
    this.#end = chunk.from + chunk.length;
  }

  /** The dictionary and the pages of the current rows. */
  get pieces(): Uint8Array[] {
    return [...(this.#dictionary === undefined ? [] : [this.#dictionary]), ...this.#pages.map(({ bytes }) => bytes)];
  }

  /** The number of rows that begin before the pages. */
  get firstRow(): number {
    return this.#pages[0]?.firstRow ?? this.#rows;
  }

  /** Reads the pages with the rows from `from` to before `to`, and forgets those before. */
  async advance(from: number, to: number): Promise<void> {
    this.#forget(from);
    // The list of the last row may continue in pages in which no row begins.
    while (this.#hasLists ? this.#rows <= to : this.#rows < to) {
      if (!(await this.#readPage())) break;
      this.#forget(from);
    }
  }

  #forget(from: number): void {
    while ((this.#pages[0]?.endRow ?? Number.POSITIVE_INFINITY) <= from) this.#pages.shift();
  }

  /** Returns false after the last page. */
  async #readPage(): Promise<boolean> {
    if (this.#at >= this.#end - 1) return false;
    const { header, bytes: headerBytes } = await this.#readHeader();
    const { size } = header;
    if (size < 0 || this.#at + headerBytes + size > this.#end) {
      throw new Error(`a page of ${size} bytes does not fit the column ${this.chunk.path.join('.')}`);
    }
    const next = this.#at + headerBytes + size;
    const bytes = await this.#bytes(this.#at, next);
    this.#at = next;
    if (header.kind === 'dictionary') this.#dictionary = bytes;
    else if (header.kind === 'data') {
      const rows = !this.#hasLists
        ? header.values
        : (header.version2?.rows ?? countRows(bytes.subarray(headerBytes), header, this.chunk.codec, this.#schemaPath));
      this.#pages.push({ bytes, firstRow: this.#rows, endRow: this.#rows + rows });
      this.#rows += rows;
    }
    return true;
  }

  async #readHeader(): Promise<{ header: PageHeader; bytes: number }> {
    for (let length = HEADER_BYTES; ; length *= 4) {
      const to = Math.min(this.#at + length, this.#end);
      const bytes = await this.#bytes(this.#at, to);
      const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
      try {
        return { header: readPageHeader(reader), bytes: reader.offset };
      } catch (error) {
        // Its end may be missing.
        if (to === this.#end) throw error;
      }
    }
  }

  async #bytes(from: number, to: number): Promise<Uint8Array> {
    const { from: start, bytes } = this.#buffer;
    if (from < start || to > start + bytes.length) {
      const end = Math.max(to, Math.min(this.#end, from + this.#request));
      this.#buffer = { from, bytes: (await this.#file.read(from, end)) as Uint8Array<ArrayBuffer> };
    }
    const offset = from - this.#buffer.from;
    return this.#buffer.bytes.subarray(offset, offset + to - from);
  }
}

/** Returns the elements of the schema from the root to a column. */
function pathOf(root: SchemaTree, path: readonly string[]): SchemaTree[] {
  const found = [root];
  for (const name of path) {
    const child = (found.at(-1) as SchemaTree).children.find(({ element }) => element.name === name);
    if (child === undefined) throw new Error(`the file has no column ${path.join('.')}`);
    found.push(child);
  }
  return found;
}

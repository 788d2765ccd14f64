import { gzipSync, zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { type ColumnType, columnElements, type SchemaElement, type WireCell, wireReader } from './column-type.ts';

/** A column of the file. */
export interface FileColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** The names of the compressions in the config. */
export const COMPRESSIONS = ['zstd', 'snappy', 'gzip', 'none'] as const;
export type Compression = (typeof COMPRESSIONS)[number];

const CODECS = { zstd: 'ZSTD', snappy: 'SNAPPY', gzip: 'GZIP', none: 'UNCOMPRESSED' } as const;

export interface RowGroupSettings {
  readonly columns: readonly FileColumn[];
  readonly compression: Compression;
  /** The number of rows of a row group. */
  readonly rowGroupSize: number;
}

/** A row group is written before its rows have more bytes as JSON. This limits the memory if rows are large. */
const MAX_GROUP_BYTES = 64 * 1024 ** 2;
const LINE_FEED = 10;

/** Collects rows, and writes a row group when there are enough. */
export class RowGroupWriter {
  readonly #columns: readonly FileColumn[];
  readonly #readers: readonly ReturnType<typeof wireReader>[];
  readonly #rowGroupSize: number;
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  readonly #bytes = new ByteWriter();
  readonly #parquet: ParquetWriter;
  readonly #decoder = new TextDecoder();
  /** The values of the next row group, by column. */
  #values: unknown[][];
  #rows = 0;
  #groupBytes = 0;
  /** The start of a row whose end has not arrived. */
  #rest = '';

  /** @param write appends bytes to the file; they are reused after it */
  constructor({ columns, compression, rowGroupSize }: RowGroupSettings, write: (bytes: Uint8Array) => Promise<void>) {
    this.#columns = columns;
    this.#readers = columns.map(({ type }) => wireReader(type));
    this.#rowGroupSize = rowGroupSize;
    this.#write = write;
    this.#values = columns.map(() => []);
    const schema: SchemaElement[] = [
      { name: 'schema', num_children: columns.length },
      ...columns.flatMap(({ name, type }) => columnElements(name, type)),
    ];
    this.#parquet = new ParquetWriter({
      writer: this.#bytes,
      schema,
      codec: CODECS[compression],
      compressors: { ZSTD: (bytes) => zstdCompressSync(bytes), GZIP: (bytes) => gzipSync(bytes) },
      createdBy: 'Headrace',
    });
  }

  /** Adds rows from `RowEncoder`. The pieces may end anywhere. */
  async add(pieces: readonly Uint8Array[]): Promise<void> {
    for (const piece of pieces) {
      const end = piece.lastIndexOf(LINE_FEED) + 1;
      const lines = this.#rest + this.#decoder.decode(piece.subarray(0, end), { stream: true });
      this.#rest = (end === 0 ? lines : '') + this.#decoder.decode(piece.subarray(end), { stream: true });
      if (end > 0) await this.#addLines(lines);
    }
  }

  /** Writes the last row group and the footer. */
  async finish(): Promise<void> {
    await this.#writeGroup();
    await this.#parquet.finish();
    await this.#flush();
  }

  async #addLines(lines: string): Promise<void> {
    const rows = JSON.parse(`[${lines.slice(0, -1).replaceAll('\n', ',')}]`) as (WireCell | WireCell[])[][];
    const bytesPerRow = lines.length / rows.length;
    for (let from = 0; from < rows.length; ) {
      const space = Math.ceil((MAX_GROUP_BYTES - this.#groupBytes) / bytesPerRow);
      const to = Math.min(rows.length, from + Math.min(this.#rowGroupSize - this.#rows, Math.max(1, space)));
      for (let column = 0; column < this.#readers.length; column++) {
        const read = this.#readers[column] as ReturnType<typeof wireReader>;
        const values = this.#values[column] as unknown[];
        for (let row = from; row < to; row++) values.push(read((rows[row] as WireCell[])[column] as WireCell));
      }
      this.#rows += to - from;
      this.#groupBytes += (to - from) * bytesPerRow;
      from = to;
      if (this.#rows >= this.#rowGroupSize || this.#groupBytes >= MAX_GROUP_BYTES) await this.#writeGroup();
    }
  }

  async #writeGroup(): Promise<void> {
    if (this.#rows === 0) return;
    const columnData = this.#columns.map(({ name }, i) => ({ name, data: this.#values[i] as unknown[] }));
    await this.#parquet.write({ columnData, rowGroupSize: this.#rows });
    this.#values = this.#columns.map(() => []);
    this.#rows = 0;
    this.#groupBytes = 0;
    await this.#flush();
  }

  async #flush(): Promise<void> {
    await this.#write(this.#bytes.getBytes());
    this.#bytes.index = 0;
  }
}

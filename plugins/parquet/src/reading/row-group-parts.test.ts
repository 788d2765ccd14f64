import { readFileSync } from 'node:fs';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { folder } from '../testing/read-documents.ts';
import { ParquetFile } from './parquet-file.ts';
import { RowGroupDecoder } from './row-group-decoder.ts';

interface Read {
  readonly json: string[];
  readonly parts: number;
  /** The size of the largest part. */
  readonly most: number;
  readonly rejected: string[];
}

/** Reads rows of all row groups of a file, in parts of about the given size. */
async function readParts(content: Uint8Array, idField: string, part: number, start = 0): Promise<Read> {
  const ranged = {
    size: content.length,
    read: async (from: number, to: number) => Uint8Array.prototype.slice.call(content, from, to),
    close: async () => {},
  };
  const file = await ParquetFile.open(ranged);
  const columns = file.columns.filter((name) => name !== idField);
  const convert = { decimals: 'auto', binaryAsText: false } as const;
  const options = { schema: file.metadata.schema, columns, idField, docIdPrefix: '', filter: [], convert };
  const read = { json: [] as string[], parts: 0, most: 0, rejected: [] as string[] };
  for (const group of file.rowGroups(start, [])) {
    const skip = Math.max(0, start - (group.firstRow - 1));
    const limits = { whole: part, part, indexed: ALL };
    for await (const found of file.read(group, new Set(file.columns), skip, group.rows - skip, [], limits)) {
      read.parts++;
      read.most = Math.max(read.most, found.bytes.length);
      const { bytes, ...rest } = found;
      const position = { path: 'file', rowGroup: group.number, firstRow: group.firstRow, ...rest };
      new RowGroupDecoder(options).decode(bytes, structuredClone(position), {
        document: (document) => void read.json.push(document.toJson()),
        reject: ({ message }) => void read.rejected.push(message),
        warn() {},
        notice() {},
      });
    }
  }
  return read;
}

const ALL = Number.MAX_SAFE_INTEGER;

describe('the parts of a large row group', () => {
  // Lists, maps, nulls and dictionaries; pages of both versions, which begin inside rows and at other rows in each column.
  it.each([
    ['groups.parquet', 'n', [1, 100, 500]],
    ['types-none-1.0.parquet', 'i', [1]],
    ['types-zstd-1.0.parquet', 'i', [1]],
    ['types-snappy-2.0.parquet', 'i', [1]],
    ['../pages/lists.parquet', 'id', [1, 1000, 5000]],
    ['../pages/lists-2.0.parquet', 'id', [1, 1000, 5000]],
  ])('have the rows of the whole of %s', async (name, id, sizes) => {
    const content = readFileSync(`${folder}${name}`);
    for (const start of [0, 1, 7]) {
      const whole = await readParts(content, id, ALL, start);
      for (const size of sizes) {
        const divided = await readParts(content, id, size, start);
        expect([divided.json, divided.rejected]).toEqual([whole.json, whole.rejected]);
        expect(start > 0 || divided.parts > whole.parts).toBe(true);
      }
    }
  });

  it('are much smaller than the row group', async () => {
    const writer = new ByteWriter();
    const texts = Array.from({ length: 20_000 }, (_, i) => `text ${i * 7919}`);
    const file = new ParquetWriter({
      writer,
      schema: [
        { name: 'root', num_children: 2 },
        { name: 'id', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
        { name: 'text', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
      ],
      codec: 'UNCOMPRESSED',
    });
    file.write({
      columnData: [
        { name: 'id', data: texts },
        { name: 'text', data: texts },
      ],
      pageSize: 4096,
    });
    file.finish();
    const content = new Uint8Array(writer.getBuffer());
    const { json, most } = await readParts(content, 'id', 20_000);
    expect(json).toHaveLength(20_000);
    expect(json[19_999]).toBe(`{"id":"text ${19_999 * 7919}","text":"text ${19_999 * 7919}"}`);
    expect(most).toBeLessThan(40_000);
  });

  it('are not made of a row group that is mostly a dictionary, which each part would have', async () => {
    const writer = new ByteWriter();
    const file = new ParquetWriter({
      writer,
      schema: [
        { name: 'root', num_children: 2 },
        { name: 'id', type: 'INT32', repetition_type: 'REQUIRED' },
        { name: 'text', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
      ],
      codec: 'UNCOMPRESSED',
    });
    const rows = Array.from({ length: 100 }, (_, i) => i);
    file.write({
      columnData: [
        { name: 'id', data: rows },
        { name: 'text', data: rows.map((i) => `${i % 5}`.repeat(10_000)) },
      ],
    });
    file.finish();
    const { json, parts } = await readParts(new Uint8Array(writer.getBuffer()), 'id', 5000);
    expect(json).toHaveLength(100);
    expect(parts).toBe(1);
  });

  it('report a page that does not fit its column', async () => {
    const content = readFileSync(`${folder}../pages/lists.parquet`);
    content.fill(0xff, 4, 24);
    await expect(readParts(content, 'id', 1000)).rejects.toThrow();
  });
});

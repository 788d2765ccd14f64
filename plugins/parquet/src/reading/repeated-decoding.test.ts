import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { RecordSink } from 'headrace/engine';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { beforeAll, describe, expect, it } from 'vitest';
import { folder } from '../testing/read-documents.ts';
import { ParquetFile } from './parquet-file.ts';
import type { Comparison } from './row-filter.ts';
import { RowGroupDecoder } from './row-group-decoder.ts';

interface Chunk {
  readonly bytes: Uint8Array;
  readonly position: object;
}

/** A source of chunks, and how they are decoded. */
interface Source {
  readonly chunks: readonly Chunk[];
  readonly options: ConstructorParameters<typeof RowGroupDecoder>[0];
}

async function sourceOf(content: Uint8Array, idField: string, filter: readonly Comparison[] = []): Promise<Source> {
  const read = async (from: number, to: number) => Uint8Array.prototype.slice.call(content, from, to);
  const file = await ParquetFile.open({ size: content.length, read, close: async () => {} });
  const chunks: Chunk[] = [];
  for (const group of file.rowGroups(0, [])) {
    for await (const { bytes, ...rest } of file.read(group, new Set(file.columns), 0, group.rows)) {
      chunks.push({ bytes, position: { path: 'f', rowGroup: group.number, firstRow: group.firstRow, ...rest } });
    }
  }
  const columns = file.columns.filter((name) => name !== idField);
  const convert = { decimals: 'auto', binaryAsText: false } as const;
  return { chunks, options: { schema: file.metadata.schema, columns, idField, docIdPrefix: '', filter, convert } };
}

/** What a sink has received. */
interface Received {
  readonly records: readonly string[];
  /** How many records were sent, with those that the sink ignored. */
  readonly sent: number;
}

/**
 * Decodes the chunks in passes, each from the start, as the engine does: a pass ends after a number of new records, also
 * inside a table.
 */
function decodeInPasses({ chunks, options }: Source, passes: readonly number[], takesTables: boolean): Received {
  const records: string[] = [];
  const decoder = new RowGroupDecoder(options);
  let sent = 0;
  for (let pass = 0, ended = false; !ended; pass++) {
    let seen = 0;
    let left = passes.length === 0 ? Number.POSITIVE_INFINITY : (passes[pass % passes.length] as number);
    const record = (text: () => string) => {
      sent++;
      if (seen++ < records.length || left === 0) return;
      left--;
      records.push(text());
    };
    const sink: RecordSink = {
      document: (document) => record(() => document.toJson()),
      ...(takesTables && {
        table: (table) => {
          for (let row = 0; row < table.count; row++) record(() => table.document(row).toJson());
        },
      }),
      reject: ({ place, message }) => record(() => `${place}: ${message}`),
      warn() {},
      notice() {},
      get known() {
        return Math.max(0, records.length - seen);
      },
      skip: (skipped) => {
        expect(skipped).toBeLessThanOrEqual(records.length - seen);
        seen += skipped;
      },
      get full() {
        return left === 0;
      },
    };
    for (const { bytes, position } of chunks) decoder.decode(bytes, position, sink);
    ended = left > 0;
  }
  return { records, sent };
}

const passes = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 5 });

describe('RowGroupDecoder in several passes', () => {
  it.each([
    ['groups.parquet', 'id', []],
    ['groups.parquet', 'id', [{ column: 'city', operator: 'eq', value: 'Rome' }]],
    ['groups.parquet', 'id', [{ column: 'n', operator: 'gt', value: 25 }]],
    ['types-none-1.0.parquet', 'i', []],
    ['../pages/lists.parquet', 'id', []],
    ['../pages/lists-2.0.parquet', 'id', [{ column: 'city', operator: 'ne', value: 'Rome' }]],
  ] as const)('sends the records of %s in the same order', async (name, id, filter) => {
    const source = await sourceOf(readFileSync(`${folder}${name}`), id, filter);
    const { records } = decodeInPasses(source, [], true);
    expect(records.length).toBeGreaterThan(2);
    fc.assert(
      fc.property(passes, fc.boolean(), (each, takesTables) => {
        const small = each.map((count) => 1 + (count % 40));
        expect(decodeInPasses(source, small, takesTables).records).toEqual(records);
      }),
      { numRuns: 20 },
    );
  });

  describe('over a large row group', () => {
    let source: Source;
    const rows = Array.from({ length: 20_000 }, (_, i) => i);

    beforeAll(async () => {
      const writer = new ByteWriter();
      const parquet = new ParquetWriter({
        writer,
        schema: [
          { name: 'root', num_children: 4 },
          { name: 'id', type: 'INT32', repetition_type: 'OPTIONAL' },
          { name: 'text', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
          { name: 'json', type: 'BYTE_ARRAY', converted_type: 'JSON', repetition_type: 'OPTIONAL' },
          { name: 'list', converted_type: 'LIST', num_children: 1, repetition_type: 'OPTIONAL' },
          { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
          { name: 'element', type: 'INT64', repetition_type: 'OPTIONAL' },
        ],
      });
      await parquet.write({
        columnData: [
          { name: 'id', data: rows.map((i) => (i % 5000 === 7 ? null : i)) },
          { name: 'text', data: rows.map((i) => (i % 3 === 0 ? null : `text ${i % 500}`)) },
          { name: 'json', data: rows.map((i) => ({ a: [i % 10] })) },
          { name: 'list', data: rows.map((i) => (i % 7 === 0 ? null : rows.slice(0, i % 5).map(BigInt))) },
        ],
        pageSize: 8192,
        rowGroupSize: rows.length,
      });
      await parquet.finish();
      source = await sourceOf(new Uint8Array(writer.getBuffer()), 'id');
    });

    it('sends the same records, and few of them again', () => {
      const whole = decodeInPasses(source, [], true);
      expect(whole.records[0]).toBe('f row 8: the id column id is null');
      fc.assert(
        fc.property(passes, (each) => {
          const counts = each.map((count) => count + 100);
          const { records, sent } = decodeInPasses(source, counts, true);
          expect(records).toEqual(whole.records);
          // A pass sends the rest of its last block, and at most this block again.
          expect(sent).toBeLessThanOrEqual(rows.length + 2 * 1024 * (1 + rows.length / Math.min(...counts)));
        }),
        { numRuns: 10 },
      );
    });

    it('passes on an error of the sink, and sends all records after it', () => {
      const decoder = new RowGroupDecoder(source.options);
      const [{ bytes, position }] = source.chunks as [Chunk];
      let [records, seen, tables] = [0, 0, 0];
      const ids: string[] = [];
      const count = (sent: number) => {
        seen += sent;
        records = Math.max(records, seen);
      };
      const sink: RecordSink = {
        document() {},
        table: (table) => {
          if (tables++ === 2) throw new Error('the sink is broken');
          ids.push(...table.ids);
          count(table.count);
        },
        reject: () => count(1),
        warn() {},
        notice() {},
        get known() {
          return records - seen;
        },
        skip: count,
      };
      expect(() => decoder.decode(bytes, position, sink)).toThrow('the sink is broken');
      expect(records).toBe(2048);
      seen = 0;
      decoder.decode(bytes, position, sink);
      expect(ids).toEqual(rows.filter((i) => i % 5000 !== 7).map(String));
    });

    it('sends objects that no other record shares, also after a change', () => {
      const decoder = new RowGroupDecoder(source.options);
      const [{ bytes, position }] = source.chunks as [Chunk];
      const texts: string[] = [];
      let [known, full] = [0, false];
      const sink: RecordSink = {
        document() {},
        table: (table) => {
          full = true;
          for (const value of table.column('json') ?? []) (value as Map<string, unknown[]>).get('a')?.push('changed');
          for (let row = 0; row < table.count; row++) texts.push(table.document(row).toJson());
        },
        reject() {},
        warn() {},
        notice() {},
        get known() {
          return known;
        },
        skip() {},
        get full() {
          return full;
        },
      };
      decoder.decode(bytes, position, sink);
      [known, full] = [5, false];
      decoder.decode(bytes, position, sink);
      expect(texts[10]).toBe('{"id":"11","text":"text 11","json":{"a":[1,"changed"]},"list":[0]}');
      expect(texts.slice(1023, 2046)).toEqual(texts.slice(0, 1023));
    });
  });

  it('reports a damaged page once', async () => {
    const content = readFileSync(`${folder}groups.parquet`);
    content.fill(0xff, 40, 80);
    const source = await sourceOf(content, 'id');
    const { records } = decodeInPasses(source, [], true);
    expect(records.filter((text) => text.includes('cannot be read'))).toHaveLength(1);
    expect(decodeInPasses(source, [3], true).records).toEqual(records);
  });
});

import { DocumentTable, type Value, writeDocument } from '@headrace/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyDocument, anyTable, anyText, DecodedRecords } from './any-document.test.lib.ts';
import { BatchDecoder, type BatchPosition } from './batch-decoder.ts';
import { BatchEncoder } from './batch-encoder.ts';
import { readFrames } from './frames.ts';
import { partitionOf } from './murmur2.ts';

const PLACE = 'topic t, partition 0, offset 7';

function decode(bytes: Uint8Array, only?: BatchPosition['only']): DecodedRecords {
  const decoded = new DecodedRecords();
  new BatchDecoder().decode(bytes, { place: PLACE, ...(only === undefined ? {} : { only }) }, decoded);
  return decoded;
}

function frames(...texts: readonly string[]): Buffer {
  return Buffer.from(texts.join(''));
}

const rowsOf = (table: DocumentTable) => Array.from({ length: table.count }, (_, row) => table.document(row));
/** The names and values of a document: JSON would not distinguish bytes from texts. */
const contentOf = ({ fieldNames, fieldValues }: { fieldNames: readonly string[]; fieldValues: readonly Value[] }) => ({
  fieldNames: [...fieldNames],
  fieldValues: [...fieldValues],
});

describe('documents in the format of Headrace', () => {
  it('are the same after encoding and decoding', () => {
    fc.assert(
      fc.property(fc.array(anyDocument, { maxLength: 5 }), fc.integer({ min: 1, max: 9 }), (documents, partitions) => {
        const encoder = new BatchEncoder({ partitions, maxBytes: 1e6 });
        const expected = documents.map(contentOf);
        const texts = documents.map(writeDocument);
        const decoded = decode(frames(...documents.map((document) => encoder.encode(document))));
        expect(decoded.documents.map(contentOf)).toEqual(expected);
        // `toEqual` ignores the order of the keys of nested objects. Their text does not.
        expect(decoded.documents.map(writeDocument)).toEqual(texts);
        expect(decoded.rejected).toEqual([]);
      }),
    );
  });

  it('are equal after a table is encoded and decoded, in order within each partition', () => {
    fc.assert(
      fc.property(anyTable, fc.integer({ min: 1, max: 5 }), (table, partitions) => {
        const rows = rowsOf(table);
        const decoded = decode(frames(...new BatchEncoder({ partitions, maxBytes: 1e6 }).encodeTable(table)));
        const sortedByPartition = (documents: typeof rows) =>
          documents.toSorted((a, b) => partitionOf(a.id, partitions) - partitionOf(b.id, partitions));
        const expected = sortedByPartition(rows);
        const found = sortedByPartition(decoded.documents);
        expect(found.map(contentOf)).toEqual(expected.map(contentOf));
        expect(found.map(writeDocument)).toEqual(expected.map(writeDocument));
        expect(decoded.rejected).toEqual([]);
      }),
    );
  });

  it('are all in frames of the partition of their id, with their number', () => {
    fc.assert(
      fc.property(anyTable, fc.integer({ min: 1, max: 5 }), (table, partitions) => {
        const encoder = new BatchEncoder({ partitions, maxBytes: 1e6 });
        const bytes = frames(...encoder.encodeTable(table), ...rowsOf(table).map((row) => encoder.encode(row)));
        for (const { partition, count, bytes: frame } of readFrames(bytes)) {
          const { documents } = decode(frame);
          expect(documents).toHaveLength(count);
          expect(documents.map(({ id }) => partitionOf(id, partitions))).toEqual(documents.map(() => partition));
        }
      }),
    );
  });

  it('can be decoded in ranges, which together are all of them', () => {
    fc.assert(
      fc.property(anyTable, fc.array(anyDocument, { maxLength: 3 }), fc.array(fc.nat(25)), (table, singles, cuts) => {
        const encoder = new BatchEncoder({ partitions: 1, maxBytes: 1e6 });
        const bytes = frames(...encoder.encodeTable(table), ...singles.map((single) => encoder.encode(single)));
        const all = decode(bytes).documents;
        const borders = [0, ...cuts.filter((cut) => cut < all.length).sort((a, b) => a - b), all.length];
        const parts = borders.slice(1).map((to, i) => decode(bytes, [borders[i] as number, to]));
        expect(parts.flatMap(({ documents }) => documents.map(contentOf))).toEqual(all.map(contentOf));
        // One by one: the engine counts the documents of a table together.
        expect(parts.flatMap(({ tables }) => tables)).toEqual([]);
      }),
    );
  });

  it('are equal after a decoded table is encoded again, whether its columns were read or not', () => {
    fc.assert(
      fc.property(fc.array(anyTable, { minLength: 1, maxLength: 4 }), fc.nat(6), (some, read) => {
        const encoder = new BatchEncoder({ partitions: 1, maxBytes: 1e6 });
        const { tables } = decode(frames(...some.flatMap((table) => encoder.encodeTable(table))));
        const again = tables.flatMap((table) => {
          for (const name of table.names.slice(0, read)) table.column(name);
          return encoder.encodeTable(table);
        });
        expect(decode(frames(...again)).documents.map(contentOf)).toEqual(some.flatMap(rowsOf).map(contentOf));
      }),
    );
  });

  it('are written as they were read if no stage has changed or removed them', () => {
    const encoder = new BatchEncoder({ partitions: 1, maxBytes: 1e6 });
    const { tables } = decode(
      frames(
        ...encoder.encodeTable(
          new DocumentTable(
            ['id', 'a', 'b'],
            [
              ['1', '2'],
              ['x', 'y'],
              ['p', 'q'],
            ],
            2,
          ),
        ),
      ),
    );
    const [table] = tables as [DocumentTable];
    table.set('a', ['X', 'Y'], false);
    table.rename('b', 'c');
    const { documents } = decode(frames(...encoder.encodeTable(table.select([1]))));
    expect(documents.map(contentOf)).toEqual([{ fieldNames: ['id', 'a', 'c'], fieldValues: ['2', 'Y', 'q'] }]);
    expect(decode(frames(...encoder.encodeTable(table))).documents.map(contentOf)).toEqual([
      { fieldNames: ['id', 'a', 'c'], fieldValues: ['1', 'X', 'p'] },
      { fieldNames: ['id', 'a', 'c'], fieldValues: ['2', 'Y', 'q'] },
    ]);
  });

  it('are split into several small frames if a table has much text, in the same order', () => {
    const ids = Array.from({ length: 64 }, (_, n) => `id-${n}`);
    const texts = ids.map((id) => id.padEnd(20_000, 'ü'));
    const table = new DocumentTable(['id', 'text'], [ids, texts], ids.length);
    const encoded = new BatchEncoder({ partitions: 1, maxBytes: 1e6 }).encodeTable(table);
    expect(encoded.length).toBeGreaterThan(3);
    for (const text of encoded) expect(text.length).toBeLessThan(300_000);
    const { documents } = decode(frames(...encoded));
    expect(documents.map(({ id }) => id)).toEqual(ids);
    expect(documents.map((document) => document.get('text'))).toEqual(texts);
  });

  it('stay in columns if they come from a table', () => {
    const table = new DocumentTable(
      ['id', 'n'],
      [
        ['a', 'b'],
        [1, 1],
      ],
      2,
    );
    const { tables } = decode(frames(...new BatchEncoder({ partitions: 1, maxBytes: 1e6 }).encodeTable(table)));
    expect(tables.map(({ count, names }) => ({ count, names }))).toEqual([{ count: 2, names: ['id', 'n'] }]);
  });
});

describe('a message that is not a valid batch', () => {
  const encoder = new BatchEncoder({ partitions: 1, maxBytes: 1e6 });
  const table = new DocumentTable(
    ['id', 'all', 'list', 'text'],
    [
      ['a', 'b', 'c'],
      [1, 1, 1],
      [1, 'x', null],
      ['ü', 'v', 'w'],
    ],
    3,
  );
  const whole = frames(...encoder.encodeTable(table), encoder.encode(table.document(0)));

  it('is rejected with its place, for any bytes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ minLength: 1 }), anyText.filter(Boolean).map(Buffer.from)), (bytes) => {
        const { documents, rejected } = decode(bytes);
        expect(documents).toEqual([]);
        expect(rejected[0]?.place).toContain(PLACE);
        expect(rejected[0]?.message).toMatch(/is not a batch of documents, or is truncated|cannot be decoded/);
      }),
    );
  });

  it('is rejected as a whole if it was truncated, at any length', () => {
    const border = encoder.encodeTable(table).reduce((sum, frame) => sum + Buffer.byteLength(frame), 0);
    for (let length = 1; length < whole.length; length++) {
      if (length === border) continue;
      const { documents, rejected } = decode(whole.subarray(0, length));
      expect([documents, rejected.length], `${length} bytes`).toEqual([[], 1]);
      expect(rejected[0]?.message).toMatch(/^The message is not a batch of documents, or is truncated at byte \d+$/);
    }
  });

  it('is decoded to documents with ids, or to errors, if some bytes were changed; decoding never throws', () => {
    const change = fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const bytes = Buffer.from(whole);
        for (const [at, byte] of changes) bytes[at] = byte;
        const { documents, rejected } = decode(bytes);
        for (const document of documents) {
          expect(document.id).toEqual(expect.stringMatching(/./s));
          expect(document.fieldNames).toHaveLength(document.fieldValues.length);
        }
        for (const { place, message } of rejected) {
          expect(place).toContain(PLACE);
          expect(message).not.toBe('');
        }
      }),
      { numRuns: 30 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });

  it.each([
    ['more documents than the memory can hold', '4000000000'],
    ['more documents than a column has', '9'],
    ['no document', '0'],
    ['half a document', '1.5'],
    ['fewer than no documents', '-1'],
    ['no number', 'x'],
  ])('is rejected if its first line says %s', (_, count) => {
    const head = '{"names":["id","n"],"columns":[{"all":"x"},{"list":[1,2,3]}]}\n';
    const { documents, rejected } = decode(Buffer.from(`0\t${count}\t${head.length}\n${head}`));
    expect(documents).toEqual([]);
    expect(rejected).toHaveLength(1);
  });

  it.each([
    ['no id', '{"names":["n"],"columns":[{"all":1}]}\n', 1],
    ['an id that is a number', '{"names":["id"],"columns":[{"all":1}]}\n', 1],
    ['an id that is null', '[["id"],[null]]\n', 1],
    ['a missing id', '{"names":["id"],"columns":[{"list":["a",{"u":1}]}]}\n', 2],
    ['more names than values', '[["id","n"],["a"]]\n', 1],
    ['more values than names', '[["id"],["a",1]]\n', 1],
    ['fewer columns than names', '{"names":["id","n"],"columns":[{"all":"a"}]}\n', 1],
    ['a value of no kind', '[["id","n"],["a",{"z":1}]]\n', 1],
    ['a head that is no object', '1\n', 1],
    ['a head that is null', 'null\n', 1],
    ['no end of the head', '[["id"],["a"]]', 1],
    ['texts that are too short', '{"names":["id"],"columns":[{"texts":9}]}\na', 1],
    ['texts that are too long', '{"names":["id"],"columns":[{"texts":1}]}\nab', 1],
    ['a column that is null', '{"names":["id"],"columns":[null]}\n', 1],
  ])('is rejected if its documents have %s', (_, payload, count) => {
    const { documents, rejected } = decode(Buffer.from(`0\t${count}\t${Buffer.byteLength(payload)}\n${payload}`));
    expect(documents.map(contentOf)).toEqual([]);
    expect(rejected).toHaveLength(1);
    expect(rejected[0]?.message).toMatch(/^(1 document|2 documents) cannot be decoded: /);
  });

  it.each([
    ['that cannot be read', 0, [5]],
    ['that was cut between two frames', 3, [2]],
  ])('and %s fails with all documents that its header counts', (_, complete, counts) => {
    const bytes = complete === 0 ? whole.subarray(0, 9) : frames(...encoder.encodeTable(table));
    const decoded = new DecodedRecords();
    new BatchDecoder().decode(bytes, { place: PLACE, count: 5 }, decoded);
    expect(decoded.documents).toHaveLength(complete);
    expect(decoded.rejected.map(({ count }) => count)).toEqual(counts);
  });

  it('fails only with the wanted documents', () => {
    const decoded = new DecodedRecords();
    new BatchDecoder().decode(whole.subarray(0, 9), { place: PLACE, count: 5, only: [1, 3] }, decoded);
    expect(decoded.rejected.map(({ count }) => count)).toEqual([2]);
  });

  it('does not hide the other frames of its message', () => {
    const bad = '0\t1\t3\n{}\n';
    const { documents, rejected } = decode(frames(bad, encoder.encode(table.document(1)), bad));
    expect(documents.map(({ id }) => id)).toEqual(['b']);
    expect(rejected.map(({ place }) => place)).toEqual([`${PLACE}, document 0`, `${PLACE}, document 2`]);
  });
});

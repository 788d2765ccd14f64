import { Document, DocumentTable } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { DecodedRecords } from './any-document.test.lib.ts';
import { BatchDecoder } from './batch-decoder.ts';
import { BatchEncoder } from './batch-encoder.ts';

const encoder = new BatchEncoder({ partitions: 1, maxBytes: 1e6 });

/** Returns the frames of a table whose rows have the numbers `[from, to)`. */
function frames(from: number, to: number, field = 'text', text = ''): string {
  const ids = Array.from({ length: to - from }, (_, i) => `id-${from + i}`);
  const texts = ids.map((id) => id + text);
  return encoder.encodeTable(new DocumentTable(['id', field], [ids, texts], ids.length)).join('');
}

function decode(...parts: readonly string[]): DecodedRecords {
  const decoded = new DecodedRecords();
  new BatchDecoder().decode(Buffer.from(parts.join('')), { place: 'p' }, decoded);
  return decoded;
}

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `id-${from + i}`);

describe('the rows of successive frames', () => {
  it('form one table, if they have the same fields', () => {
    const { tables, documents } = decode(frames(0, 25), frames(25, 50), frames(50, 75));
    expect(tables.map(({ count }) => count)).toEqual([75]);
    expect(documents.map(({ id }) => id)).toEqual(ids(0, 75));
    expect(documents.map((document) => document.get('text'))).toEqual(ids(0, 75));
  });

  it('stay in separate tables, if they have different fields', () => {
    const { tables, documents } = decode(frames(0, 2), frames(2, 4, 'other'), frames(4, 6));
    expect(tables.map(({ names }) => names)).toEqual([
      ['id', 'text'],
      ['id', 'other'],
      ['id', 'text'],
    ]);
    expect(documents.map(({ id }) => id)).toEqual(ids(0, 6));
  });

  it('form tables of a limited number of rows and characters', () => {
    const rows = Array.from({ length: 40 }, (_, i) => frames(i * 20, (i + 1) * 20));
    const texts = Array.from({ length: 8 }, (_, i) => frames(i * 2, (i + 1) * 2, 'text', 'x'.repeat(5000)));
    expect(decode(...rows).tables.map(({ count }) => count)).toEqual([240, 240, 240, 80]);
    expect(decode(...texts).tables.map(({ count }) => count)).toEqual([6, 6, 4]);
  });

  it('keep missing values', () => {
    const sparse = new DocumentTable(
      ['id', 'text'],
      [
        ['a', 'b'],
        ['x', undefined],
      ],
      2,
      [false, true],
    );
    const { documents, tables } = decode(frames(0, 1), encoder.encodeTable(sparse).join(''));
    expect(tables).toHaveLength(1);
    expect(documents.map((document) => [document.id, document.has('text')])).toEqual([
      ['id-0', true],
      ['a', true],
      ['b', false],
    ]);
  });

  it('are sent before a document and an error that follow them', () => {
    const single = encoder.encode(Document.create('single'));
    const order: string[] = [];
    const damaged = '0\t3\t5\nwrong';
    new BatchDecoder().decode(
      Buffer.from([frames(0, 2), frames(2, 4), single, frames(4, 6), damaged, frames(6, 7)].join('')),
      { place: 'p' },
      {
        document: ({ id }) => void order.push(id),
        table: (table) => void order.push(table.ids.join(' ')),
        reject: ({ place, count }) => void order.push(`${place}: ${count}`),
        warn: () => undefined,
        notice: () => undefined,
      },
    );
    expect(order).toEqual(['id-0 id-1 id-2 id-3', 'single', 'id-4 id-5', 'p, document 7: 3', 'id-6']);
  });
});

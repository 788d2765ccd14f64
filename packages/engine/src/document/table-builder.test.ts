import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Document } from './document.ts';
import type { DocumentTable } from './document-table.ts';
import { writeDocument } from './json-writer.ts';
import { readDocument } from './read-document.ts';
import { TableBuilder } from './table-builder.ts';

const toDocument = (content: object): Document => readDocument(JSON.stringify(content));
const rowsOf = (table: DocumentTable) =>
  Array.from({ length: table.count }, (_, row) => JSON.parse(writeDocument(table.document(row))));

describe('TableBuilder', () => {
  it('builds columns, with the positions of the documents in their batch', () => {
    const builder = new TableBuilder();
    expect(builder.add(toDocument({ id: '1', a: 1 }), 4)).toBe(true);
    expect(builder.add(toDocument({ id: '2', a: 2 }), 7)).toBe(true);
    expect(builder.count).toBe(2);
    const table = builder.take();
    expect([table.ids, table.column('a')]).toEqual([
      ['1', '2'],
      [1, 2],
    ]);
    expect([table.position(0), table.position(1)]).toEqual([4, 7]);
    expect(builder.count).toBe(0);
  });

  it('leaves cells empty where documents lack a field', () => {
    const builder = new TableBuilder();
    const documents = [{ id: '1', a: 1 }, { id: '2', b: 2 }, { id: '3' }];
    for (const [at, document] of documents.entries()) expect(builder.add(toDocument(document), at)).toBe(true);
    const table = builder.take();
    expect(table.column('a')).toEqual([1, undefined, undefined]);
    expect(rowsOf(table)).toEqual(documents);
  });

  it('refuses a document whose fields have another order, and accepts it in the next table', () => {
    const builder = new TableBuilder();
    const other = toDocument({ id: '2', b: 2, a: 1 });
    expect(builder.add(toDocument({ id: '1', a: 1, b: 2 }), 0)).toBe(true);
    expect(builder.add(other, 1)).toBe(false);
    expect(rowsOf(builder.take())).toEqual([{ id: '1', a: 1, b: 2 }]);
    expect(builder.add(other, 1)).toBe(true);
    expect(Object.keys(rowsOf(builder.take())[0])).toEqual(['id', 'b', 'a']);
  });

  it('refuses a document that would make most cells empty', () => {
    const builder = new TableBuilder();
    const wide = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`a${i}`, i]));
    expect(builder.add(toDocument({ id: '1', ...wide }), 0)).toBe(true);
    expect(builder.add(toDocument({ id: '2', b: 1 }), 1)).toBe(false);
    expect(builder.count).toBe(1);
  });

  it('changes no document, for any fields', () => {
    const content = fc
      .subarray([...'abcdefghij'])
      .map((names) => Object.fromEntries(names.map((name) => [name, name])));
    fc.assert(
      fc.property(fc.array(content, { minLength: 1, maxLength: 20 }), (contents) => {
        const builder = new TableBuilder();
        const documents = contents.map((fields, i) => ({ id: String(i), ...fields }));
        const rows: unknown[] = [];
        for (const [at, document] of documents.entries()) {
          if (builder.add(toDocument(document), at)) continue;
          rows.push(...rowsOf(builder.take()));
          expect(builder.add(toDocument(document), at)).toBe(true);
        }
        rows.push(...rowsOf(builder.take()));
        expect(rows).toEqual(documents);
      }),
    );
  });
});

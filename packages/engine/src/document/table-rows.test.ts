import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Document, UpdateMode } from './document.ts';
import { DocumentTable } from './document-table.ts';
import { GroupBuilder, TableGroup } from './table-group.ts';
import type { Value } from './value.ts';

/** A change of a document, and the name of the field that it uses. */
type Change = (document: Document) => unknown;

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const value = fc.oneof(fc.integer(), fc.constantFrom<Value>('x', null, true), fc.array(fc.integer(), { maxLength: 2 }));
const mode = fc.constantFrom<UpdateMode>('overwrite', 'append', 'skip');
/** Returns a copy, because a document owns its values. */
const own = (value: Value): Value => (Array.isArray(value) ? [...value] : value);

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(name, value).map(
    ([at, value]): Change =>
      (document) =>
        document.set(at, own(value)),
  ),
  fc.tuple(name, value).map(
    ([at, value]): Change =>
      (document) =>
        document.add(at, own(value)),
  ),
  fc.tuple(name, value).map(
    ([at, value]): Change =>
      (document) =>
        document.setOrAdd(at, own(value)),
  ),
  fc.tuple(name, mode, fc.array(value, { maxLength: 2 })).map(
    ([at, mode, values]): Change =>
      (document) =>
        document.update(at, mode, values.map(own)),
  ),
  name.map(
    (at): Change =>
      (document) =>
        document.remove(at),
  ),
  fc.tuple(name, name, mode).map(
    ([from, to, mode]): Change =>
      (document) =>
        document.rename(from, to, mode),
  ),
  name.map(
    (at): Change =>
      (document) =>
        document.removeDuplicates(at, undefined),
  ),
  // A list is changed in place.
  name.map(
    (at): Change =>
      (document) => {
        const list = document.get(at);
        if (Array.isArray(list)) list.push(0);
      },
  ),
  fc.constant<Change>((document) => document.toJson()),
  // From here on, the document has its own values.
  fc.constant<Change>((document) => document.toObject()),
  fc.tuple(name, value).map(
    ([at, value]): Change =>
      (document) => {
        const place = document.fieldNames.indexOf(at);
        if (place >= 0) document.fieldValues[place] = own(value);
      },
  ),
  name.map(
    (at): Change =>
      (document) => [document.get(at), document.has(at), document.length(at), document.id],
  ),
);

/** Returns what a document returns about each field, without a copy of its values. */
const fieldsOf = (document: Document) =>
  [...'abcde'].map((at) => [document.get(at), document.has(at), document.length(at), document.texts(at)]);

function tableOf(rows: readonly (readonly (Value | undefined)[])[]): DocumentTable {
  const names = ['id', 'a', 'b', 'c'];
  const columns = names.map((_, at) => rows.map((row, i) => (at === 0 ? `${i}` : row[at - 1])));
  const sparse = columns.map((column) => column.includes(undefined));
  return new DocumentTable(
    names,
    columns.map((column) => column.map((value) => own(value as Value))) as never,
    rows.length,
    sparse,
  );
}

const cell = fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: fc.constant(undefined) });
const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 });

describe('documents of a table', () => {
  it('change as documents with their own values do, and form tables again', () => {
    fc.assert(
      fc.property(rows, fc.infiniteStream(fc.array(change, { maxLength: 4 })), (rows, changes) => {
        const plain = tableOf(rows);
        const group = new TableGroup([tableOf(rows)]);
        const builder = new GroupBuilder(group);
        const expected: Document[] = [];
        const kept: Document[] = [];
        const groups: TableGroup[] = [];
        group.each((_, row, number) => {
          const document = builder.document(number, row);
          const copy = plain.document(row);
          for (const apply of changes.next().value) {
            expect(apply(document)).toEqual(apply(copy));
            expect(fieldsOf(document)).toEqual(fieldsOf(copy));
          }
          if (copy.has('d') && copy.has('e')) return;
          if (!builder.add(document, row, false, number, row)) {
            groups.push(builder.take());
            expect(builder.add(document, row, false, number, row)).toBe(true);
          }
          expected.push(copy);
          kept.push(document);
        });
        groups.push(builder.take());
        const texts: string[] = [];
        for (const each of groups) each.each((table, row) => texts.push(table.document(row).toJson()));
        expect(texts).toEqual(expected.map((document) => document.toJson()));
        // The documents stay valid, and their changes no longer affect the tables.
        for (const document of kept) {
          document.set('a', 'late');
          document.remove('b');
        }
        texts.length = 0;
        for (const each of groups) each.each((table, row) => texts.push(table.document(row).toJson()));
        expect(texts).toEqual(expected.map((document) => document.toJson()));
        expect(kept.map((document) => document.get('c'))).toEqual(expected.map((document) => document.get('c')));
      }),
    );
  });

  it('share the columns that no document changes', () => {
    const table = tableOf([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const [a, b] = [table.column('a'), table.column('b')];
    const builder = new GroupBuilder(new TableGroup([table]));
    for (const row of [0, 1]) {
      const document = builder.document(0, row);
      document.set('b', 0);
      document.set('d', document.length('a'));
      builder.add(document, row, false, 0, row);
    }
    const [changed] = builder.take().tables as [DocumentTable];
    expect(changed.names).toEqual(['id', 'a', 'b', 'c', 'd']);
    expect(changed.column('a')).toBe(a);
    expect([b, changed.column('b')]).toEqual([
      [2, 5],
      [0, 0],
    ]);
  });

  it('stay rows of the table if only their JSON is asked for', () => {
    const builder = new GroupBuilder(
      new TableGroup([
        tableOf([
          [1, 2, 3],
          [4, undefined, 'x'],
        ]),
      ]),
    );
    const documents = [0, 1].map((row) => builder.document(0, row));
    (documents[0] as Document).set('d', null);
    expect(documents.map((document) => document.toJson())).toEqual([
      '{"id":"0","a":1,"b":2,"c":3,"d":null}',
      '{"id":"1","a":4,"c":"x"}',
    ]);
    for (const [row, document] of documents.entries()) builder.add(document, row, false, 0, row);
    expect(builder.copied).toBe(0);
  });

  it('hold a value that a table cannot hold', () => {
    const builder = new GroupBuilder(new TableGroup([tableOf([[1, 2, 3]])]));
    const document = builder.document(0, 0);
    document.set('d', undefined as never);
    expect([document.has('d'), document.get('d'), document.get('a')]).toEqual([true, undefined, 1]);
  });
});

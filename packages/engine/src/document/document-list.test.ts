import { describe, expect, it } from 'vitest';
import { DocumentList } from './document-list.ts';
import { writeDocument } from './json-writer.ts';
import { readDocument } from './read-document.ts';
import { SourceText } from './source-text.ts';

function listOf(...documents: readonly object[]): DocumentList {
  const list = new DocumentList(0);
  for (const document of documents) list.add(readDocument(JSON.stringify(document)));
  return list;
}

const wide = (prefix: string) => Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${prefix}${i}`, i]));

/** Returns the ids of the documents in each table of each group. */
function idsOf(list: DocumentList) {
  return list.groups()?.map(({ tables }) => tables.map(({ ids }) => ids.join()));
}

describe('DocumentList', () => {
  it.each([
    ['all texts come from texts without escapes', ['{"a":"x"}', '{"a":"y"}'], [true, false, false]],
    ['one of the texts has an escape', ['{"a":"x"}', '{"a":"\\n"}'], [false, false, false]],
    ['the origin of one document is unknown', ['{"a":"x"}', undefined], [false, false, false]],
  ])('knows which fields need no escapes if %s', (_case, texts, plain) => {
    const list = new DocumentList(0);
    for (const [i, text] of texts.entries()) {
      const document = readDocument(JSON.stringify({ id: `${i}`, number: i, list: ['"'] }));
      document.set('a', text === undefined ? '"' : JSON.parse(text).a);
      list.add(document, text === undefined ? undefined : new SourceText(text, []));
    }
    const table = list.groups()?.[0]?.tables[0];
    expect(['a', 'number', 'list'].map((name) => table?.isPlain(name))).toEqual(plain);
    table?.put('a', ['"', '"'], false);
    expect(table?.isPlain('a')).toBe(false);
  });

  it('returns one table for documents that lack some fields', () => {
    expect(idsOf(listOf({ id: '1', a: 1 }, { id: '2', b: 2 }, { id: '3', a: 3, b: 4 }))).toEqual([['1,2,3']]);
  });

  it('returns a table for each order of the fields', () => {
    const list = listOf({ id: '1', a: 1, b: 2 }, { id: '2', b: 2, a: 1 }, { id: '3', a: 3, b: 1 });
    expect(idsOf(list)).toEqual([['1,3', '2']]);
  });

  it('returns another table where most cells would be empty', () => {
    const list = listOf({ id: '1', ...wide('a') }, { id: '2', ...wide('b') }, { id: '3', x: 1 });
    expect(idsOf(list)).toEqual([['1,2', '3']]);
  });

  it('starts another group after four tables', () => {
    const orders = ['abc', 'acb', 'bac', 'bca', 'cab', 'abc'];
    const documents = orders.map((names, i) => ({ id: `${i}`, ...Object.fromEntries([...names].map((n) => [n, 1])) }));
    expect(idsOf(listOf(...documents))).toEqual([
      ['0', '1', '2', '3'],
      ['4', '5'],
    ]);
  });

  it('returns no group if its receiver wants none, and keeps the documents', () => {
    const orders = ['abc', 'acb', 'bac', 'bca', 'cab'];
    const documents = orders.map((names, i) => ({ id: `${i}`, ...Object.fromEntries([...names].map((n) => [n, 1])) }));
    const list = listOf(...documents);
    const counts: number[] = [];
    expect(list.groups((count) => counts.push(count) < 1)).toBeUndefined();
    expect(counts).toEqual([4]);
    expect(documents.map((_, row) => writeDocument(list.document(row)))).toEqual(
      documents.map((document) => JSON.stringify(document)),
    );
  });
});

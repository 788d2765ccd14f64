import { describe, expect, it } from 'vitest';
import { DocumentList } from './document-list.ts';
import { writeDocument } from './json-writer.ts';
import { readDocument } from './read-document.ts';

function listOf(...documents: readonly object[]): DocumentList {
  const list = new DocumentList(0);
  for (const document of documents) list.add(readDocument(JSON.stringify(document)));
  return list;
}

const wide = (prefix: string) => Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${prefix}${i}`, i]));

describe('DocumentList', () => {
  it('returns one table for documents that lack some fields', () => {
    const tables = listOf({ id: '1', a: 1 }, { id: '2', b: 2 }, { id: '3', a: 3, b: 4 }).tables();
    expect(tables?.map(({ count }) => count)).toEqual([3]);
  });

  it('starts another table where the order of the fields differs', () => {
    const tables = listOf({ id: '1', a: 1, b: 2 }, { id: '2', b: 2, a: 1 }, { id: '3', b: 3, a: 1 }).tables();
    expect(tables?.map(({ count }) => count)).toEqual([1, 2]);
  });

  it('starts another table where most cells would be empty', () => {
    const tables = listOf({ id: '1', ...wide('a') }, { id: '2', ...wide('b') }, { id: '3', x: 1 }).tables();
    expect(tables?.map(({ count }) => count)).toEqual([2, 1]);
  });

  it('returns no table if its receiver wants none, and keeps the documents', () => {
    const list = listOf({ id: '1', a: 1, b: 2 }, { id: '2', b: 2, a: 1 });
    const counts: number[] = [];
    expect(list.tables((count) => counts.push(count) < 1)).toBeUndefined();
    expect(counts).toEqual([1]);
    expect([0, 1].map((row) => writeDocument(list.document(row)))).toEqual([
      '{"id":"1","a":1,"b":2}',
      '{"id":"2","b":2,"a":1}',
    ]);
  });
});

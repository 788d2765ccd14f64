import fc from 'fast-check';
import { expect, it } from 'vitest';
import { upsertGroups } from './upsert-groups.ts';

const documents = fc.array(
  fc.record({ id: fc.constantFrom('1', '2', '3'), a: fc.nat(9), b: fc.nat(9) }, { requiredKeys: ['id'] }),
);

it('upsertGroups keeps the versions of a document in order, and groups documents with the same fields', () => {
  fc.assert(
    fc.property(documents, (given) => {
      const texts = given.map((document, i) => JSON.stringify({ ...document, i }));
      const groups = upsertGroups(texts, 'id', ['a', 'b']);
      for (const group of groups) {
        for (const text of group.texts) {
          const document = JSON.parse(text) as object;
          expect(['a', 'b'].filter((name) => Object.hasOwn(document, name))).toEqual(group.given);
        }
      }
      const of = (id: string, some: readonly string[]) =>
        some.map((text) => JSON.parse(text) as { id: string; i: number }).filter((document) => document.id === id);
      const sent = groups.flatMap((group) => group.texts);
      expect(sent.toSorted()).toEqual(texts.toSorted());
      for (const id of ['1', '2', '3']) expect(of(id, sent)).toEqual(of(id, texts));
    }),
  );
});

it('upsertGroups creates one group for alternating documents', () => {
  const texts = Array.from({ length: 100 }, (_, i) => JSON.stringify({ id: `${i}`, ...(i % 2 === 0 ? { a: i } : {}) }));
  expect(upsertGroups(texts, 'id', ['a'])).toHaveLength(2);
  expect(upsertGroups(texts, 'id', [])).toEqual([{ given: [], texts }]);
});

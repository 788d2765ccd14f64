import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NameFinder } from './name-finder.ts';

const names = fc.constantFrom('a', 'b', 'title', 'brand', 'a longer name than others', 'missing');

it('finds each name at its position, in any order of questions', () => {
  fc.assert(
    fc.property(fc.uniqueArray(names), fc.array(fc.tuple(names, fc.boolean())), (known, questions) => {
      const list = [...known];
      const finder = new NameFinder(list);
      for (const [name, adds] of questions) {
        if (adds && !list.includes(name)) expect(finder.add(name)).toBe(list.push(name) - 1);
        // Some questions use another string of the same text.
        expect(finder.find(adds ? name : [...name].join(''))).toBe(list.indexOf(name));
      }
      expect(finder.count).toBe(list.length);
    }),
  );
});

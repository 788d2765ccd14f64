import { applyChanges, type PlainValue, toValue } from '@headrace/hocon';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changeValue } from './change-value.ts';
import { ParsedConfig } from './parsed-config.ts';

const TEXT = `stage {
  fields: [
    # the title
    title
    name // of a person
  ]
  conditions: [
    # only books
    { fields: [kind], values: [book] } # all of them
    { fields: [lang], values: [en, de] }
  ]
  fieldMapping {
    # from the source
    a: b
    c: d # twice
  }
}
`;

function changed(text: string, key: string, value: PlainValue): string {
  return applyChanges(text, changeValue(new ParsedConfig(text), ['stage', key], value));
}

it('an element that is added to a list, changed or removed leaves the comments of the others', () => {
  expect(changed(TEXT, 'fields', ['title', 'isbn', 'name'])).toBe(TEXT.replace('name //', 'isbn\n    name //'));
  expect(changed(TEXT, 'fields', ['title', 'author'])).toBe(TEXT.replace('name //', 'author //'));
  expect(changed(TEXT, 'fields', ['name'])).toBe(TEXT.replace('    # the title\n    title\n', ''));
});

it('a value inside an element of a list is changed in place', () => {
  const after = [
    { fields: ['kind'], values: ['book', 'map'] },
    { fields: ['lang'], values: ['en'] },
  ];
  expect(changed(TEXT, 'conditions', after)).toBe(TEXT.replace('[book]', '[book, map]').replace('[en, de]', '[en]'));
});

it('a key that is added to an object, changed or removed leaves the comments of the others', () => {
  expect(changed(TEXT, 'fieldMapping', { a: 'x', c: 'd', e: 'f' })).toBe(
    TEXT.replace('a: b', 'a: x').replace('# twice\n', '# twice\n    e: f\n'),
  );
  expect(changed(TEXT, 'fieldMapping', { c: 'd' })).toBe(TEXT.replace('    # from the source\n    a: b\n', ''));
});

it('a list that comes from a substitution is replaced as a whole', () => {
  const shared = 'all: [a, b]\nstage { fields: ${all} }\n';
  expect(changed(shared, 'fields', ['a'])).toBe('all: [a, b]\nstage { fields: [a] }\n');
});

it('any value can be changed to any other value', () => {
  const value: fc.Arbitrary<PlainValue> = fc.letrec<{ value: PlainValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('a', 'b', 1, true),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('x', 'y', 'z'), tie('value'), { noNullPrototype: true }),
    ),
  })).value;
  fc.assert(
    fc.property(value, value, (before, after) => {
      const text = `stage { key: ${JSON.stringify(before, null, 2)} }\n`;
      const edited = new ParsedConfig(changed(text, 'key', after));
      expect(edited.problems).toEqual([]);
      expect(toValue(edited.nodeAt(['stage', 'key'])!)).toEqual(after);
    }),
  );
});

it('a list keeps the comments of the elements that stay, for any edit', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(30), { maxLength: 8 }), fc.uniqueArray(fc.nat(30), { maxLength: 8 }), (a, b) => {
      const [before, after] = [a, b].map((numbers) => numbers.toSorted((x, y) => x - y).map((n) => `f${n}`)) as [
        string[],
        string[],
      ];
      const text = `stage { fields: [\n${before.map((name) => `  # about ${name}\n  ${name}\n`).join('')}] }\n`;
      const edited = changed(text, 'fields', after);
      for (const name of after.filter((one) => before.includes(one)))
        expect(edited).toMatch(new RegExp(`# about ${name}\\n\\s*${name}\\b`));
    }),
  );
});

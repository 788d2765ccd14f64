import { unicodeText } from '@headrace/testing/unicode-text';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readArray } from './array-text.ts';

const text = (value: string) => value;

it.each([
  ['{}', []],
  ['{1,2,3}', ['1', '2', '3']],
  ['{NULL,"NULL",null}', [null, 'NULL', 'null']],
  ['{"a b","c\\"d","e\\\\f",""}', ['a b', 'c"d', 'e\\f', '']],
  [
    '{{1,2},{3,4}}',
    [
      ['1', '2'],
      ['3', '4'],
    ],
  ],
  ['[2:3]={a,b}', ['a', 'b']],
  ['{"{x}","y,z"}', ['{x}', 'y,z']],
])('reads the array %s', (array, expected) => {
  expect(readArray(array, text)).toEqual(expected);
});

it('reads every list of texts with the quotes of Postgres', () => {
  fc.assert(
    fc.property(fc.array(fc.option(unicodeText())), (values) => {
      const quoted = values.map((value) =>
        value === null ? 'NULL' : `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`,
      );
      expect(readArray(`{${quoted.join(',')}}`, text)).toEqual(values);
    }),
  );
});

import { expect, it } from 'vitest';
import { freeName, storedName } from './file-names.ts';

it.each([
  ['products.csv', 'products.csv'],
  ['Müller & Söhne.csv', 'Muller - Sohne.csv'],
  ['価格.jsonl', 'file.jsonl'],
  ['.hidden', 'file.hidden'],
  ['../../etc/passwd', 'etc-passwd'],
  ['a/b\\c.csv', 'a-b-c.csv'],
  ['two words (1).json', 'two words (1).json'],
  ['ends with a dot. ', 'ends with a dot'],
  ['', 'file'],
  [`${'a'.repeat(200)}.csv`, `${'a'.repeat(124)}.csv`],
])('the file %j is stored as %j', (name, stored) => {
  expect(storedName(name)).toBe(stored);
});

it('a second file of the same name gets a number', () => {
  expect(freeName('products.csv', new Set(['products.csv']))).toBe('products (2).csv');
  expect(freeName('products.csv', new Set(['products.csv', 'products (2).csv']))).toBe('products (3).csv');
  expect(freeName('data', new Set())).toBe('data (2)');
  expect(freeName(`${'a'.repeat(124)}.csv`, new Set())).toBe(`${'a'.repeat(120)} (2).csv`);
});

import { writeValue } from '@headrace/engine';
import { expect, it } from 'vitest';
import { exactDecimal, isExact } from './exact-decimal.ts';

it.each([
  ['12.50', '12.5'],
  ['-0.10', '-0.1'],
  ['12', '12.0'],
  ['0.00000000000000000000', '0.0'],
  ['12345678901234.5600000000', '1.234567890123456E13'],
  ['9007199254740993', '9007199254740993'],
  ['-123456789012345678901234567890.000', '-123456789012345678901234567890'],
  ['1234567890123456789012345678.1234567890', '"1234567890123456789012345678.1234567890"'],
  ['0.1000000000000000055511151231257827', '"0.1000000000000000055511151231257827"'],
  ['100000000000000000000', '1.0E20'],
])('keeps all digits of %s', (text, expected) => {
  expect(writeValue(exactDecimal(text))).toBe(expected);
});

it('finds decimals that a double does not hold', () => {
  const exact = (text: string) => isExact(text, Number(text));
  expect(exact('0.1234567890123456')).toBe(true);
  expect(exact('0.123456789012345678')).toBe(false);
  expect(exact('0.0000000000000000000000001')).toBe(true);
  expect(exact('Infinity')).toBe(true);
});

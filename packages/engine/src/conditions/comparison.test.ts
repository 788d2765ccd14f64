import fc from 'fast-check';
import { expect, it } from 'vitest';
import { comparison } from './comparison.ts';

const two = (most: number) => fc.integer({ min: 0, max: most }).map((number) => `${number}`.padStart(2, '0'));
const year = fc.constantFrom('0000', '0001', '0099', '1900', '1969', '1970', '2000', '2024', '9999');

it('compares dates with and without an offset as the same instants', () => {
  fc.assert(
    fc.property(year, two(13), two(32), two(24), two(60), two(60), (y, month, day, hour, minute, second) => {
      const usual = `${y}-${month}-${day}T${hour}:${minute}:${second}Z`;
      const withOffset = usual.replace('Z', '+00:00');
      const operand = '2024-05-01T12:30:00+00:00';
      for (const operator of ['<', '<=', '>', '>='] as const) {
        expect(comparison(operator, operand)(usual)).toBe(comparison(operator, operand)(withOffset));
      }
      const isDate = comparison('<', operand)(withOffset) || comparison('>=', operand)(withOffset);
      if (isDate) expect(comparison('<=', withOffset)(usual) && comparison('>=', withOffset)(usual)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

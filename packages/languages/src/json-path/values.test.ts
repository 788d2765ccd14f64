import { expect, it } from 'vitest';
import { looselyEqual } from './values.ts';

// A pattern that backtracks from each digit would exceed the timeout of the test.
it('compares a number with half a million digits and a letter in one pass', () => {
  expect(looselyEqual(1, `${'1'.repeat(500_000)}x`)).toBe(false);
});

import { expect, it } from 'vitest';
import { problemOf } from './script-problem.ts';

// A pattern that backtracks from each line break would exceed the timeout of the test.
it('finds the line of a script in a stack of half a million lines', () => {
  const stack = `${'\n'.repeat(500_000)}x\n    at f (s.js:7:1)`;
  expect(problemOf({ message: 'm', stack }, 's.js').message).toBe('s.js, line 7: m');
});

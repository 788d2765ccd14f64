import { describe, expect, it } from 'vitest';
import { compileTextFormat } from './text-format.ts';

describe('compileTextFormat', () => {
  it.each([
    ['%s', 'ab'],
    ['movie-%s!', 'movie-ab!'],
    ['[%5s]', '[   ab]'],
    ['[%-5s]', '[ab   ]'],
    ['[%1s]', '[ab]'],
    ['%.1s', 'a'],
    ['%5.1s|', '    a|'],
    ['%S', 'AB'],
    ['%s-%s', 'ab-cd'],
    ['%2$s-%1$s', 'cd-ab'],
    ['%2$s-%s-%s', 'cd-ab-cd'],
    ['%s-%<s', 'ab-ab'],
    ['100%%%n', '100%\n'],
    ['none', 'none'],
  ])('formats a value with %j', (format, expected) => {
    expect(compileTextFormat(format, 2)(['ab', 'cd'])).toBe(expected);
  });

  it.each(['%d', '%', '%q', '%3$s', '%0$s', '%<s', '%-s', '%+5s', '%--5s', '%s%s%s', '% s', '%tY', '%5'])(
    'refuses the pattern %j',
    (format) => {
      expect(() => compileTextFormat(format, 2)).toThrow(SyntaxError);
    },
  );
});

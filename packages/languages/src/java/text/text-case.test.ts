import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBlank } from './text.ts';
import { sentenceCase, titleCase } from './text-case.ts';

describe('titleCase and sentenceCase', () => {
  it('change only letter case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(titleCase(text).toLowerCase().toUpperCase()).toBe(text.toLowerCase().toUpperCase());
        expect(sentenceCase(text).toLowerCase().toUpperCase()).toBe(text.toLowerCase().toUpperCase());
      }),
    );
  });

  it('begin words after exactly the characters that are white space in Java', () => {
    for (let code = 0; code <= 0xffff; code++) {
      const between = String.fromCharCode(code);
      if (between === 'x' || between === 'X') continue;
      expect(titleCase(`x${between}x`).endsWith('X'), `U+${code.toString(16)}`).toBe(isBlank(between));
    }
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeywordMatcher } from './keyword-matcher.ts';

describe('KeywordMatcher', () => {
  it('finds the same keywords as a test of each keyword at each position', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'B', 'é', 'É', ' ', '1', '\ud83d', '\ude00') });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), text, fc.boolean(), (keywords, searched, ignoreCase) => {
        const expected = keywords.some((keyword) => standsIn(keyword, searched, ignoreCase));
        expect(new KeywordMatcher(keywords, ignoreCase).containsWord(searched)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('finds a short keyword if a longer one is not a whole word', () => {
    expect(new KeywordMatcher(['sea side', 'side'], false).containsWord('xsea side')).toBe(true);
    expect(new KeywordMatcher(['a b c', 'b'], false).containsWord('a b d')).toBe(true);
  });

  it('changes the case of each unit separately', () => {
    expect(new KeywordMatcher(['ΟΔΟΣ'], true).containsWord('οδοσ')).toBe(true);
    expect(new KeywordMatcher(['istanbul'], true).containsWord('İstanbul')).toBe(true);
    expect(new KeywordMatcher(['50 k'], true).containsWord('50 \u212a')).toBe(true);
    expect(new KeywordMatcher(['istanbul'], false).containsWord('Istanbul')).toBe(false);
  });

  it('returns the same results with many keywords', () => {
    const many = Array.from({ length: 1000 }, (_, i) => `k${i}word`);
    expect(new KeywordMatcher(many, true).containsWord('a K999Word.')).toBe(true);
    expect(new KeywordMatcher(many, true).containsWord('a K999words')).toBe(false);
  });

  it('treats letters of any script as parts of words', () => {
    const matcher = new KeywordMatcher(['sea'], false);
    expect(matcher.containsWord('seaé')).toBe(false);
    expect(matcher.containsWord('東sea')).toBe(false);
    expect(matcher.containsWord('sea😀 _sea')).toBe(true);
  });
});

function standsIn(keyword: string, text: string, ignoreCase: boolean): boolean {
  if (keyword === '') return false;
  const fold = (s: string) => (ignoreCase ? s.toLowerCase() : s);
  for (let at = 0; at + keyword.length <= text.length; at++) {
    if (fold(text.slice(at, at + keyword.length)) !== fold(keyword)) continue;
    const neighbours = [text[at - 1], text[at + keyword.length]];
    if (!neighbours.some((unit) => unit !== undefined && /\p{L}/u.test(unit))) return true;
  }
  return false;
}

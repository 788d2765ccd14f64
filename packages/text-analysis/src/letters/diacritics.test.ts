import { unicodeText } from '@headrace/testing/unicode-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { removeDiacritics } from './diacritics.ts';

describe('removeDiacritics', () => {
  it.each([
    ['Crème brûlée à la façon de Müller', 'Creme brulee a la facon de Muller'],
    ['Cre\u0300me', 'Creme'],
    ['Việt Nam, Đà Nẵng', 'Viet Nam, Đa Nang'],
    ['z\u0351\u036b\u0343\u034c\u036a\u0342algo', 'zalgo'],
    ['ø ł đ ß æ', 'ø ł đ ß æ'],
    ['ﬁve ① ＡＢ ½ x² Ω ™', 'five 1 AB 1⁄2 x2 Ω TM'],
    ['Ἀθῆναι, й ё ї', 'Αθηναι, и е і'],
  ])('changes %j to %j', (text, expected) => {
    expect(removeDiacritics(text)).toBe(expected);
  });

  it.each([
    ['Arabic', 'مَرْحَبًا أهلا', 'مرحبا اهلا'],
    ['Hebrew', 'שָׁלוֹם', 'שלום'],
    ['kana', 'ガギグ パピプ', 'カキク ハヒフ'],
    ['Hangul', '한국어 é', '한국어 e'],
    ['Devanagari', 'हिन्दी café', 'हिन्दी cafe'],
    ['Thai', 'น้ำ ที่นี่', 'น้ำ ที่นี่'],
    ['Tamil', 'தமிழ் மொழி', 'தமிழ் மொழி'],
  ])('removes marks only from letters in %s', (_, text, expected) => {
    expect(removeDiacritics(text)).toBe(expected);
  });

  it.each([
    ['a heart', '❤️'],
    ['a key cap', '1️⃣'],
    ['a family', '👨‍👩‍👧‍👦'],
    ['a flag', '🇫🇷'],
    ['a flag of tags', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
    ['a rainbow flag', '🏳️‍🌈'],
    ['a skin tone', '👍🏽'],
    ['a sign of letters', '™️ 🆎 🈁'],
  ])('does not change %s', (_, emoji) => {
    expect(removeDiacritics(emoji)).toBe(emoji);
    expect(removeDiacritics(`é${emoji}é`)).toBe(`e${emoji}e`);
  });

  it('changes nothing when applied again', () => {
    fc.assert(
      fc.property(unicodeText(), (text) => {
        const once = removeDiacritics(text);
        expect(removeDiacritics(once)).toBe(once);
      }),
    );
  });
});

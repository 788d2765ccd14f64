import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { englishSentences } from './english-sentences.ts';

describe('englishSentences', () => {
  it.each([
    ['Was it late? It was. They left!', ['Was it late?', 'It was.', 'They left!']],
    ['No end mark here', ['No end mark here']],
    ['  \n', []],
    [
      'Mr. and Mrs. Brown met Dr. J. R. Hill at St. Mary Hospital. He was ill.',
      ['Mr. and Mrs. Brown met Dr. J. R. Hill at St. Mary Hospital.', 'He was ill.'],
    ],
    [
      'The meeting is at 5 p.m. on Friday. Come at 4 p.m. The table is small.',
      ['The meeting is at 5 p.m. on Friday.', 'Come at 4 p.m.', 'The table is small.'],
    ],
    [
      'It happened on Jan. 5 in Washington, D.C. It was cold.',
      ['It happened on Jan. 5 in Washington, D.C.', 'It was cold.'],
    ],
    [
      'Apple Inc. CEO Tim said so. Apple Inc. The rest followed.',
      ['Apple Inc. CEO Tim said so.', 'Apple Inc.', 'The rest followed.'],
    ],
    [
      'The U.S. Senate met. He lives in the U.S. His wife does not.',
      ['The U.S. Senate met.', 'He lives in the U.S.', 'His wife does not.'],
    ],
    ['See example.com for version 3.14 today. Or not.', ['See example.com for version 3.14 today.', 'Or not.']],
    [
      '"Why?" he asked. "Because." She left. (It was late.) Good.',
      ['"Why?" he asked.', '"Because."', 'She left.', '(It was late.)', 'Good.'],
    ],
    ['He waited... and waited... They came.', ['He waited... and waited...', 'They came.']],
    ['it rained. then it stopped.', ['it rained.', 'then it stopped.']],
    ['1. First do this. 2. Then do that.', ['1. First do this.', '2. Then do that.']],
    ['So did I. The others stayed.', ['So did I.', 'The others stayed.']],
    ['He said no. She said yes. See No. 5 too.', ['He said no.', 'She said yes.', 'See No. 5 too.']],
    ['Really?! Yes!!! Fine.', ['Really?!', 'Yes!!!', 'Fine.']],
    ['Over two\nlines. And\n\nmore.', ['Over two\nlines.', 'And\n\nmore.']],
    ['Très bien. École fermée. Ça va?', ['Très bien.', 'École fermée.', 'Ça va?']],
    ['Good 😀. Great 👩‍🚀! Done.', ['Good 😀.', 'Great 👩‍🚀!', 'Done.']],
    ['これは一つ。これは二つ。', ['これは一つ。これは二つ。']],
    ['שלום לך. מה שלומך? טוב.', ['שלום לך.', 'מה שלומך?', 'טוב.']],
  ])('%j', (text, expected) => {
    expect(englishSentences(text)).toEqual(expected);
  });

  it('drops only white space', () => {
    const unit = fc.constantFrom('a', 'B', '1', '.', '?', '"', ')', ' ', '\n', 'Mr.', 'é', '😀', '\u00a0');
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const sentences = englishSentences(text);
        expect(sentences.join('').replace(/\s/gu, '')).toBe(text.replace(/\s/gu, ''));
        expect(sentences.filter((sentence) => sentence.trim() !== sentence || sentence === '')).toEqual([]);
      }),
    );
  });
});

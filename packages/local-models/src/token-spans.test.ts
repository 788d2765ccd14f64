import { describe, expect, it } from 'vitest';
import { type TokenForm, tokenSpans } from './token-spans.ts';

const plain: TokenForm = {
  normalize: (text) => text,
  isByteLevel: false,
  continuation: '',
  ending: '',
  unknown: '<unk>',
};
const wordPiece = { ...plain, continuation: '##', unknown: '[UNK]' };
const lowerCase = {
  ...wordPiece,
  normalize: (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase(),
};

/** Returns the parts of the text that belong to the tokens. */
function partsOf(text: string, tokens: readonly string[], form: TokenForm): string[] {
  return tokenSpans(text, tokens, form).map(({ start, end }) => text.slice(start, end));
}

describe('the positions of tokens', () => {
  it.each<[string, string, TokenForm, string[], string[]]>([
    [
      'of pieces of words',
      'Berlin, 東京',
      wordPiece,
      ['Ber', '##lin', ',', '東', '京'],
      ['Ber', 'lin', ',', '東', '京'],
    ],
    [
      'without accents and capitals',
      'Zürich e\u0301té',
      lowerCase,
      ['zu', '##rich', 'ete'],
      ['Zü', 'rich', 'e\u0301té'],
    ],
    [
      'after unknown words',
      '☃a a (😀😀) b',
      wordPiece,
      ['[UNK]', 'a', '(', '[UNK]', ')', 'b'],
      ['☃a', 'a', '(', '😀😀', ')', 'b'],
    ],
    ['of SentencePiece', ' An  old\u3000ship', plain, ['▁An', '▁', 'old', '▁ship'], ['An', '', 'old', 'ship']],
    ['after unknown signs of SentencePiece', 'a ☃☃ b', plain, ['▁a', '▁', '<unk>', '▁b'], ['a', '', '☃☃', 'b']],
    [
      'of bytes',
      'é😀 x\n y',
      { ...plain, isByteLevel: true },
      ['Ã', '©', 'ðŁĺĢ', 'Ġx', 'Ċ', 'Ġy'],
      ['é', 'é', '😀', 'x', '', 'y'],
    ],
    ['with the end of words', 'old sea', { ...plain, ending: '</w>' }, ['ol', 'd</w>', 'sea</w>'], ['ol', 'd', 'sea']],
    ['after a token that is not in the text', 'a b', wordPiece, ['a', '[MASK]', 'b'], ['a', '', 'b']],
  ])('are found %s', (_, text, form, tokens, expected) => {
    expect(partsOf(text, tokens, form)).toEqual(expected);
  });

  it('are inside an empty text', () => {
    expect(tokenSpans('', ['[UNK]', 'a'], wordPiece)).toEqual([
      { start: 0, end: 0 },
      { start: 0, end: 0 },
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { standardTokens } from './standard-tokenizer.ts';

describe('standardTokens', () => {
  it.each([
    ['', []],
    ['QUICK-brown fox.', ['QUICK', 'brown', 'fox']],
    ["o'neil's can’t 'quoted'", ["o'neil's", 'can’t', 'quoted']],
    ['3.14 1,000 a.b.com a,b 1:2 a:b', ['3.14', '1,000', 'a.b.com', 'a', 'b', '1', '2', 'a:b']],
    ['foo_bar _x_ ___ 2_b', ['foo_bar', '_x_', '2_b']],
    ['C++ C# x86', ['C', 'C', 'x86']],
    ['東京タワーへ行く', ['東', '京', 'タワー', 'へ', '行', 'く']],
    ['한국어 텍스트', ['한국어', '텍스트']],
    ['ภาษาไทย', ['ภาษาไทย']],
    ['e\u0301te\u0301 été', ['e\u0301te\u0301', 'été']],
    ['صباح الخير', ['صباح', 'الخير']],
    ['צה"ל ג\' שלום', ['צה"ל', "ג'", 'שלום']],
    ['हिन्दी में', ['हिन्दी', 'में']],
    ['so 😀 👩‍🚀👍🏽 🇫🇷!', ['so', '😀', '👩‍🚀', '👍🏽', '🇫🇷']],
    ['𝒜bc', ['𝒜bc']],
    ['a\u200db', ['a\u200db']],
  ])('%j', (text, expected) => {
    expect(standardTokens(text)).toEqual(expected);
  });

  it('cuts very long words', () => {
    expect(standardTokens('x'.repeat(600)).map((token) => token.length)).toEqual([255, 255, 90]);
  });
});

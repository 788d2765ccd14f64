import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { charsetDecoder, escapedEncoding } from './index.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** Recorded from the codecs of Python 3.11, and for ISO-2022-CN from Java 17. */
const RECORDED: readonly (readonly [name: string, bytes: Buffer, text: string])[] = [
  [
    'HZ-GB-2312',
    latin1('~{;l:O~} text ~{VPNDWV7{#,1j5c!#~}\n~{5Z6~PP~} line ~~ tilde\n'),
    '混合 text 中文字符，标点。\n第二行 line ~ tilde\n',
  ],
  [
    'ISO-2022-KR',
    latin1('\x1b$)C\x0eGQ19>n\x0f \x0eEX=:F.@T4O4Y\x0f, \x0e>H3gGO<<?d\x0f\nline 2 \x0e5QB0\x0f\n'),
    '한국어 텍스트입니다, 안녕하세요\nline 2 둘째\n',
  ],
  [
    'ISO-2022-CN',
    Buffer.from('1b2429410e56504e4432624a540f2c200e3a3a57560f20610a1b2429410e355a367e50500f0a', 'hex'),
    '中文测试, 汉字 a\n第二行\n',
  ],
];

describe('text with sequences that begin and end other letters', () => {
  it.each(RECORDED)('is detected and decoded: %s', (name, bytes, text) => {
    expect(escapedEncoding(bytes)).toBe(name);
    expect(charsetDecoder(name)?.decode(bytes, false)).toBe(text);
  });

  it.each(RECORDED)('is decoded for any cut of the bytes: %s', (name, bytes) => {
    const parts = fc.constantFrom(...new Set(bytes.toString('latin1')), '~{', '~}', '\x1b$)A', '\x1bN', '~\n', '\xff');
    const texts = fc.array(parts, { maxLength: 30 }).map((all) => latin1(all.join('')));
    fc.assert(
      fc.property(texts, fc.array(fc.nat(30), { maxLength: 5 }), (bytes, cuts) => {
        const decoder = charsetDecoder(name);
        const ends = [...cuts, bytes.length].map((at) => Math.min(at, bytes.length)).sort((a, b) => a - b);
        const pieces = ends.map((end, i) =>
          decoder?.decode(bytes.subarray(ends[i - 1] ?? 0, end), i + 1 < ends.length),
        );
        expect(pieces.join('')).toBe(decoder?.decode(bytes, false));
      }),
    );
  });

  it.each([
    ['a lost half of a character', 'a~{VPN\nb', 'a中\ufffd\nb'],
    ['a character that GB 2312 lacks', '~{VPx!ND~}', '中\ufffd!文'],
    ['Chinese until the end of the line', '~{VPND\nabc', '中文\nabc'],
    ['lines that are joined', 'a~\nb', 'ab'],
    ['a tilde alone', '~x ~', '~x ~'],
    ['bytes that are not ASCII', 'a\xe9', 'a\ufffd'],
  ])('has in HZ %s', (_, bytes, text) => {
    expect(charsetDecoder('hz')?.decode(latin1(bytes), false)).toBe(text);
  });

  it('has U+FFFD in ISO-2022-CN for each character of Taiwan', () => {
    const bytes = latin1('\x1b$)G\x0e@"@#\x0fa\x1b$*H\x1bN!!b\x1b$)A\x0eVP\x0f');
    expect(charsetDecoder('iso-2022-cn')?.decode(bytes, false)).toBe('\ufffd\ufffda\ufffdb中');
  });

  it.each([
    ['a format of Lisp', '(format t "~{~a~^, ~}" list) (format nil "~{word~}" x) (format t "~{abcd~}~%")'],
    ['a home folder', 'cp ~{a,b}~ ~/x ~~{VPND~} ~'],
    ['Chinese of one character', '~{VP~}'],
    ['binary data', '\x1b$)C\x0e\xff\xfe~{VPND~}'],
    ['ISO-2022-JP', '\x1b$B$"\x1b(B'],
    ['a designation without shifts', '\x1b$)C text'],
    ['plain text', 'a ~ b'],
  ])('is not detected in %s', (_, text) => expect(escapedEncoding(latin1(text))).toBeUndefined());
});

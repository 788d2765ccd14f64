import { describe, expect, it } from 'vitest';
import { charsetDecoder } from './charset.ts';

function decode(name: string, ...pieces: number[][]): string | undefined {
  const decoder = charsetDecoder(name);
  return decoder && pieces.map((piece, i) => decoder.decode(Uint8Array.from(piece), i + 1 < pieces.length)).join('');
}

describe('charsetDecoder', () => {
  it.each<[string, number[][], string]>([
    ['UTF-8', [[0xc3], [0xa9, 0xff]], 'é\ufffd'],
    ['utf8', [[0xef, 0xbb, 0xbf, 0x61]], 'a'],
    ['ISO-8859-1', [[0xe9, 0x80]], 'é\u0080'],
    ['ISO8859_1', [[0xe9]], 'é'],
    ['latin1', [[0xe9]], 'é'],
    ['US-ASCII', [[0x61, 0xe9]], 'a\ufffd'],
    ['Cp1252', [[0x80]], '€'],
    ['windows-1252', [[0x80]], '€'],
    ['ISO8859_15', [[0xa4]], '€'],
    ['UTF-16', [[0xff], [0xfe, 0xe9, 0], [0x61, 0]], 'éa'],
    ['UTF-16', [[0, 0xe9]], 'é'],
    ['UTF-16LE', [[0xe9, 0]], 'é'],
    ['UTF_16BE', [[0, 0xe9]], 'é'],
    ['Shift_JIS', [[0x93], [0xfa]], '日'],
    ['SJIS', [[0x93, 0xfa]], '日'],
    ['KOI8_R', [[0xc1]], 'а'],
    ['x-MacRoman', [[0x8e]], 'é'],
  ])('decodes %s', (name, pieces, text) => expect(decode(name, ...pieces)).toBe(text));

  it('returns undefined for unknown names', () => {
    expect(charsetDecoder('klingon')).toBeUndefined();
    expect(charsetDecoder('')).toBeUndefined();
  });
});

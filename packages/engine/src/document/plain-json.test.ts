import { describe, expect, it } from 'vitest';
import { parseJson } from './plain-json.ts';

const LONG = 2 * 1024 * 1024;
const DEEP = /nested deeper than 1000 levels/;

describe('JSON of others', () => {
  it('reads what JSON.parse reads', () => {
    expect(parseJson('{"a":[1,"]"]}')).toEqual({ a: [1, ']'] });
    expect(() => parseJson('{"a"')).toThrow(SyntaxError);
  });

  it('refuses long texts that are nested deeply, before the parser needs memory for each level', () => {
    for (const piece of ['[', '[1,', '{"a":', '[{"\\"]":']) {
      expect(() => parseJson(piece.repeat(Math.ceil(LONG / piece.length)))).toThrow(DEEP);
    }
  });

  it('reads long texts with brackets in their strings, and with many short lists', () => {
    const text = `\\"${'['.repeat(LONG)}\\\\`;
    expect(parseJson(`["${text}",[]]`)).toEqual([`"${'['.repeat(LONG)}\\`, []]);
    expect(parseJson(`[${'[[]],'.repeat(LONG / 4)}1]`)).toHaveLength(LONG / 4 + 1);
    expect(() => parseJson(`"${'x'.repeat(LONG)}`)).toThrow(SyntaxError);
  });
});

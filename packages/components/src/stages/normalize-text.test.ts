import { assertStageContract, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { NormalizeText } from './normalize-text.ts';

async function run(params: Record<string, unknown>, ...documents: (string | Record<string, unknown>)[]) {
  return (await runStage(NormalizeText, params, documents)).map(
    ({ documents, error }) => error ?? documents.join('\n'),
  );
}

/** Returns the text in the letter case of a mode. */
async function change(mode: string, text: unknown): Promise<unknown> {
  const [out] = await run({ source: ['a'], dest: ['b'], mode }, { id: '1', a: text });
  return (JSON.parse(out as string) as { b: unknown }).b;
}

describe('NormalizeText', () => {
  it('changes to lower and upper case by the rules of Unicode', async () => {
    expect(await change('lowercase', 'ΟΔΥΣΣΕΥΣ ΣΑΣ. İ')).toBe('οδυσσευς σας. i̇');
    expect(await change('uppercase', 'straße ﬁn ŉ istanbul ığdır')).toBe('STRASSE FIN ʼN ISTANBUL IĞDIR');
    expect(await change('LowerCase', 'ABC')).toBe('abc');
  });

  it('changes to the normal forms of Unicode', async () => {
    expect(await change('nfc', 'Cafe\u0301 ﬁ')).toBe('Caf\u00e9 ﬁ');
    expect(await change('NFD', 'Caf\u00e9 ﬁ')).toBe('Cafe\u0301 ﬁ');
    expect(await change('nfkc', 'Cafe\u0301 ﬁ ｶﾞ ①')).toBe('Caf\u00e9 fi ガ 1');
    expect(await change('NFKD', 'Caf\u00e9 ﬁ')).toBe('Cafe\u0301 fi');
  });

  it('capitalises words after white space only, in title case', async () => {
    expect(await change('title_case', 'THE old\tman\u2003and THE\nsea')).toBe('The Old\tMan\u2003And The\nSea');
    expect(await change('title_case', "a-b o'neil")).toBe("A-b O'neil");
    expect(await change('title_case', ' x\u00a0y 1st (z')).toBe(' X\u00a0y 1st (z');
    expect(await change('title_case', '😀 é 𐐀𐐀')).toBe('😀 É 𐐀𐐨');
    expect(await change('title_case', '')).toBe('');
  });

  it('uses the title form of a letter if it differs from its upper case', async () => {
    expect(await change('title_case', 'ǄUNGLA ǳ ßa ŉ აბ ᾳ ᾀ ﬁn')).toBe('ǅungla ǲ ßa ŉ აბ ᾼ ᾈ ﬁn');
  });

  it('capitalises sentences after a stop and one blank, in sentence case', async () => {
    expect(await change('sentence_case', 'HELLO. HOW? FINE! a.b  c.  d.\nE')).toBe('Hello. How? Fine! A.b  c.  d.\ne');
    expect(await change('sentence_case', '9 LIVES. 3 CATS. _x')).toBe('9 lives. 3 cats. _x');
    expect(await change('sentence_case', 'ÉTÉ. été. мир')).toBe('Été. Été. Мир');
    expect(await change('sentence_case', 'ßa. ﬁn. x')).toBe('ßa. ﬁn. X');
    expect(await change('sentence_case', '')).toBe('');
  });

  it('changes numbers to texts and does not change other values', async () => {
    expect(await change('lowercase', [true, 1.5, null, 'X', { y: 'Y' }])).toEqual([
      'true',
      '1.5',
      null,
      'x',
      { y: 'Y' },
    ]);
    expect(await change('sentence_case', null)).toBe(null);
  });

  it('writes each source to its destination, or all sources to one', async () => {
    const document = { id: '1', a: 'X', b: ['Y', 'Z'] };
    const mode = 'lowercase';
    expect(await run({ source: ['a', 'b', 'c'], dest: ['a', 'd', 'e'], mode }, document)).toEqual([
      '{"id":"1","a":"x","b":["Y","Z"],"d":["y","z"]}',
    ]);
    expect(await run({ source: ['a', 'b'], dest: ['d'], mode, updateMode: 'append' }, document)).toEqual([
      '{"id":"1","a":"X","b":["Y","Z"],"d":["x","y","z"]}',
    ]);
    expect(await run({ source: ['a', 'b'], dest: ['d'], mode }, document)).toEqual([
      '{"id":"1","a":"X","b":["Y","Z"],"d":["y","z"]}',
    ]);
    expect(await run({ source: ['a', 'b'], dest: ['d'], mode, updateMode: 'skip' }, document)).toEqual([
      '{"id":"1","a":"X","b":["Y","Z"],"d":"x"}',
    ]);
  });

  it('refuses unknown modes, lists of different lengths and reserved destinations', async () => {
    const params = { source: ['a'], dest: ['b'], mode: 'lowercase' };
    await expect(run({ ...params, mode: 'lower' })).rejects.toThrow('mode must be one of "lowercase"');
    await expect(run({ ...params, dest: ['b', 'c'] })).rejects.toThrow('source has 1 field and dest 2');
    await expect(run({ ...params, source: [] })).rejects.toThrow('source must name at least one field');
    await expect(run({ ...params, dest: ['id'] })).rejects.toThrow('dest[0] names id');
  });

  it('satisfies the stage contract', () =>
    assertStageContract(NormalizeText, {
      params: { source: ['a'], dest: ['b'], mode: 'title_case' },
      document: { id: '1', a: ['x y', { z: [] }, [1]] },
    }));
});

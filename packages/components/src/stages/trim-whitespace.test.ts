import { assertStageContract, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { TrimWhitespace } from './trim-whitespace.ts';

async function run(params: Record<string, unknown>, ...documents: (string | Record<string, unknown>)[]) {
  return (await runStage(TrimWhitespace, params, documents)).map(
    ({ documents, error }) => error ?? documents.join('\n'),
  );
}

describe('TrimWhitespace', () => {
  it('trims a text and every text of a list', async () => {
    expect(await run({ fields: ['a', 'b'] }, { id: '1', a: '  x y \n', b: [' a', 'b ', ' c '] })).toEqual([
      '{"id":"1","a":"x y","b":["a","b","c"]}',
    ]);
  });

  it('removes characters up to U+0020 only', async () => {
    expect(await run({ fields: ['a'] }, { id: '1', a: '\u0000\t\u001f x\u00a0 ' }, { id: '2', a: '\ufeffx' })).toEqual([
      '{"id":"1","a":"x\u00a0"}',
      '{"id":"2","a":"\ufeffx"}',
    ]);
  });

  it('removes all blanks of Unicode with unicode: true', async () => {
    const blanks = '\u0000\t\u0085\u00a0\u1680\u180e\u2003\u2007\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff ';
    expect(
      await run(
        { fields: ['a'], unicode: true },
        { id: '1', a: `${blanks}x\u00a0y${blanks}` },
        { id: '2', a: blanks },
        { id: '3', a: '\u3000😀' },
        { id: '4', a: '' },
      ),
    ).toEqual(['{"id":"1","a":"x\u00a0y"}', '{"id":"2","a":""}', '{"id":"3","a":"😀"}', '{"id":"4","a":""}']);
  });

  it('writes numbers and booleans as texts, and a list of one value as that value', async () => {
    expect(await run({ fields: ['a'] }, '{"id":"1","a":1.0}', '{"id":"2","a":[true]}')).toEqual([
      '{"id":"1","a":"1.0"}',
      '{"id":"2","a":"true"}',
    ]);
  });

  it('does not change values that are not texts', async () => {
    const documents = ['{"id":"1"}', '{"id":"2","a":null}', '{"id":"3","a":[]}', '{"id":"4","a":{"x":" y "}}'];
    expect(await run({ fields: ['a'] }, ...documents)).toEqual(documents);
    expect(await run({ fields: ['a'] }, '{"id":"1","a":[[" x "]," y ",null]}', '{"id":"2","a":[[" x "]]}')).toEqual([
      '{"id":"1","a":[[" x "],"y",null]}',
      '{"id":"2","a":[[" x "]]}',
    ]);
  });

  it('refuses an empty list and reserved fields', async () => {
    await expect(run({ fields: [] })).rejects.toThrow('at least one field');
    await expect(run({ fields: ['a', 'id'] })).rejects.toThrow('fields[1] names id');
  });

  it('satisfies the stage contract', () =>
    assertStageContract(TrimWhitespace, { params: { fields: ['a'] }, document: { id: '1', a: [' x', { y: ' ' }] } }));
});

import { assertStageContract, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { SetStaticValues } from './set-static-values.ts';

async function run(params: Record<string, unknown>, ...documents: (string | Record<string, unknown>)[]) {
  return (await runStage(SetStaticValues, params, documents)).map(
    ({ documents, error }) => error ?? documents.join('\n'),
  );
}

describe('SetStaticValues', () => {
  it('writes values of every type', async () => {
    const staticValues = { s: 'x', n: 5, d: 2.5, b: true, l: [1, ['y']], o: { k: [1] }, z: null, e: [] };
    expect(await run({ staticValues }, { id: '1', s: ['old', 'older'] })).toEqual([
      '{"id":"1","s":"x","n":5,"d":2.5,"b":true,"l":[1,["y"]],"o":{"k":[1]},"z":null,"e":[]}',
    ]);
  });

  it('applies updateMode to existing fields', async () => {
    const staticValues = { a: 'new', b: ['x', 'y'], c: null };
    const document = { id: '1', a: 'old', b: 'old' };
    expect(await run({ staticValues, updateMode: 'append' }, document)).toEqual([
      '{"id":"1","a":["old","new"],"b":["old","x","y"],"c":null}',
    ]);
    expect(await run({ staticValues, updateMode: 'skip' }, document)).toEqual([
      '{"id":"1","a":"old","b":"old","c":null}',
    ]);
  });

  it('writes separate values to each document', async () => {
    const staticValues = { l: ['x'] };
    expect(await run({ staticValues, updateMode: 'append' }, { id: '1' }, { id: '2', l: [] }, { id: '3' })).toEqual([
      '{"id":"1","l":["x"]}',
      '{"id":"2","l":["x"]}',
      '{"id":"3","l":["x"]}',
    ]);
  });

  it('uses a quoted name with a dot as one name', async () => {
    expect(await run({ staticValues: { 'a.b': 1 } }, { id: '1', a: { b: 2 } })).toEqual([
      '{"id":"1","a":{"b":2},"a.b":1}',
    ]);
  });

  it('marks the document as skipped, even without values', async () => {
    expect(await run({ staticValues: {}, skipDocument: true }, { id: '1' })).toEqual(['{"id":"1","___skipped":true}']);
  });

  it('refuses reserved and empty names', async () => {
    await expect(run({ staticValues: { id: 'x' } })).rejects.toThrow('staticValues.id names id');
    await expect(run({ staticValues: { '': 'x' } })).rejects.toThrow('must not be empty');
  });

  it('satisfies the stage contract', () =>
    assertStageContract(SetStaticValues, {
      params: { staticValues: { a: [{ x: 1 }], b: { y: [] } } },
      document: { id: '1' },
    }));
});

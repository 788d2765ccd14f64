import { assertStageContract, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { Length } from './length.ts';

async function run(params: Record<string, unknown>, ...documents: (string | Record<string, unknown>)[]) {
  return (await runStage(Length, params, documents)).map(({ documents, error }) => error ?? documents.join('\n'));
}

describe('Length', () => {
  it('counts values, not characters', async () => {
    const fieldMapping = { a: 'n' };
    expect(
      await run(
        { fieldMapping },
        { id: '1', a: 'text' },
        { id: '2', a: ['x', 'y', 'z'] },
        { id: '3', a: [] },
        { id: '4' },
        { id: '5', a: null },
        { id: '6', a: { x: 1, y: 2 } },
      ),
    ).toEqual([
      '{"id":"1","a":"text","n":1}',
      '{"id":"2","a":["x","y","z"],"n":3}',
      '{"id":"3","a":[],"n":0}',
      '{"id":"4","n":0}',
      '{"id":"5","a":null,"n":1}',
      '{"id":"6","a":{"x":1,"y":2},"n":1}',
    ]);
  });

  it('replaces the target, which can be the counted field', async () => {
    expect(await run({ fieldMapping: { a: 'a' } }, { id: '1', a: ['x', 'y'] })).toEqual(['{"id":"1","a":2}']);
    expect(await run({ fieldMapping: { a: 'n' } }, { id: '1', n: ['x'] })).toEqual(['{"id":"1","n":0}']);
  });

  it('does not change documents if the mapping is empty', async () => {
    expect(await run({ fieldMapping: {} }, { id: '1' })).toEqual(['{"id":"1"}']);
  });

  it('refuses reserved and empty targets', async () => {
    await expect(run({ fieldMapping: { a: 'run_id' } })).rejects.toThrow('fieldMapping.a names run_id');
    await expect(run({ fieldMapping: { a: '' } })).rejects.toThrow('fieldMapping.a must not be empty');
  });

  it('satisfies the stage contract', () =>
    assertStageContract(Length, { params: { fieldMapping: { a: 'n' } }, document: { id: '1', a: ['x'] } }));
});

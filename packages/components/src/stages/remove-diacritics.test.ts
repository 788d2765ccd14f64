import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { RemoveDiacritics } from './remove-diacritics.ts';

async function run(params: Record<string, unknown>, document: Record<string, unknown>): Promise<unknown> {
  const [outcome] = await runStage(RemoveDiacritics, params, [{ id: '1', ...document }]);
  const { id: _, ...fields } = JSON.parse(outcome?.documents[0] ?? '');
  return fields;
}

describe('RemoveDiacritics', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(RemoveDiacritics, {
      params: { source: 'a', destination: 'b' },
      document: { id: '1', a: ['é', { x: 1 }] },
    });
  });

  it('writes in place or replaces the values of another field', async () => {
    expect(await run({ source: 'a' }, { a: 'é' })).toEqual({ a: 'e' });
    expect(await run({ source: 'a', destination: 'b' }, { a: 'é', b: ['x', 'y'] })).toEqual({ a: 'é', b: 'e' });
  });

  it.each([
    [
      ['é', 'ü'],
      ['e', 'u'],
    ],
    [['é'], 'e'],
    [[], []],
    [5, '5'],
    [true, 'true'],
    [null, null],
    [{ x: 'é' }, { x: 'é' }],
  ])('changes %j to %j', async (a, expected) => {
    expect(await run({ source: 'a' }, { a })).toEqual({ a: expected });
  });

  it('does not change documents without the field', async () => {
    expect(await run({ source: 'a', destination: 'b' }, { b: 'é' })).toEqual({ b: 'é' });
  });

  it.each([
    [{ source: 'id' }, 'source'],
    [{ source: 'a', destination: 'id' }, 'destination'],
    [{ source: 'a', destination: '' }, 'destination'],
  ])('refuses the parameters %j', (params, parameter) => {
    expect(() => makeStage(RemoveDiacritics, params)).toThrow(`${parameter}:`);
  });

  it('can read the id', async () => {
    expect(await run({ source: 'id', destination: 'b' }, {})).toEqual({ b: '1' });
  });
});

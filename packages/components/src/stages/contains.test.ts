import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { Contains } from './contains.ts';

const params = { contains: ['sea', 'north pole', ''], fields: ['a', 'b'], output: 'hit', value: 'yes' };

async function hit(document: Record<string, unknown>, overrides: Record<string, unknown> = {}): Promise<unknown> {
  const [outcome] = await runStage(Contains, { ...params, ...overrides }, [{ id: '1', ...document }]);
  return (JSON.parse(outcome?.documents[0] as string) as { hit?: unknown }).hit;
}

describe('Contains', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(Contains, { params, document: { id: '1', a: ['no', 'sea'] } });
  });

  it.each([
    [{ a: 'the SEA!' }, 'yes'],
    [{ a: 'sea2 sea_' }, 'yes'],
    [{ a: 'seas' }, undefined],
    [{ a: 'overseas' }, undefined],
    [{ a: 'north  pole' }, undefined],
    [{ a: 'North Pole' }, 'yes'],
    [{ a: 'x', b: ['y', 'sea'] }, 'yes'],
    [{ a: [null, 'sea'] }, 'yes'],
    [{ a: null, b: {} }, undefined],
    [{ a: [], hit: ['old'] }, ['old']],
    [{ a: 'sea', hit: ['old'] }, 'yes'],
    [{ c: 'sea' }, undefined],
  ])('searches the fields %j', async (document, expected) => {
    expect(await hit(document)).toEqual(expected);
  });

  it('compares letter case if ignoreCase is false', async () => {
    expect(await hit({ a: 'SEA' }, { ignoreCase: false })).toBeUndefined();
    expect(await hit({ a: 'sea' }, { ignoreCase: false })).toBe('yes');
  });

  it.each([
    [{ contains: [] }, 'at least one keyword'],
    [{ output: 'id' }, 'reserved'],
  ])('refuses the parameters %j', (wrong, message) => {
    expect(() => makeStage(Contains, { ...params, ...wrong })).toThrow(message);
  });
});

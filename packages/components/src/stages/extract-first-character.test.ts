import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { ExtractFirstCharacter } from './extract-first-character.ts';

async function first(value: unknown, params: Record<string, unknown> = {}): Promise<unknown> {
  const [outcome] = await runStage(ExtractFirstCharacter, { fieldMapping: { a: 'b' }, ...params }, [
    { id: '1', a: value, b: 'old' },
  ]);
  return (JSON.parse(outcome?.documents[0] as string) as { b: unknown }).b;
}

describe('ExtractFirstCharacter', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(ExtractFirstCharacter, {
      params: { fieldMapping: { a: 'b' } },
      document: { id: '1', a: 'x' },
    });
  });

  it.each([
    ['Word', 'W'],
    ['word', 'w'],
    ['été', 'é'],
    ['Яблоко', 'Я'],
    ['𝒜 script letter', '𝒜'],
    [['first', 'second'], 'f'],
    [true, 't'],
  ])('writes the first letter of %j', async (value, letter) => {
    expect(await first(value)).toBe(letter);
  });

  it.each(['9', ' a', '_a', '😀', '\u0301', '٣', 5])(
    'writes the replacement for %j, which does not begin with a letter',
    async (value) => {
      expect(await first(value)).toBe('nonalpha');
      expect(await first(value, { replacement: '#' })).toBe('#');
      expect(await first(value, { replacement: 'SKIP' })).toBe('old');
    },
  );

  it.each([null, '', ' \t\n\u2003', [[]], {}])('does not change the field for %j', async (value) => {
    expect(await first(value)).toBe('old');
  });

  it('does not change the field for a missing field or an empty list', async () => {
    const outcomes = await runStage(ExtractFirstCharacter, { fieldMapping: { a: 'b' } }, [
      { id: '1' },
      { id: '2', a: [] },
    ]);
    expect(outcomes.map(({ documents }) => documents)).toEqual([['{"id":"1"}'], ['{"id":"2","a":[]}']]);
  });

  it.each([
    [{ fieldMapping: {} }, 'at least one field'],
    [{ fieldMapping: { a: 'id' } }, 'reserved'],
  ])('refuses the parameters %j', (params, message) => {
    expect(() => makeStage(ExtractFirstCharacter, params)).toThrow(message);
  });
});

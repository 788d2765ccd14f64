import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { CreateStaticTeaser } from './create-static-teaser.ts';

async function run(params: Record<string, unknown>, document: Record<string, unknown>): Promise<unknown> {
  const [outcome] = await runStage(CreateStaticTeaser, params, [{ id: '1', ...document }]);
  const { id: _, ...fields } = JSON.parse(outcome?.documents[0] ?? '');
  return fields;
}

async function teaser(a: unknown, maxLength: number): Promise<unknown> {
  return ((await run({ source: ['a'], dest: ['b'], maxLength }, { a })) as { b: unknown }).b;
}

describe('CreateStaticTeaser', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(CreateStaticTeaser, {
      params: { source: ['a', 'b'], dest: ['c'], maxLength: 5, updateMode: 'append' },
      document: { id: '1', a: 'a text', b: ['another', 'text'] },
    });
  });

  it.each([
    ['  short ', 20, 'short'],
    ['ab cd', 5, 'ab cd'],
    ['ab cd', 4, 'ab'],
    ['one,two,three', 8, 'one,two'],
    ['one,two,three', 7, 'one'],
    ['Stop! Go now', 8, 'Stop!'],
    ['What? Really', 5, 'What'],
    ['antidisestablishmentarianism', 6, 'antidi'],
    [' leading', 5, ' lead'],
    ['  leading', 5, ''],
    ['one\ntwo three', 8, 'one\ntwo'],
    ['one\ntwothree', 8, 'one\ntwot'],
    [12345.678, 3, '123'],
    [true, 3, 'tru'],
    [['first one', 'second'], 5, 'first'],
    [{ x: 1 }, 5, ''],
    ['', 5, ''],
  ])('shortens %j to at most %d characters: %j', async (text, maxLength, expected) => {
    expect(await teaser(text, maxLength)).toBe(expected);
  });

  it.each([
    ['an emoji', 'a😀bc', 2, 'a'],
    ['a family', 'ab👨‍👩‍👧c', 9, 'ab'],
    ['a flag', '🇫🇷🇩🇪', 6, '🇫🇷'],
    ['an accent', 'cafe\u0301s', 4, 'caf'],
    ['a point', 'שָׁלוֹם', 2, ''],
    ['a vowel', 'हिन्दी', 4, 'हि'],
    ['a syllable', '한국어', 2, '한국'],
  ])('omits %s that does not fit completely', async (_, text, maxLength, expected) => {
    expect(await teaser(text, maxLength)).toBe(expected);
  });

  it('cuts right-to-left text between words', async () => {
    expect(await teaser('مرحبا بالعالم الكبير', 13)).toBe('مرحبا');
    expect(await teaser('مرحبا بالعالم الكبير', 14)).toBe('مرحبا بالعالم');
  });

  it.each([[{}], [{ a: null }], [{ a: [] }]])('writes no teaser for %j', async (fields) => {
    const params = { source: ['a'], dest: ['b'], maxLength: 5 };
    expect(await run(params, { ...fields, b: 'old' })).toEqual({ ...fields, b: 'old' });
  });

  it('applies updateMode to the destination', async () => {
    const params = { source: ['a', 'b'], dest: ['c'], maxLength: 5 };
    const fields = { a: 'one two', b: 'three four' };
    expect(await run(params, { ...fields, c: 'old' })).toEqual({ ...fields, c: 'three' });
    expect(await run({ ...params, updateMode: 'append' }, fields)).toEqual({ ...fields, c: ['one', 'three'] });
    expect(await run({ ...params, updateMode: 'skip' }, fields)).toEqual({ ...fields, c: 'one' });
  });

  const valid = { source: ['a'], dest: ['b'], maxLength: 5 };

  it.each([
    [{ source: [] }, 'source'],
    [{ dest: [] }, 'dest'],
    [{ dest: ['b', 'c'] }, 'dest'],
    [{ dest: ['id'] }, 'reserved'],
    [{ maxLength: 0 }, 'at least 1'],
  ])('refuses the parameters %j', (params, message) => {
    expect(() => makeStage(CreateStaticTeaser, { ...valid, ...params })).toThrow(message);
  });
});

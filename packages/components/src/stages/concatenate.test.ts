import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { Concatenate } from './concatenate.ts';

async function concatenate(
  formatString: string,
  document: Record<string, unknown>,
  defaultInputs: Record<string, string> = {},
): Promise<unknown> {
  const [outcome] = await runStage(Concatenate, { dest: 'd', formatString, defaultInputs }, [{ id: '1', ...document }]);
  return (JSON.parse(outcome?.documents[0] as string) as { d: unknown }).d;
}

describe('Concatenate', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(Concatenate, {
      params: { dest: 'd', formatString: '{a}' },
      document: { id: '1', a: 'x' },
    });
  });

  it('writes the first value of each field as text', async () => {
    expect(await concatenate('{id}: {l} {n} {b} {o}.', { l: ['x', 'y'], n: 2.5, b: true, o: { k: 1 } })).toBe(
      '1: x 2.5 true .',
    );
  });

  it.each([[{}], [{ a: null }], [{ a: [] }], [{ a: [null, 'x'] }]])(
    'uses the default for a field without a value: %j',
    async (fields) => {
      expect(await concatenate('<{a}>', fields)).toBe('<{a}>');
      expect(await concatenate('<{a:-none}>', fields)).toBe('<none>');
      expect(await concatenate('<{a}>', fields, { a: 'default' })).toBe('<default>');
      expect(await concatenate('<{a:-none}>', fields, { a: 'default' })).toBe('<default>');
    },
  );

  it('prefers the value of the field to the text after :-', async () => {
    expect(await concatenate('{a:-none}', { a: 'x' })).toBe('x');
  });

  it('does not replace placeholders in field values', async () => {
    expect(await concatenate('{a} {b}', { a: '{b} {a} {c:-z}', b: 'x$' })).toBe('{b} {a} {c:-z} x$');
  });

  it.each([
    ['', ''],
    ['no placeholder', 'no placeholder'],
    ['${a} $${a} ${} {a', '{a} ${a} {} {a'],
    ['${{a}}', '{x}'],
    ['{{a}}', '{{a}}'],
    ['{a:-{b}}', 'x}'],
    ['{c:-{b}}', '{b}'],
    ['{{c:-z}', '{{c:-z}'],
    ['}{a}', '}x'],
  ])('reads the template %j', async (template, text) => {
    expect(await concatenate(template, { a: 'x', b: 'y' })).toBe(text);
  });

  it.each([
    ['overwrite', 'x'],
    ['append', ['old', 'x']],
    ['skip', 'old'],
  ])('writes to a destination that exists (updateMode %s)', async (updateMode, expected) => {
    const [outcome] = await runStage(Concatenate, { dest: 'd', formatString: 'x', updateMode }, [
      { id: '1', d: 'old' },
    ]);
    expect(JSON.parse(outcome?.documents[0] as string)).toMatchObject({ d: expected });
  });

  it.each([
    [{ formatString: 'a {} b' }, 'without the name of a field'],
    [{ dest: '___children' }, 'reserved'],
    [{ dest: '' }, 'must not be empty'],
  ])('refuses the parameters %j', (wrong, message) => {
    expect(() => makeStage(Concatenate, { dest: 'd', formatString: 'x', ...wrong })).toThrow(message);
  });
});

import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { ApplyRegex } from './apply-regex.ts';

async function apply(params: Record<string, unknown>, document: Record<string, unknown>): Promise<unknown> {
  const [outcome] = await runStage(ApplyRegex, params, [{ id: '1', ...document }]);
  const { id, ...fields } = JSON.parse(outcome?.documents[0] as string) as Record<string, unknown>;
  return fields;
}

describe('ApplyRegex', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(ApplyRegex, {
      params: { source: ['a'], dest: ['b'], regex: '\\d' },
      document: { id: '1', a: ['1 2', '3'] },
    });
  });

  it('searches all values, numbers and booleans as texts, and skips null', async () => {
    const params = { source: ['a'], dest: ['b'], regex: '\\w+' };
    expect(await apply(params, { a: ['x y', 5, null, true] })).toEqual({
      a: ['x y', 5, null, true],
      b: ['x', 'y', '5', 'true'],
    });
  });

  it('writes the first group of matches in which the group matched', async () => {
    const params = { source: ['a'], dest: ['b'], regex: 'x(\\d)?(y)' };
    expect(await apply(params, { a: 'xy x1y' })).toEqual({ a: 'xy x1y', b: '1' });
  });

  it.each(['overwrite', 'append', 'skip'])(
    'keeps the destination if nothing matches (updateMode %s)',
    async (updateMode) => {
      const params = { source: ['a', 'none'], dest: ['b'], regex: 'x', updateMode };
      expect(await apply(params, { a: 'y', b: 'old' })).toEqual({ a: 'y', b: 'old' });
    },
  );

  it.each([
    ['overwrite', '2'],
    ['append', ['1', '2']],
    ['skip', '1'],
  ])('writes several sources to one destination (updateMode %s)', async (updateMode, expected) => {
    const params = { source: ['a', 'b', 'c'], dest: ['d'], regex: '\\d', updateMode };
    expect(await apply(params, { a: '1', b: '2', c: 'x' })).toMatchObject({ d: expected });
  });

  it('can write to its source', async () => {
    expect(await apply({ source: ['a'], dest: ['a'], regex: '\\d' }, { a: 'a1b2' })).toEqual({ a: ['1', '2'] });
  });

  it.each([
    [{ regex: '^b.c$', ignoreCase: true, multiline: true, dotall: true }, 'a\nB\nC', 'B\nC'],
    [{ regex: 'a.b', literal: true }, 'axb a.b', 'a.b'],
  ])('supports the flags %j', async (flags, text, found) => {
    expect(await apply({ source: ['a'], dest: ['b'], ...flags }, { a: text })).toEqual({ a: text, b: found });
  });

  it.each([
    [{ regex: '(' }, 'regex: '],
    [{ source: [] }, 'source must name'],
    [{ dest: [] }, 'dest must name'],
    [{ source: ['a', 'b', 'c'], dest: ['d', 'e'] }, 'source has 3 fields and dest 2'],
    [{ dest: ['run_id'] }, 'reserved'],
    [{ updateMode: 'APPEND' }, 'must be one of'],
  ])('refuses the parameters %j', (wrong, message) => {
    expect(() => makeStage(ApplyRegex, { source: ['a'], dest: ['b'], regex: 'x', ...wrong })).toThrow(message);
  });
});

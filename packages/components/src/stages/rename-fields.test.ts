import { assertStageContract, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { RenameFields } from './rename-fields.ts';

async function run(params: Record<string, unknown>, ...documents: (string | Record<string, unknown>)[]) {
  return (await runStage(RenameFields, params, documents)).map(({ documents, error }) => error ?? documents.join('\n'));
}

describe('RenameFields', () => {
  it('renames fields and preserves their values', async () => {
    expect(
      await run(
        { fieldMapping: { a: 'b' } },
        '{"id":"1","a":[1,1.0,null,{"x":2.5}],"c":1}',
        '{"id":"2","a":null}',
        '{"id":"3","c":1}',
      ),
    ).toEqual(['{"id":"1","c":1,"b":[1,1.0,null,{"x":2.5}]}', '{"id":"2","b":null}', '{"id":"3","c":1}']);
  });

  it('applies updateMode to an existing field with the new name', async () => {
    const document = { id: '1', a: ['v', 'w'], b: 'old' };
    const fieldMapping = { a: 'b' };
    expect(await run({ fieldMapping }, document)).toEqual(['{"id":"1","b":["v","w"]}']);
    expect(await run({ fieldMapping, updateMode: 'append' }, document)).toEqual(['{"id":"1","b":["old","v","w"]}']);
    expect(await run({ fieldMapping, updateMode: 'skip' }, document)).toEqual(['{"id":"1","b":"old"}']);
    await expect(run({ fieldMapping, updateMode: 'replace' })).rejects.toThrow('updateMode must be one of');
  });

  it('exchanges names, and moves the values of a chain by one step, in any order of the config', async () => {
    expect(await run({ fieldMapping: { a: 'b', b: 'a' } }, { id: '1', a: 1, b: 2 })).toEqual([
      '{"id":"1","b":1,"a":2}',
    ]);
    for (const fieldMapping of [
      { a: 'b', b: 'c' },
      { b: 'c', a: 'b' },
    ]) {
      const [text] = await run({ fieldMapping }, { id: '1', a: 1, b: 2, c: 3 });
      expect(JSON.parse(text as string)).toEqual({ id: '1', b: 1, c: 2 });
      expect(await run({ fieldMapping }, { id: '1', a: 1 })).toEqual(['{"id":"1","b":1}']);
    }
  });

  it('applies updateMode in chains', async () => {
    const fieldMapping = { a: 'b', b: 'c' };
    const document = { id: '1', a: 1, b: [2, 3], c: 4 };
    expect(await run({ fieldMapping, updateMode: 'append' }, document)).toEqual(['{"id":"1","c":[4,2,3],"b":1}']);
    expect(await run({ fieldMapping, updateMode: 'skip' }, document)).toEqual(['{"id":"1","c":4,"b":1}']);
  });

  it('keeps the later field in the config if two fields have the same new name', async () => {
    expect(await run({ fieldMapping: { b: 'x', a: 'x' } }, { id: '1', a: 'a', b: 'b' })).toEqual([
      '{"id":"1","x":"a"}',
    ]);
  });

  it('keeps a field that is renamed to its own name', async () => {
    expect(await run({ fieldMapping: { a: 'a' }, updateMode: 'append' }, { id: '1', a: 'v' })).toEqual([
      '{"id":"1","a":"v"}',
    ]);
  });

  it('renames fields in children and grandchildren if applyToChildren is true', async () => {
    const document = '{"id":"1","a":"v","___children":[{"id":"c","a":1,"___children":[{"id":"d","a":1.0}]},{"a":2},7]}';
    const fieldMapping = { a: 'b' };
    expect(await run({ fieldMapping, applyToChildren: true }, document)).toEqual([
      '{"id":"1","___children":[{"id":"c","___children":[{"id":"d","b":1.0}],"b":1},{"b":2},7],"b":"v"}',
    ]);
    expect(await run({ fieldMapping }, '{"id":"1","___children":[{"id":"c","a":1}]}')).toEqual([
      '{"id":"1","___children":[{"id":"c","a":1}]}',
    ]);
    expect(await run({ fieldMapping, applyToChildren: true }, '{"id":"1","a":1}')).toEqual(['{"id":"1","b":1}']);
  });

  it('refuses an empty mapping and reserved names on both sides', async () => {
    await expect(run({ fieldMapping: {} })).rejects.toThrow('at least one field');
    await expect(run({ fieldMapping: { a: 'id' } })).rejects.toThrow('fieldMapping.a names id');
    await expect(run({ fieldMapping: { run_id: 'a' } })).rejects.toThrow('fieldMapping.run_id names run_id');
  });

  it('satisfies the stage contract', () =>
    assertStageContract(RenameFields, {
      params: { fieldMapping: { a: 'b' }, applyToChildren: true },
      document: { id: '1', a: [{ x: 1 }], ___children: [{ id: 'c', a: 1 }] },
    }));
});

import { assertStageContract, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { RemoveDuplicateValues } from './remove-duplicate-values.ts';

async function run(params: Record<string, unknown>, ...documents: (string | Record<string, unknown>)[]) {
  return (await runStage(RemoveDuplicateValues, params, documents)).map(
    ({ documents, error }) => error ?? documents.join('\n'),
  );
}

describe('RemoveDuplicateValues', () => {
  it('keeps the first of equal values in place', async () => {
    expect(await run({ fieldMapping: { a: 'a' } }, { id: '1', a: ['x', 'y', 'x', null, null], b: 1 })).toEqual([
      '{"id":"1","b":1,"a":["x","y",null]}',
    ]);
    expect(await run({ fieldMapping: { a: null } }, { id: '1', a: [1, 1] })).toEqual(['{"id":"1","a":[1]}']);
  });

  it('compares values as JSON', async () => {
    expect(await run({ fieldMapping: { a: 'a' } }, '{"id":"1","a":[1,1.0,"1",2.5,2.50,1]}')).toEqual([
      '{"id":"1","a":[1,1.0,"1",2.5]}',
    ]);
    expect(await run({ fieldMapping: { a: 'a' } }, { id: '1', a: [{ x: 1, y: 2 }, { y: 2, x: 1 }, { x: 1 }] })).toEqual(
      ['{"id":"1","a":[{"x":1,"y":2},{"x":1}]}'],
    );
  });

  it('does not change lists without duplicates, single values and missing fields', async () => {
    const documents = ['{"id":"1","a":["x","y"],"b":1}', '{"id":"2","a":"x"}', '{"id":"3"}'];
    expect(await run({ fieldMapping: { a: 'a' } }, ...documents)).toEqual(documents);
    expect(await run({ fieldMapping: { a: 'c' } }, ...documents.slice(1))).toEqual(documents.slice(1));
  });

  it('appends to another field with any values', async () => {
    expect(
      await run(
        { fieldMapping: { a: 'b' } },
        { id: '1', a: [1, 2, 1] },
        { id: '2', a: [1, 1], b: [1] },
        { id: '3', a: [1, 1], b: 's' },
        { id: '4', a: [], b: 's' },
      ),
    ).toEqual([
      '{"id":"1","a":[1,2,1],"b":[1,2]}',
      '{"id":"2","a":[1,1],"b":[1,1]}',
      '{"id":"3","a":[1,1],"b":["s",1]}',
      '{"id":"4","a":[],"b":"s"}',
    ]);
  });

  it('refuses an empty mapping, invalid targets and reserved fields', async () => {
    await expect(run({ fieldMapping: {} })).rejects.toThrow('at least one field');
    await expect(run({ fieldMapping: { a: 5 } })).rejects.toThrow('fieldMapping.a must be the name of a field or null');
    await expect(run({ fieldMapping: { a: '___children' } })).rejects.toThrow('reserved');
    await expect(run({ fieldMapping: { id: null } })).rejects.toThrow('reserved');
  });

  it('satisfies the stage contract', () =>
    assertStageContract(RemoveDuplicateValues, {
      params: { fieldMapping: { a: 'b' } },
      document: { id: '1', a: [{ x: [1] }, { x: [1] }] },
    }));
});

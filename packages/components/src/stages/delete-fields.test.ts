import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { DeleteFields } from './delete-fields.ts';

describe('DeleteFields', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(DeleteFields, { params: { fields: ['a'] }, document: { id: '1', a: 'x' } });
  });

  it('uses field names literally', async () => {
    const [outcome] = await runStage(DeleteFields, { fields: ['a.b', 'none', '__proto__'] }, [
      '{"id":"1","a":{"b":1},"a.b":2,"__proto__":3}',
    ]);
    expect(outcome?.documents).toEqual(['{"id":"1","a":{"b":1}}']);
  });

  it.each([
    [[], 'at least one field'],
    [['a', 'id'], 'fields[1]'],
    [['___children'], 'reserved'],
  ])('refuses the fields %j', (fields, message) => {
    expect(() => makeStage(DeleteFields, { fields })).toThrow(message);
  });
});

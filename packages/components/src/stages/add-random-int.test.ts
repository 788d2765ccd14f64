import { assertStageContract, makeStage, runStage, toDocument } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { AddRandomInt } from './add-random-int.ts';

describe('AddRandomInt', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(AddRandomInt, { params: {}, document: { id: '1' }, random: true });
  });

  it('writes every number of the range except its end', () => {
    const stage = makeStage(AddRandomInt, { fieldName: 'n', rangeStart: -1, rangeEnd: 2 });
    const drawn = new Set<unknown>();
    for (let i = 0; i < 1000; i++) {
      const document = toDocument({ id: '1', n: 'old' });
      stage.process(document);
      drawn.add(document.get('n'));
    }
    expect([...drawn].sort()).toEqual([-1, 0, 1]);
  });

  it('accepts limits beyond 32 bits', async () => {
    const [outcome] = await runStage(AddRandomInt, { rangeStart: 5_000_000_000, rangeEnd: 5_000_000_001 }, [
      { id: '1' },
    ]);
    expect(outcome?.documents).toEqual(['{"id":"1","data":5000000000}']);
  });

  it.each([
    [{ rangeStart: 6, rangeEnd: 6 }, 'contains no number'],
    [{ rangeStart: 2_000_000 }, 'contains no number'],
    [{ fieldName: 'id' }, 'reserved'],
  ])('refuses the parameters %j', (params, message) => {
    expect(() => makeStage(AddRandomInt, params)).toThrow(message);
  });
});

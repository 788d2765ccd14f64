import { assertStageContract, makeStage, toDocument } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { AddRandomBoolean } from './add-random-boolean.ts';

/** Returns how many of 1000 documents get true. The others get false. */
function countTrue(params: Record<string, unknown>): number {
  const stage = makeStage(AddRandomBoolean, params);
  let count = 0;
  for (let i = 0; i < 1000; i++) {
    const document = toDocument({ id: '1', data: 'old' });
    stage.process(document);
    expect(document.get('data')).toBeTypeOf('boolean');
    if (document.get('data') === true) count++;
  }
  return count;
}

describe('AddRandomBoolean', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(AddRandomBoolean, { params: {}, document: { id: '1' }, random: true });
  });

  it('writes only true for percentTrue 100 and only false for 0', () => {
    expect(countTrue({ percentTrue: 100 })).toBe(1000);
    expect(countTrue({ percentTrue: 0 })).toBe(0);
  });

  it('writes true for the configured percentage on average, 50 % by default', () => {
    // The limits are ten standard deviations, which chance does not reach.
    expect(Math.abs(countTrue({}) - 500)).toBeLessThan(160);
    expect(Math.abs(countTrue({ percentTrue: '10' }) - 100)).toBeLessThan(95);
  });

  it.each([
    [{ percentTrue: 101 }, 'at most 100'],
    [{ percentTrue: -1 }, 'at least 0'],
    [{ fieldName: 'run_id' }, 'reserved'],
  ])('refuses the parameters %j', (params, message) => {
    expect(() => makeStage(AddRandomBoolean, params)).toThrow(message);
  });
});

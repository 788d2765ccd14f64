import { widenFloat } from '@headrace/engine';
import { assertStageContract, makeStage, runStage, toDocument } from '@headrace/engine/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RandomVector } from './random-vector.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('RandomVector', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(RandomVector, {
      params: { fields: ['v', 'w'], dimensions: 4 },
      document: { id: '1' },
      random: true,
    });
  });

  it('fills every field with a different vector of numbers from -1 up to 1', () => {
    const document = toDocument({ id: '1', v: 'old' });
    makeStage(RandomVector, { fields: ['v', 'w'], dimensions: 500 }).process(document);
    for (const field of ['v', 'w']) {
      const numbers = document.values(field).map(Number);
      // Their texts are those of single-precision floats.
      expect(numbers).toEqual(numbers.map(widenFloat));
      expect(numbers).toHaveLength(500);
      expect(Math.min(...numbers)).toBeGreaterThanOrEqual(-1);
      expect(Math.max(...numbers)).toBeLessThan(1);
    }
    expect(document.get('v')).not.toEqual(document.get('w'));
  });

  it('writes floats in their shortest form, and whole numbers with a decimal', async () => {
    const random = vi.spyOn(Math, 'random');
    random.mockReturnValueOnce(0).mockReturnValueOnce(0.5).mockReturnValueOnce(0.6);
    const [outcome] = await runStage(RandomVector, { fields: ['v'], dimensions: 3 }, [{ id: '1' }]);
    expect(outcome?.documents).toEqual(['{"id":"1","v":[-1.0,0.0,0.2]}']);
  });

  it.each([
    ['overwrite', 1, { v: [9] }, '-1.0'],
    ['overwrite', 2, { v: 9 }, '[-1.0,-1.0]'],
    ['append', 2, { v: 9 }, '[9,-1.0,-1.0]'],
    ['append', 1, {}, '-1.0'],
    ['skip', 2, { v: null }, 'null'],
    ['skip', 2, {}, '[-1.0,-1.0]'],
  ])('writes with updateMode %s, %d dimensions and the fields %j', async (updateMode, dimensions, fields, written) => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const params = { fields: ['v'], dimensions, updateMode };
    const [outcome] = await runStage(RandomVector, params, [{ id: '1', ...fields }]);
    expect(outcome?.documents).toEqual([`{"id":"1","v":${written}}`]);
  });

  it.each([
    [{ fields: ['v'] }, 'dimensions'],
    [{ fields: ['v'], dimensions: 0 }, 'at least 1'],
    [{ fields: ['v', 'id'], dimensions: 1 }, 'reserved'],
    [{ fields: ['v'], dimensions: 1, updateMode: 'replace' }, 'updateMode'],
  ])('refuses the parameters %j', (params, message) => {
    expect(() => makeStage(RandomVector, params)).toThrow(message);
  });
});

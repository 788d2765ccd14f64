import { Double } from '@headrace/engine';
import { assertStageContract, makeStage, toDocument } from '@headrace/engine/testing';
import { describe, expect, it, vi } from 'vitest';
import { AddRandomDouble } from './add-random-double.ts';

function draw(params: Record<string, unknown>): unknown {
  const document = toDocument({ id: '1', data: 'old' });
  makeStage(AddRandomDouble, params).process(document);
  return document.get('data');
}

describe('AddRandomDouble', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(AddRandomDouble, { params: {}, document: { id: '1' }, random: true });
  });

  it('stays inside the range', () => {
    for (let i = 0; i < 1000; i++) {
      const number = Number(draw({ rangeStart: -1.5, rangeEnd: 2 }));
      expect(number).toBeGreaterThanOrEqual(-1.5);
      expect(number).toBeLessThan(2);
    }
  });

  it('writes a whole number as a double', () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
    expect(draw({ rangeStart: 0, rangeEnd: 6 })).toEqual(new Double(3));
    random.mockRestore();
  });

  it('never writes the end of a narrow range', () => {
    const start = 1;
    const end = 1 + Number.EPSILON;
    for (let i = 0; i < 100; i++) expect(Number(draw({ rangeStart: start, rangeEnd: end }))).toBe(start);
  });

  it.each([
    [{ rangeStart: 6, rangeEnd: 6 }, 'contains no number'],
    [{ rangeStart: 1_000_000.5 }, 'contains no number'],
    [{ rangeStart: -1.7e308, rangeEnd: 1.7e308 }, 'too wide'],
    [{ fieldName: '' }, 'must not be empty'],
  ])('refuses the parameters %j', (params, message) => {
    expect(() => makeStage(AddRandomDouble, params)).toThrow(message);
  });
});

import { assertStageContract, makeStage, runStage, toDocument } from '@headrace/engine/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AddRandomDate } from './add-random-date.ts';

const day = { rangeStartDate: '2024-02-29', rangeEndDate: '2024-03-01' };

/** Returns the value that the stage writes if `Math.random` returns the given number. */
async function drawn(params: Record<string, unknown>, random: number): Promise<unknown> {
  vi.spyOn(Math, 'random').mockReturnValue(random);
  const [outcome] = await runStage(AddRandomDate, params, [{ id: '1', data: 'old' }]);
  return JSON.parse(outcome?.documents[0] ?? '{}').data;
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('AddRandomDate', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(AddRandomDate, { params: {}, document: { id: '1' }, random: true });
  });

  it('includes midnight of the first day and excludes the end of the range', async () => {
    expect(await drawn(day, 0)).toBe('2024-02-29T00:00:00Z');
    expect(await drawn(day, 1 - Number.EPSILON)).toBe('2024-02-29T23:59:59.999Z');
  });

  it('supports dates before 1970', async () => {
    expect(await drawn({ rangeStartDate: '0001-01-01', rangeEndDate: '0001-01-02' }, 0.5)).toBe('0001-01-01T12:00:00Z');
  });

  it('uses a range from 1970 to the current day by default', async () => {
    vi.useFakeTimers({ now: Date.UTC(1970, 0, 3, 18) });
    expect(await drawn({}, 0)).toBe('1970-01-01T00:00:00Z');
    expect(await drawn({}, 1 - Number.EPSILON)).toBe('1970-01-02T23:59:59.999Z');
  });

  it('writes fractions with three digits', () => {
    const stage = makeStage(AddRandomDate, day);
    for (let i = 0; i < 1000; i++) {
      const document = toDocument({ id: '1' });
      stage.process(document);
      expect(document.get('data')).toMatch(/^2024-02-29T\d\d:\d\d:\d\d(\.\d{3})?Z$/);
    }
  });

  it.each([
    [{ rangeStartDate: '2024-1-1' }, 'rangeStartDate is not a date: "2024-1-1"'],
    [{ rangeEndDate: '2023-02-29' }, 'rangeEndDate is not a date'],
    [{ rangeEndDate: '2024-01-01T00:00:00Z' }, 'is not a date'],
    [{ rangeStartDate: '2024-01-02', rangeEndDate: '2024-01-02' }, 'contains no instant'],
    [{ rangeStartDate: '9999-01-01' }, 'contains no instant'],
    [{ fieldName: 'id' }, 'reserved'],
  ])('refuses the parameters %j', (params, message) => {
    expect(() => makeStage(AddRandomDate, params)).toThrow(message);
  });
});

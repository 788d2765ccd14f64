import { assertStageContract, makeStage, runStage, toDocument } from '@headrace/engine/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AddRandomDate } from './add-random-date.ts';

const day = { rangeStartDate: '2024-02-29', rangeEndDate: '2024-03-01' };

/** What the stage writes when the random number is this one. */
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
  it('keeps the contract of a stage', async () => {
    await assertStageContract(AddRandomDate, { params: {}, document: { id: '1' }, random: true });
  });

  it('begins with midnight, without a fraction, and ends a millisecond before the end', async () => {
    expect(await drawn(day, 0)).toBe('2024-02-29T00:00:00Z');
    expect(await drawn(day, 1 - Number.EPSILON)).toBe('2024-02-29T23:59:59.999Z');
  });

  it('reaches before 1970', async () => {
    expect(await drawn({ rangeStartDate: '0001-01-01', rangeEndDate: '0001-01-02' }, 0.5)).toBe('0001-01-01T12:00:00Z');
  });

  it('starts in 1970 and ends with the day on which it starts', async () => {
    vi.useFakeTimers({ now: Date.UTC(1970, 0, 3, 18) });
    expect(await drawn({}, 0)).toBe('1970-01-01T00:00:00Z');
    expect(await drawn({}, 1 - Number.EPSILON)).toBe('1970-01-02T23:59:59.999Z');
  });

  it('writes three digits of a fraction', () => {
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
    [{ rangeStartDate: '2024-01-02', rangeEndDate: '2024-01-02' }, 'holds no instant'],
    [{ rangeStartDate: '9999-01-01' }, 'holds no instant'],
    [{ fieldName: 'id' }, 'reserved'],
  ])('refuses %j', (params, message) => {
    expect(() => makeStage(AddRandomDate, params)).toThrow(message);
  });
});

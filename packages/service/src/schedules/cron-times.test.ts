import { describe, expect, it } from 'vitest';
import { CronTimes, timingProblem } from './cron-times.ts';

const problem = (cron: string, timezone = 'UTC', minSeconds = 1) => timingProblem({ cron, timezone }, minSeconds);

function times(cron: string, timezone: string, after: string, count = 3): string[] {
  const found = new CronTimes({ cron, timezone }).after(Date.parse(after) / 1000, count);
  return found.map((time) => new Date(time * 1000).toISOString().replace(':00.000Z', 'Z'));
}

describe('a timing', () => {
  it.each(['* * * * *', '0 3 * * MON-FRI', '*/10 * * * * *', '0 0 L * *', '0 0 29 2 *', '  5   4 1,15 JAN 7 '])(
    'may be %j',
    (cron) => {
      expect(problem(cron)).toBeUndefined();
    },
  );

  it.each([
    ['60 * * * *', 'The minute 60'],
    ['0 25 * * *', 'The hour 25'],
    ['0 3 0 * *', 'The day of the month 0'],
    ['0 3 * FOO *', 'The month FOO'],
    ['0 3 * * 8', 'The day of the week 8'],
    ['61 0 3 * * *', 'The second 61'],
    ['0 5-1 * * *', 'The hour 5-1'],
    ['*/0 * * * *', 'The minute */0'],
    ['', '5 or 6 fields; "" has 0'],
    ['0 3 * *', 'has 4'],
    ['0 0 3 * * * 2030', 'has 7'],
    ['@daily', 'has 1'],
    ['2030-01-01T00:00:00', 'has 1'],
  ])('is refused for %j, which names the wrong field', (cron, message) => {
    expect(problem(cron)).toMatchObject({ setting: 'cron', message: expect.stringContaining(message) });
    expect(problem(cron)?.hint).toContain('Write');
  });

  it('is refused if it is never due', () => {
    expect(problem('0 0 30 2 *')?.message).toBe('The cron expression 0 0 30 2 * is never due');
    expect(problem('0 0 31 2,4,6,9,11 *')?.message).toContain('never due');
  });

  it('is refused if it is due more often than the limit', () => {
    expect(problem('*/30 * * * * *', 'UTC', 60)?.message).toContain('due every 30 seconds; the limit is 60 seconds');
    expect(problem('* * * * *', 'UTC', 60)).toBeUndefined();
    // The last minute of a month and the first minute of the next one.
    expect(problem('0,59 0,23 1,31 * *', 'UTC', 120)?.message).toContain('due every 60 seconds');
    // The day of the change to summer time has 23 hours.
    expect(problem('0 12 * * *', 'Europe/Berlin', 86_400)).toBeUndefined();
  });

  it('needs a time zone that exists', () => {
    expect(problem('0 3 * * *', 'Europe/Berlin')).toBeUndefined();
    expect(problem('0 3 * * *', 'Europe/Berln')).toEqual({
      setting: 'timezone',
      message: 'There is no time zone "Europe/Berln"',
      hint: 'Did you mean Europe/Berlin?',
    });
  });
});

describe('the times of an expression', () => {
  it('follow the clocks of the time zone', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2027-03-27T00:00Z')).toEqual([
      '2027-03-27T01:30Z',
      // 02:30 does not exist on this day.
      '2027-03-28T01:00Z',
      '2027-03-29T00:30Z',
    ]);
    // 02:30 exists twice on this day.
    expect(times('30 2 * * *', 'Europe/Berlin', '2027-10-30T01:00Z')).toEqual([
      '2027-10-31T00:30Z',
      '2027-11-01T01:30Z',
      '2027-11-02T01:30Z',
    ]);
    expect(times('0 * * * *', 'Europe/Berlin', '2027-10-30T23:30Z')).toEqual([
      '2027-10-31T00:00Z',
      '2027-10-31T01:00Z',
      '2027-10-31T02:00Z',
    ]);
  });

  it('may be years away', () => {
    expect(times('0 0 29 2 *', 'UTC', '2097-01-01T00:00Z', 1)).toEqual(['2104-02-29T00:00Z']);
  });
});

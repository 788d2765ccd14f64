import { describe, expect, it } from 'vitest';
import { allWordsOf, cronOf, type Repetition, repetitionOf, wordsOf } from './repetition.ts';

const KNOWN: readonly (readonly [Repetition, string, string])[] = [
  [{ kind: 'hourly', minute: 0 }, '0 * * * *', 'Every hour'],
  [{ kind: 'hourly', minute: 15 }, '15 * * * *', 'Every hour, 15 min past'],
  [{ kind: 'daily', time: '03:00' }, '0 3 * * *', 'Every day at 03:00'],
  [{ kind: 'weekdays', time: '18:30' }, '30 18 * * 1-5', 'Monday to Friday at 18:30'],
  [{ kind: 'weekly', day: 0, time: '00:05' }, '5 0 * * 0', 'Every Sunday at 00:05'],
  [{ kind: 'monthly', date: 31, time: '12:00' }, '0 12 31 * *', 'Every month on day 31 at 12:00'],
];

describe('a repetition', () => {
  it.each(KNOWN)('%j is the expression %j', (repetition, cron, words) => {
    expect(cronOf(repetition)).toBe(cron);
    expect(repetitionOf(cron)).toEqual(repetition);
    expect(wordsOf(cron)).toBe(words);
  });

  it.each(['*/5 * * * *', '0 3 1 * 1', '0 3 * 2 *', '0 0 3 * * *', '0 3 L * *', 'x', ''])(
    'keeps the expression %j, which is none of the simple kinds',
    (cron) => {
      expect(repetitionOf(cron)).toEqual({ kind: 'cron', cron });
      expect(cronOf(repetitionOf(cron))).toBe(cron);
    },
  );

  it('of each kind is described in words', async () => {
    expect(await allWordsOf('*/15 * * * *')).toBe('Every 15 minutes');
    expect(await allWordsOf('0 9 * * MON,WED')).toBe('At 09:00, only on Monday and Wednesday');
    expect(await allWordsOf('0 0 29 2 +MON')).toBe('At the times of 0 0 29 2 +MON');
  });
});

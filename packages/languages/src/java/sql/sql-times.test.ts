import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SqlTimes } from './sql-times.ts';

describe('SqlTimes', () => {
  const utc = new SqlTimes('UTC');
  const paris = new SqlTimes('Europe/Paris');

  it.each([
    ['2024-01-02', '2024-01-02T00:00:00Z', '2024-01-01T23:00:00Z'],
    ['2024-07-02', '2024-07-02T00:00:00Z', '2024-07-01T22:00:00Z'],
    ['2024-01-02 03:04:05', '2024-01-02T03:04:05Z', '2024-01-02T02:04:05Z'],
    ['2024-01-02 03:04:05.6', '2024-01-02T03:04:05.600Z', '2024-01-02T02:04:05.600Z'],
    ['2024-01-02 03:04:05.678901', '2024-01-02T03:04:05.678Z', '2024-01-02T02:04:05.678Z'],
    ['2024-01-02 03:04:05.000001', '2024-01-02T03:04:05Z', '2024-01-02T02:04:05Z'],
    ['2024-01-02 03:04:05+00', '2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z'],
    ['2024-01-02 03:04:05.5+00', '2024-01-02T03:04:05.500Z', '2024-01-02T03:04:05.500Z'],
    ['2024-01-02 03:04:05+05:30', '2024-01-01T21:34:05Z', '2024-01-01T21:34:05Z'],
    ['2024-01-02 03:04:05.25-03', '2024-01-02T06:04:05.250Z', '2024-01-02T06:04:05.250Z'],
    ['1890-01-01 00:00:00+00:09:21', '1889-12-31T23:50:39Z', '1889-12-31T23:50:39Z'],
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z'],
    ['2024-01-02 03:04', '2024-01-02T03:04:00Z', '2024-01-02T02:04:00Z'],
    ['0001-01-01 00:00:00', '0001-01-01T00:00:00Z', '0000-12-31T23:50:39Z'],
    ['10000-01-01 00:00:00', '+10000-01-01T00:00:00Z', '9999-12-31T23:00:00Z'],
    ['0044-03-15 BC', '-0043-03-15T00:00:00Z', '-0043-03-14T23:50:39Z'],
    // A time in the gap of summer time, and the second of two equal times.
    ['2024-03-31 02:30:00', '2024-03-31T02:30:00Z', '2024-03-31T01:30:00Z'],
    ['2024-10-27 02:30:00', '2024-10-27T02:30:00Z', '2024-10-27T01:30:00Z'],
  ])('converts %s in UTC and in a zone', (text, inUtc, inParis) => {
    expect(utc.instant(text)).toBe(inUtc);
    expect(paris.instant(text)).toBe(inParis);
    expect(utc.warning).toBeUndefined();
  });

  it.each(['infinity', '-infinity', '0000-00-00', '0000-00-00 00:00:00', '2024-00-00 00:00:00', 'soon', ''])(
    'reports %j, which is not a valid time',
    (text) => {
      const times = new SqlTimes('UTC');
      expect(times.instant(text)).toBeNull();
      expect(times.warning).toContain(`such as ${text || '""'} are`);
    },
  );

  it('returns the same instants as the Date of JavaScript', () => {
    const date = fc.date({ min: new Date('0100-01-01'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true });
    fc.assert(
      fc.property(date, (time) => {
        const iso = time.toISOString();
        const text = iso.replace('T', ' ').replace('Z', '');
        const expected = iso.replace('.000Z', 'Z');
        expect(utc.instant(text)).toBe(expected);
        expect(utc.instant(`${text}+00`)).toBe(expected);
        expect(paris.instant(`${text}+00`)).toBe(expected);
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { compileDatePattern, DateZoneError, resolveZone } from './index.ts';

const pattern = compileDatePattern('uuuu-MM-dd HH:mm');

describe('resolveZone', () => {
  it.each([
    ['Europe/Paris', '2024-07-01T10:00:00Z'],
    ['Universal', '2024-07-01T12:00:00Z'],
    ['Asia/Calcutta', '2024-07-01T06:30:00Z'],
    ['EST5EDT', '2024-07-01T16:00:00Z'],
    ['CET', '2024-07-01T10:00:00Z'],
    ['GMT0', '2024-07-01T12:00:00Z'],
    ['Etc/GMT+5', '2024-07-01T17:00:00Z'],
    ['Z', '2024-07-01T12:00:00Z'],
    ['UTC', '2024-07-01T12:00:00Z'],
    ['UTC+2', '2024-07-01T10:00:00Z'],
    ['GMT+0200', '2024-07-01T10:00:00Z'],
    ['UT-01:30', '2024-07-01T13:30:00Z'],
    ['+2', '2024-07-01T10:00:00Z'],
    ['+02:00', '2024-07-01T10:00:00Z'],
    ['-053015', '2024-07-01T17:30:15Z'],
    ['+18:00', '2024-06-30T18:00:00Z'],
  ])('knows %s', (id, instant) => {
    expect(pattern.parse('2024-07-01 12:00', resolveZone(id))).toBe(instant);
  });

  it.each([
    'EST',
    'MST',
    'HST',
    'PST',
    'utc',
    '',
    'europe/paris',
    'Europe/Pariss',
    '+18:01',
    '+2:00',
    '2',
    'UTC+',
    '+02:60',
  ])('refuses "%s"', (id) => {
    expect(() => resolveZone(id)).toThrow(DateZoneError);
    expect(() => resolveZone(id)).toThrow('Unknown time-zone ID');
  });
});

describe('the rules of a region', () => {
  it.each([
    ['local mean time', 'America/New_York', '0085-01-01 00:00', '0085-01-01T04:56:02Z'],
    ['a gap', 'America/New_York', '2024-03-10 02:30', '2024-03-10T07:30:00Z'],
    ['after a gap', 'America/New_York', '2024-03-10 03:00', '2024-03-10T07:00:00Z'],
    ['an overlap', 'America/New_York', '2024-11-03 01:30', '2024-11-03T05:30:00Z'],
    ['a gap at midnight', 'America/Sao_Paulo', '2018-11-04 00:00', '2018-11-04T03:00:00Z'],
    ['a skipped day', 'Pacific/Apia', '2011-12-30 12:00', '2011-12-30T22:00:00Z'],
    ['half an hour', 'Australia/Lord_Howe', '2024-10-06 02:15', '2024-10-05T15:45:00Z'],
    ['winter in the far future', 'Europe/Paris', '+123456-01-01 00:00', '+123455-12-31T23:00:00Z'],
    ['summer in the far future', 'Europe/Paris', '+123456-07-01 00:00', '+123456-06-30T22:00:00Z'],
    ['a change at the turn of a year', 'Asia/Kathmandu', '1986-01-01 00:00', '1985-12-31T18:30:00Z'],
  ])('apply to %s in %s: %s', (_, id, text, instant) => {
    expect(compileDatePattern('uuuu-MM-dd HH:mm').parse(text, resolveZone(id))).toBe(instant);
  });
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { feedDate } from './feed-date.ts';

it.each([
  ['Mon, 06 Feb 2023 10:00:00 GMT', '2023-02-06T10:00:00.000Z'],
  ['Mon, 6 Feb 2023 10:00:00 +0000', '2023-02-06T10:00:00.000Z'],
  ['6 Feb 23 10:00 EST', '2023-02-06T15:00:00.000Z'],
  ['06 february 1999 10:00:00 -0730', '1999-02-06T17:30:00.000Z'],
  ['Thu 01 Jan 70 00:00:00 Z', '1970-01-01T00:00:00.000Z'],
  ['Mon, 06 Feb 2023', '2023-02-06T00:00:00.000Z'],
  ['Mon, 06 Feb 2023 10:00:00 -0800 (PST)', '2023-02-06T18:00:00.000Z'],
  ['2023-02-06T10:00:00Z', '2023-02-06T10:00:00.000Z'],
  ['2023-02-06 10:00:00.123456+02:00', '2023-02-06T08:00:00.123Z'],
  ['2023-02-06T10:00', '2023-02-06T10:00:00.000Z'],
  ['2023-02', '2023-02-01T00:00:00.000Z'],
])('%s', (text, expected) => {
  expect(feedDate(text)?.toISOString()).toBe(expected);
});

it.each([
  '',
  'garbage',
  '30 Feb 2023 10:00:00 GMT',
  '2023-13-01',
  '06 Foo 2023',
  '06 Feb 2023 25:00 GMT',
  '06 Feb 2023 10:00 XYZ',
])('"%s" is not a date', (text) => {
  expect(feedDate(text)).toBeUndefined();
});

it('reads every date that JavaScript writes', () => {
  const date = fc.date({
    min: new Date('0100-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(date, (value) => {
      expect(feedDate(value.toISOString())?.getTime()).toBe(value.getTime());
      expect(feedDate(value.toUTCString())?.getTime()).toBe(Math.floor(value.getTime() / 1000) * 1000);
    }),
  );
});

import { expect, it } from 'vitest';
import { packRecords, unpackRecords } from './packed-records.ts';

it('unpackRecords returns the records that packRecords was given', () => {
  const records = [
    { start: 0, end: 10, line: 1, id: [] },
    { start: 10, end: 2 ** 26, line: 4_000_000_000, id: [{ start: 3, end: 5, cdata: false }] },
    {
      start: 70,
      end: 90,
      line: 3,
      id: [
        { start: 1, end: 2, cdata: true },
        { start: 4, end: 9, cdata: false },
      ],
    },
  ];
  expect([...unpackRecords(packRecords(records))]).toEqual(records);
  expect([...unpackRecords(packRecords([]))]).toEqual([]);
});

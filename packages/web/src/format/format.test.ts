import { describe, expect, it } from 'vitest';
import { bytes, exact, percent, rate, rounded } from './numbers.ts';
import { ago, duration, millis } from './times.ts';

describe('numbers', () => {
  it('are exact with separators, or rounded above 10,000', () => {
    expect([exact(3_376), rounded(3_376), rounded(34_218), rounded(3_400_000)]).toEqual([
      '3,376',
      '3,376',
      '34.2K',
      '3.4M',
    ]);
  });

  it('that are rates below 1 have a digit', () => {
    expect([rate(0), rate(0.01), rate(0.11), rate(0.97), rate(1), rate(34_218)]).toEqual([
      ...['0', '0', '0.1', '1.0', '1', '34.2K'],
    ]);
  });

  it('that count bytes have binary units', () => {
    expect([bytes(512), bytes(1536), bytes(150 * 2 ** 20), bytes(2 ** 40)]).toEqual([
      '512 bytes',
      '1.5 KiB',
      '150 MiB',
      '1.0 TiB',
    ]);
  });

  it('that are shares are never rounded up to 100 % or down to 0 %', () => {
    expect([percent(0), percent(0.004), percent(0.478), percent(0.996), percent(1)]).toEqual([
      '0 %',
      '<1 %',
      '47 %',
      '99 %',
      '100 %',
    ]);
  });
});

describe('times', () => {
  it('that are durations have at most two units', () => {
    const seconds = [0.42, 12.4, 134, 11_100, 187_200];
    expect(seconds.map(duration)).toEqual(['0.4 s', '12 s', '2 m 14 s', '3 h 5 m', '2 d 4 h']);
  });

  it('show small fractions of a millisecond for stages', () => {
    expect([0.0213, 4.12, 41.2, 1_200].map(millis)).toEqual(['0.02 ms', '4.1 ms', '41 ms', '1.2 s']);
  });

  it('are relative for 30 days', () => {
    const now = 1_800_000_000;
    expect([ago(now - 5, now), ago(now - 300, now), ago(now - 7_300, now)]).toEqual(['now', '5 min ago', '2 hr ago']);
    expect(ago(now - 40 * 86_400, now)).toMatch(/2026/);
  });
});

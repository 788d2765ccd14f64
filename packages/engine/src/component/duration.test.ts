import { expect, it } from 'vitest';
import { parseDuration } from './duration.ts';

it.each([
  ['2h', 7_200_000_000_000n],
  ['90 seconds', 90_000_000_000n],
  ['1500', 1_500_000_000n],
  ['0.5d', 43_200_000_000_000n],
  ['two hours', undefined],
  ['', undefined],
])('reads %j as a duration', (text, nanos) => {
  expect(parseDuration(text)).toBe(nanos);
});

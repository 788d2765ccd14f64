import { expect, it } from 'vitest';
import { relative, requestRates, sparkline } from './sparkline.ts';

it('a line has a point for each value, the largest at the top', () => {
  expect(sparkline([0, 1, 0.5])).toBe('0.0,23.0 50.0,1.0 100.0,12.0');
  expect(sparkline(relative([0, 10]))).toBe('0.0,23.0 100.0,1.0');
  expect(relative([0, 0])).toEqual([0, 0]);
});

it('the rate of requests is the difference between samples', () => {
  const samples = [
    { time: 0, requests: 5 },
    { time: 10, requests: 25 },
    { time: 20, requests: 25 },
  ];
  expect(requestRates(samples)).toEqual([2, 0]);
  expect(requestRates(samples.slice(0, 1))).toEqual([]);
});

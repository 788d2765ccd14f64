import { expect, it } from 'vitest';
import type { RunDetails } from '../api/types.ts';
import { ratesOf } from './rates.ts';
import { stageShares } from './stage-shares.ts';

it('the rate at a sample is that of the documents since the sample before', () => {
  const sample = (time: number, finished: number) => ({ time, finished, failed: 0, pending: 0 });
  expect(ratesOf([sample(10, 0), sample(12, 100), sample(12, 100), sample(13, 130)])).toEqual([
    [10, 50],
    [12, 50],
    [13, 30],
  ]);
  expect(ratesOf([])).toEqual([]);
  expect(ratesOf([sample(10, 5)])).toEqual([]);
});

it('the share of a stage is its part of the time of all stages', () => {
  const stage = (name: string, processed: number, meanMillis: number) =>
    ({ stage: name, processed, meanMillis }) as RunDetails['progress']['stages'][number];
  expect(stageShares([stage('a', 10, 3), stage('b', 5, 2)]).map(({ share }) => share)).toEqual([0.75, 0.25]);
  expect(stageShares([stage('a', 0, 0)]).map(({ share }) => share)).toEqual([0]);
});

import { expect, it } from 'vitest';
import type { Failure, RunDetails } from '../api/types.ts';
import { groupFailures } from './failure-groups.ts';
import { stageShares } from './stage-shares.ts';

function failure(id: string, at: string, message: string): Failure {
  return { id, at, message, code: 'HR_STAGE_FAILED', connector: 'c', processed: false };
}

it('failures with the same reason are one group, for any values that their messages quote', () => {
  const groups = groupFailures([
    failure('1', 'parse', 'The value "a" at line 3 is not a date'),
    failure('2', 'split', 'The value "a" at line 3 is not a date'),
    failure('3', 'parse', 'The value "b" at line 17 is not a date'),
  ]);
  expect(groups.map(({ at, failures }) => [at, failures.map(({ id }) => id)])).toEqual([
    ['parse', ['1', '3']],
    ['split', ['2']],
  ]);
});

it('the share of a stage is its part of the time of all stages', () => {
  const stage = (name: string, processed: number, meanMillis: number) =>
    ({ stage: name, processed, meanMillis }) as RunDetails['progress']['stages'][number];
  expect(stageShares([stage('a', 10, 3), stage('b', 5, 2)]).map(({ share }) => share)).toEqual([0.75, 0.25]);
  expect(stageShares([stage('a', 0, 0)]).map(({ share }) => share)).toEqual([0]);
});

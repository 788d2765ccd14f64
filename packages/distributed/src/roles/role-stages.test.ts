import { noCounts, STAGE_COUNTERS, type StageProgress } from '@headrace/engine';
import { expect, it } from 'vitest';
import { addStages } from './role-stages.ts';

const stage = (name: string, counts: Partial<StageProgress>): StageProgress => ({
  connector: 'c',
  pipeline: 'p',
  stage: name,
  class: name,
  ...noCounts(STAGE_COUNTERS),
  meanMillis: 0,
  ...counts,
});

it('the stages of a role keep their counts and their mean time when the role starts again', () => {
  const first = [stage('A', { processed: 3, failed: 1, meanMillis: 2 }), stage('B', { skipped: 2 })];
  const second = [stage('A', { processed: 1, meanMillis: 6 }), stage('B', {})];
  expect(addStages(first, second)).toEqual([
    stage('A', { processed: 4, failed: 1, meanMillis: 3 }),
    stage('B', { skipped: 2 }),
  ]);
});

it('a run of a role that ends before its stages start does not change the counts', () => {
  const stages = [stage('A', { processed: 3 })];
  expect(addStages([], stages)).toEqual(stages);
  expect(addStages(stages, [])).toEqual(stages);
});

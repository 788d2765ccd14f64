import { noCounts, RUN_COUNTERS, STAGE_COUNTERS } from '@headrace/engine/counters';
import { expect, it } from 'vitest';
import type { FailureGroup, RunDetails } from '../api/types.ts';
import { comparedFailures, comparedNumbers, comparedStages } from './compared-runs.ts';

const counts = { ...noCounts(RUN_COUNTERS), pending: 0, docsPerSecond: 0 };

function run(progress: Partial<RunDetails['progress']>, over: Partial<RunDetails> = {}): RunDetails {
  return {
    startTime: 100,
    endTime: 110,
    progress: { ...counts, connectors: [], stages: [], ...progress },
    ...over,
  } as RunDetails;
}

function stage(name: string, meanMillis: number, processed = 10) {
  const place = { connector: 'c', pipeline: 'p', stage: name, class: 'Trim' };
  return { ...place, ...noCounts(STAGE_COUNTERS), processed, meanMillis };
}

function group(key: string, count: number): FailureGroup {
  return { group: key, count, replayable: count, example: { message: `reason ${key}`, at: 'trim' } } as FailureGroup;
}

it('the numbers of two runs have their differences', () => {
  const rows = comparedNumbers(
    run({ published: 100, succeeded: 100, docsPerSecond: 10 }),
    run({ published: 101, succeeded: 96, failed: 5, docsPerSecond: 250 }, { endTime: null }),
  );
  expect(rows.map(({ name, a, b, difference }) => [name, a, b, difference])).toEqual([
    ['Duration', '10 s', '', ''],
    ['Documents per second', '10', '250', '+25×'],
    ['Read', '100', '101', '+1 %'],
    ['Created by stages', '0', '0', ''],
    ['Succeeded', '100', '96', '−4 %'],
    ['Failed', '0', '5', 'new'],
    ['Dropped', '0', '0', ''],
  ]);
});

it('stages are compared by name, also those that only one run has', () => {
  const rows = comparedStages(
    run({ stages: [stage('old', 1), stage('trim', 2)] }),
    run({ stages: [stage('trim', 3), stage('idle', 0, 0)] }),
  );
  expect(rows.map(({ name, a, b, difference }) => [name, a, b, difference])).toEqual([
    ['trim', '2.0 ms', '3.0 ms', '+50 %'],
    ['idle', '', '', ''],
    ['old', '1.0 ms', '', ''],
  ]);
});

it('failures are compared by group, the most frequent of the second run first', () => {
  const rows = comparedFailures([group('x', 1), group('y', 4)], [group('z', 2), group('y', 1)]);
  expect(rows.map(({ name, a, b, difference }) => [name, a, b, difference])).toEqual([
    ['reason z', '0', '2', 'new'],
    ['reason y', '4', '1', '−75 %'],
    ['reason x', '1', '0', 'gone'],
  ]);
});

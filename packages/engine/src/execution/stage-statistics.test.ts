import { expect, it } from 'vitest';
import { newStatistics, StatisticsMark } from './stage-statistics.ts';

it('a mark of statistics restores the counts of all stages, but not their times', () => {
  const stages = [newStatistics('a'), newStatistics('b')];
  const mark = new StatisticsMark(stages);
  for (let round = 1; round < 4; round++) {
    const undo = mark.mark();
    const before = structuredClone(stages);
    for (const statistics of stages) {
      statistics.processed += 5;
      statistics.children += 2;
      statistics.failed++;
      statistics.skipped++;
      statistics.timed++;
    }
    undo();
    expect(stages).toEqual(before.map((statistics) => ({ ...statistics, timed: round })));
    for (const statistics of stages) statistics.processed++;
  }
});

it('an interrupted mark leaves the undo of the mark before it intact', () => {
  const stages = [newStatistics('a'), newStatistics('b')];
  const mark = new StatisticsMark(stages);
  const undo = mark.mark();
  for (const statistics of stages) statistics.processed = 7;
  Object.defineProperty(stages[1], 'failed', {
    get: () => {
      throw new Error('interrupted');
    },
    set: () => undefined,
  });
  expect(() => mark.mark()).toThrow('interrupted');
  undo();
  expect(stages.map(({ processed }) => processed)).toEqual([0, 0]);
});

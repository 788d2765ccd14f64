import { expect, it } from 'vitest';
import { RunSamples } from './run-samples.ts';

function sampled(seconds: number): { time: number; finished: number }[] {
  const samples = new RunSamples();
  for (let time = 0; time <= seconds; time++)
    samples.add(time, { succeeded: time * 10, failed: 1, dropped: 2, pending: 3 });
  return (JSON.parse(samples.toJson()) as { items: { time: number; finished: number }[] }).items;
}

it('a short run has a sample for each measurement', () => {
  expect(new RunSamples().toJson()).toBe('{"items":[]}');
  expect(sampled(1)).toEqual([
    { time: 0, finished: 3, failed: 1, pending: 3 },
    { time: 1, finished: 13, failed: 1, pending: 3 },
  ]);
});

it('a long run has a bounded number of samples at equal distances, and its last measurement', () => {
  for (const seconds of [299, 300, 301, 1000, 100_001]) {
    const items = sampled(seconds);
    expect(items.length).toBeLessThanOrEqual(301);
    expect(items.length).toBeGreaterThan(Math.min(seconds, 150));
    const distances = new Set(items.slice(1, -1).map(({ time }, i) => time - (items[i]?.time as number)));
    expect(distances.size).toBe(1);
    expect([items[0]?.time, items.at(-1)?.time]).toEqual([0, seconds]);
  }
});

it('a running run stores its samples after the first measurement and then after each tenth, and at its end', () => {
  const samples = new RunSamples();
  const stored: number[] = [];
  for (let measured = 0; measured <= 25; measured++) {
    if (samples.toStore(false) !== undefined) stored.push(measured);
    samples.add(measured, { succeeded: 0, failed: 0, dropped: 0, pending: 0 });
  }
  expect(stored).toEqual([1, 11, 21]);
  expect(JSON.parse(samples.toStore(true) as string)).toMatchObject({ items: { length: 26 } });
});

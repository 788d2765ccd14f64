import { expect, it } from 'vitest';
import { Deadline } from './deadline.ts';

const endless = () => {
  for (;;);
};

/** Returns work that waits and uses no processor time. */
const sleeping = (millis: number) => () => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis);
};

/** A stopped clock. With it, the limit never forgets an overdue document, even on a busy machine. */
const stopped = () => 0;

it('reports endless work as overdue, and allows less time for later documents', () => {
  const limit = new Deadline(40, stopped);
  const limits: number[] = [];
  for (let i = 0; i < 4; i++) {
    limits.push(limit.current);
    let outcome = limit.run(endless);
    // The machine of the test may be busy, so the work may starve.
    while (outcome === 'starved') outcome = limit.run(endless);
    expect(outcome).toBe('overdue');
  }
  expect(limits).toEqual([40, 20, 10, 10]);
});

it('allows later documents at least twice the time of the slowest finished document', () => {
  const limit = new Deadline(60, stopped);
  const compute = () => {
    const { user, system } = process.threadCpuUsage();
    for (let now = { user, system }; now.user + now.system - user - system < 18_000; ) now = process.threadCpuUsage();
  };
  while (limit.run(compute) !== 'done');
  for (let i = 0; i < 2; i++) expect(limit.runOnce(endless)).toBe(false);
  expect(limit.current).toBeGreaterThanOrEqual(36);
});

it('reports work without processor time as starved, and allows more time for it', () => {
  const limit = new Deadline(50);
  const outcomes: string[] = [];
  // In 150 ms on the clock, the work gets no processor time.
  for (let outcome = ''; outcome !== 'done' && outcomes.length < 5; ) {
    outcome = limit.run(sleeping(150));
    outcomes.push(outcome);
  }
  expect(outcomes.at(-1)).toBe('done');
  expect(outcomes.slice(0, -1)).toEqual(outcomes.slice(0, -1).map(() => 'starved'));
  expect(limit.current).toBe(50);
});

it('stops repeating work that uses no processor time and never ends', () => {
  const limit = new Deadline(5);
  const outcomes: string[] = [];
  for (let outcome = ''; outcome !== 'overdue' && outcomes.length < 10; ) {
    outcome = limit.run(sleeping(2 ** 31));
    outcomes.push(outcome);
  }
  expect(outcomes.at(-1)).toBe('overdue');
  expect(outcomes.length).toBeGreaterThan(1);
});

it('allows documents the full limit again, long after an overdue document', () => {
  let now = 0;
  const limit = new Deadline(20, () => now);
  for (let i = 0; i < 3; i++) expect(limit.runOnce(endless)).toBe(false);
  expect(limit.current).toBe(5);
  now = 201;
  expect(limit.current).toBe(20);
  expect(limit.runOnce(endless)).toBe(false);
  expect(limit.current).toBe(10);
});

import { describe, expect, it } from 'vitest';
import { PART_MILLIS, PassClock } from './pass-clock.ts';

/** Returns a clock that a test sets. It counts how often it was read. */
function setClock() {
  const time = { now: 1000, reads: 0 };
  const clock = new PassClock(() => {
    time.reads++;
    return time.now;
  });
  clock.startBatch();
  clock.startPass();
  return { time, clock };
}

/** Processes documents with this duration until the pass ends. Returns their number. */
function processUntilOver({ time, clock }: ReturnType<typeof setClock>, millisEach: number): number {
  for (let documents = 1; documents < 1_000_000; documents++) {
    time.now += millisEach;
    if (clock.isOver(1)) return documents;
  }
  throw new Error('the pass is never over');
}

describe('a pass clock', () => {
  it('ends a pass when a part is due, even if the documents are fast', () => {
    for (const millis of [0.01, 1, 20]) {
      const set = setClock();
      set.clock.startWork(false);
      const worked = processUntilOver(set, millis) * millis;
      expect(worked).toBeGreaterThan(PART_MILLIS);
      expect(worked).toBeLessThanOrEqual(PART_MILLIS + Math.max(10, 64 * 0.01, millis) + millis);
    }
  });

  it('reads the time for each slow document, and for one in 64 fast documents', () => {
    const slow = setClock();
    slow.clock.startWork(false);
    const before = slow.time.reads;
    const slowDocuments = processUntilOver(slow, 20);
    expect(slow.time.reads - before).toBe(slowDocuments);
    const fast = setClock();
    fast.clock.startWork(false);
    const documents = processUntilOver(fast, 0.01);
    expect(fast.time.reads).toBeLessThan(documents / 50);
  });

  it('reads the time soon after documents become slow', () => {
    const set = setClock();
    set.clock.startWork(false);
    for (let i = 0; i < 1000; i++) {
      set.time.now += 0.01;
      set.clock.isOver(1);
    }
    expect(processUntilOver(set, 300)).toBeLessThanOrEqual(64);
    expect(processUntilOver(set, 300)).toBe(1);
  });

  it('allows a pass ten times the time that it took to decode the finished documents again', () => {
    const set = setClock();
    const { time, clock } = set;
    expect(clock.isWorking).toBe(false);
    time.now += 100;
    clock.startWork(true);
    expect(clock.isWorking).toBe(true);
    expect(processUntilOver(set, 10) * 10).toBeGreaterThan(1000);
    expect(clock.allowanceMillis).toBe(2 * PART_MILLIS + 2000);
  });

  it('does not count the time before the first document of a batch as repeated decoding', () => {
    const { time, clock } = setClock();
    time.now += 100;
    clock.startWork(false);
    expect(clock.allowanceMillis).toBe(2 * PART_MILLIS);
  });

  it('resets the time of repeated decoding at the start of a batch', () => {
    const { time, clock } = setClock();
    time.now += 100;
    clock.startWork(true);
    clock.startBatch();
    expect(clock.allowanceMillis).toBe(2 * PART_MILLIS);
  });
});

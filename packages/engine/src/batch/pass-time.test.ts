import { describe, expect, it } from 'vitest';
import { PART_MILLIS, PassTime } from './pass-time.ts';

/** The time limit of a document. */
const LIMIT = 1600;
/** The least time that V8 allows a pass in addition to its work. */
const MORE = 2 * PART_MILLIS;

/** Returns a clock that a test sets. It counts how often it was read. */
function setClock() {
  const time = { now: 1000, reads: 0 };
  const clock = new PassTime(LIMIT, () => {
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

describe('the end of a pass', () => {
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
    expect(clock.limitMillis(false)).toBe(LIMIT / 16 + MORE + 2000);
  });

  it('does not count the time before the first document of a batch as repeated decoding', () => {
    const { time, clock } = setClock();
    time.now += 100;
    clock.startWork(false);
    expect(clock.limitMillis(false)).toBe(LIMIT / 16 + MORE);
  });

  it('resets the time of repeated decoding at the start of a batch', () => {
    const { time, clock } = setClock();
    time.now += 100;
    clock.startWork(true);
    clock.startBatch();
    expect(clock.limitMillis(false)).toBe(LIMIT / 16 + MORE);
  });
});

describe('the time limit of a pass', () => {
  it('is a sixteenth of the time limit of a document, and the time until a part is due', () => {
    expect(new PassTime(LIMIT).limitMillis(false)).toBe(100 + MORE);
  });

  it('is the limit of a document if documents are processed alone', () => {
    expect(new PassTime(LIMIT).limitMillis(true)).toBe(LIMIT + MORE);
  });

  it('is the limit of a document if the last pass was too short for a record', () => {
    const time = new PassTime(LIMIT);
    expect(time.noteEndedUnread(false, 100)).toBe(true);
    expect(time.limitMillis(false)).toBe(LIMIT + MORE);
    time.noteRead();
    expect(time.limitMillis(false)).toBe(100 + MORE);
  });

  it('is not repeated for a record that has used the full processor time of a document', () => {
    const time = new PassTime(LIMIT);
    expect([time.noteEndedUnread(false, 100), time.noteEndedUnread(false, LIMIT)]).toEqual([true, false]);
    expect(new PassTime(LIMIT).noteEndedUnread(true, LIMIT)).toBe(false);
  });

  it('is sixteen limits for a record on a busy machine, which is then not repeated', () => {
    const time = new PassTime(LIMIT);
    expect([time.noteEndedUnread(false, 10), time.noteEndedUnread(false, 50)]).toEqual([true, true]);
    expect(time.limitMillis(false)).toBe(16 * LIMIT + MORE);
    expect(time.noteEndedUnread(false, 50)).toBe(false);
  });

  it('is short again at the start of a batch', () => {
    const time = new PassTime(LIMIT);
    time.noteEndedUnread(false, 10);
    time.startBatch();
    expect(time.limitMillis(false)).toBe(100 + MORE);
  });
});

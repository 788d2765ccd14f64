import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemoryLedger, memoryLimits } from './memory-ledger.ts';

function ledger(megabytes: number): MemoryLedger {
  const created = new MemoryLedger(new SharedArrayBuffer(64 * 1024));
  created.setLimits(memoryLimits(megabytes));
  return created;
}

it('half of the memory is the reserve, and one run leaves memory for others', () => {
  expect(memoryLimits(1024)).toEqual({
    process: 512 * 1024,
    run: 384 * 1024,
    thread: 192 * 1024,
    document: 512 * 1024,
  });
});

it('never gives more than the limits of the process, a run and a thread, and gets everything back', () => {
  const threads = [
    { thread: 1, run: 1 },
    { thread: 2, run: 1 },
    { thread: 3, run: 3 },
    { thread: 4, run: 3 },
    { thread: 5, run: 3 },
  ];
  const step = fc.record({
    at: fc.nat(threads.length - 1),
    kib: fc.integer({ min: 1, max: 500 }),
    gives: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const shared = ledger(2);
      const { process: all, run: mostOfRun, thread: mostOfThread } = shared.limits;
      const entries = threads.map(({ thread, run }) => shared.entryOf(thread, run));
      const taken = threads.map(() => 0);
      for (const { at, kib, gives } of steps) {
        const before = taken[at] as number;
        if (gives) {
          const given = Math.min(kib, before);
          shared.give(entries[at] as number, given);
          taken[at] = before - given;
          continue;
        }
        const { run } = threads[at] as (typeof threads)[number];
        const sum = (of?: number) =>
          taken.reduce((total, value, i) => (of === undefined || threads[i]?.run === of ? total + value : total), 0);
        const fits = before + kib <= mostOfThread && sum(run) + kib <= mostOfRun && sum() + kib <= all;
        expect(shared.take(entries[at] as number, kib)).toBe(fits);
        if (fits) taken[at] = before + kib;
      }
      expect(shared.taken).toBe(taken.reduce((total, value) => total + value, 0));
      // The end of a run thread gives back what its threads held.
      shared.end(3);
      expect(shared.taken).toBe((taken[0] as number) + (taken[1] as number));
      shared.end(2);
      shared.end(1);
      expect(shared.taken).toBe(0);
    }),
  );
});

it('the reserve belongs to one thread at a time, also if that thread is ended', () => {
  const shared = ledger(2);
  shared.entryOf(7, 7);
  expect(shared.takeReserve(7)).toBe(true);
  expect(shared.takeReserve(8)).toBe(false);
  shared.giveReserve(8);
  expect(shared.takeReserve(8)).toBe(false);
  shared.end(7);
  expect(shared.takeReserve(8)).toBe(true);
});

it('an ended thread leaves its entry to a new thread', () => {
  const shared = ledger(2);
  expect(shared.entryOf(1, 1)).toBe(0);
  expect(shared.entryOf(2, 1)).toBe(1);
  shared.end(2);
  expect(shared.entryOf(3, 3)).toBe(1);
  expect(shared.entryOf(1, 1)).toBe(0);
});

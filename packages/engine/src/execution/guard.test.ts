import { describe, expect, it } from 'vitest';
import { type GuardedWork, runGroup, runGuarded } from './guard.ts';

describe('runGuarded', () => {
  it('runs work that finishes in time', () => {
    const seen: number[] = [];
    expect(runGuarded(() => seen.push(1), 60_000)).toBe(true);
    expect(seen).toEqual([1]);
  });

  it('throws the error of the work', () => {
    const work = () => {
      throw new TypeError('not this');
    };
    expect(() => runGuarded(work, 60_000)).toThrow(new TypeError('not this'));
  });

  it.each([
    [
      'a loop',
      () => {
        for (;;);
      },
    ],
    ['a regular expression', () => void /^(a+)+b$/.test('a'.repeat(100))],
  ])('interrupts %s that never ends, and runs the next work', (_, work) => {
    expect(runGuarded(work, 50)).toBe(false);
    expect(runGuarded(() => undefined, 60_000)).toBe(true);
  });
});

/** Returns a function that runs a group of documents, and a list of the events of each document. */
function groupOf(count: number, options: Partial<GuardedWork> = {}) {
  const events: string[] = [];
  const work: GuardedWork = {
    count,
    process: (document) => void events.push(`${document} out`),
    ends: () => false,
    guard: (run, moreMillis = 0) => runGuarded(run, 50 + moreMillis),
    mark: () => {
      const length = events.length;
      return () => void events.splice(length);
    },
    overdue: (document) => void events.push(`${document} overdue`),
    now: () => 0,
    ...options,
  };
  return { events, run: (from = 0) => runGroup(work, from) };
}

describe('runGroup', () => {
  it('processes all documents within one guard', () => {
    let guards = 0;
    const guard = (work: () => void) => {
      guards++;
      work();
      return true;
    };
    const { events, run } = groupOf(3, { guard });
    expect(run()).toEqual({ finished: 3, waiting: undefined });
    expect(events).toEqual(['0 out', '1 out', '2 out']);
    expect(guards).toBe(1);
  });

  it('ends the group at a document that waits', () => {
    const promise = Promise.resolve();
    const { run } = groupOf(3, { process: (document) => (document === 1 ? promise : undefined) });
    expect(run()).toEqual({ finished: 2, waiting: promise });
  });

  it('ends the group after its target time, or when `ends` returns true', () => {
    let now = 0;
    expect(groupOf(5, { now: () => (now += 40) }).run().finished).toBe(3);
    let asked = 0;
    expect(groupOf(5, { ends: () => ++asked === 2 }).run().finished).toBe(2);
  });

  it('fails only the document that computes endlessly, and removes only its output', () => {
    const out: string[] = [];
    const process = (document: number) => {
      out.push(`${document} out`);
      for (; document === 1; );
      return undefined;
    };
    const { events, run } = groupOf(3, {
      process,
      mark: () => {
        const length = out.length;
        return () => void out.splice(length);
      },
    });
    expect(run()).toEqual({ finished: 2, waiting: undefined });
    expect(out).toEqual(['0 out']);
    expect(events).toEqual(['1 overdue']);
  });

  it('fails the first document if V8 interrupts the group before it starts', () => {
    const { events, run } = groupOf(2, { guard: () => false });
    expect(run()).toEqual({ finished: 1, waiting: undefined });
    expect(events).toEqual(['0 overdue']);
  });

  it('continues from the given document', () => {
    const { events, run } = groupOf(3);
    expect(run(1)).toEqual({ finished: 2, waiting: undefined });
    expect(events).toEqual(['1 out', '2 out']);
  });

  it('keeps a document that waits when V8 interrupts the group', () => {
    const promise = Promise.resolve();
    const guard = (work: () => void) => {
      work();
      return false;
    };
    const { events, run } = groupOf(3, { guard, process: () => promise });
    expect(run()).toEqual({ finished: 1, waiting: promise });
    expect(events).toEqual([]);
  });
});

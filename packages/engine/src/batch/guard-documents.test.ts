import { describe, expect, it } from 'vitest';
import { runGuarded } from './compute-guard.ts';
import { type GuardDocumentsOptions, guardDocuments } from './guard-documents.ts';

/** Returns options for `guardDocuments`, and a list of the events of each document. */
function optionsFor(count: number, options: Partial<GuardDocumentsOptions> = {}) {
  const events: string[] = [];
  const all: GuardDocumentsOptions = {
    count,
    process: (document) => void events.push(`${document} out`),
    ends: () => false,
    guard: (work, moreMillis) => runGuarded(work, 50 + moreMillis),
    mark: () => {
      const length = events.length;
      return () => void events.splice(length);
    },
    overdue: (document) => void events.push(`${document} overdue`),
    now: () => 0,
    ...options,
  };
  return { events, run: () => guardDocuments(all) };
}

describe('guardDocuments', () => {
  it('processes all documents within one guard', () => {
    let guards = 0;
    const guard = (work: () => void) => {
      guards++;
      work();
      return true;
    };
    const { events, run } = optionsFor(3, { guard });
    expect(run()).toEqual({ finished: 3, waiting: undefined });
    expect(events).toEqual(['0 out', '1 out', '2 out']);
    expect(guards).toBe(1);
  });

  it('ends the group at a document that waits', () => {
    const promise = Promise.resolve();
    const { run } = optionsFor(3, { process: (document) => (document === 1 ? promise : undefined) });
    expect(run()).toEqual({ finished: 2, waiting: promise });
  });

  it('ends the group after its target time, or when `ends` returns true', () => {
    let now = 0;
    expect(optionsFor(5, { now: () => (now += 4) }).run().finished).toBe(3);
    let asked = 0;
    expect(optionsFor(5, { ends: () => ++asked === 2 }).run().finished).toBe(2);
  });

  it('fails only the document that computes endlessly, and removes only its output', () => {
    const out: string[] = [];
    const process = (document: number) => {
      out.push(`${document} out`);
      for (; document === 1; );
      return undefined;
    };
    const { events, run } = optionsFor(3, {
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
    const { events, run } = optionsFor(2, { guard: () => false });
    expect(run()).toEqual({ finished: 1, waiting: undefined });
    expect(events).toEqual(['0 overdue']);
  });
});

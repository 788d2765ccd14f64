import { describe, expect, it } from 'vitest';
import type { Overlap } from '../api/overlap.ts';
import { RunQueue } from './run-queue.ts';

const run = (id: string, configId: string | undefined, overlap: Overlap = 'allow') => ({ id, configId, overlap });

/** Returns the runs in the order in which they start if each ends before the next one starts. */
function order(queue: RunQueue<ReturnType<typeof run>>): string[] {
  const ids: string[] = [];
  for (let next = queue.next(); next !== undefined; next = queue.next()) {
    ids.push(next.id);
    queue.ended(next);
  }
  return ids;
}

describe('the queue of runs', () => {
  it('alternates between configs, and keeps the order of the runs of each config', () => {
    const queue = new RunQueue<ReturnType<typeof run>>();
    for (const id of ['a1', 'a2', 'a3', 'a4']) queue.add(run(id, 'a'));
    for (const id of ['b1', 'b2']) queue.add(run(id, 'b'));
    queue.add(run('own1', undefined));
    queue.add(run('own2', undefined));
    expect(queue.size).toBe(8);
    expect(order(queue)).toEqual(['a1', 'b1', 'own1', 'a2', 'b2', 'own2', 'a3', 'a4']);
    expect(queue.size).toBe(0);
  });

  it('returns the position of each run', () => {
    const queue = new RunQueue<ReturnType<typeof run>>();
    const runs = ['a1', 'a2', 'b1', 'a3', 'c1', 'b2', 'own'].map((id) => run(id, id === 'own' ? undefined : id[0]));
    for (const each of runs) queue.add(each);
    queue.ended(queue.next() as (typeof runs)[number]);
    const byPlace = new Map(runs.map((each) => [queue.position(each), each.id]));
    expect(byPlace.get(undefined)).toBe('a1');
    const places = [1, 2, 3, 4, 5, 6].map((place) => byPlace.get(place));
    expect(places).toEqual(order(queue));
  });

  it('delays a run that waits for other runs of its config, while runs of other configs start', () => {
    const queue = new RunQueue<ReturnType<typeof run>>();
    const first = run('a1', 'a', 'queue');
    queue.add(first);
    queue.add(run('a2', 'a', 'queue'));
    queue.add(run('a3', 'a'));
    queue.add(run('b1', 'b'));
    queue.add(run('own1', undefined, 'queue'));
    queue.add(run('own2', undefined, 'queue'));
    expect([queue.next(), queue.next(), queue.next(), queue.next(), queue.next()].map((each) => each?.id)).toEqual([
      'a1',
      'b1',
      'own1',
      'own2',
      undefined,
    ]);
    queue.ended(first);
    // The third run may run at the same time as the second, but must not start before it.
    expect([queue.next()?.id, queue.next()?.id, queue.next()]).toEqual(['a2', 'a3', undefined]);
  });

  it('skips a run that was removed', () => {
    const queue = new RunQueue<ReturnType<typeof run>>();
    const runs = ['a1', 'a2', 'b1'].map((id) => run(id, id[0]));
    for (const each of runs) queue.add(each);
    const [a1, a2, b1] = runs as [(typeof runs)[0], (typeof runs)[0], (typeof runs)[0]];
    queue.remove(a1);
    queue.remove(a1);
    queue.remove(b1);
    expect(queue.size).toBe(1);
    expect(queue.position(a2)).toBe(1);
    expect(queue.last('a')).toBe(a2);
    expect(queue.last('b')).toBeUndefined();
    expect(order(queue)).toEqual(['a2']);
  });
});

import { expect, it } from 'vitest';
import { Rebuild } from './rebuild.ts';
import type { RebuiltIndex } from './rebuild-mark.ts';
import type { RebuildTarget } from './rebuild-target.ts';

/** A server with indices in memory. */
function targetWith(indices: Map<string, RebuiltIndex>): RebuildTarget {
  return {
    what: 'index',
    address: 'memory',
    requireAlias: async () => new Set(),
    live: async () => new Set(),
    marked: async () => [...indices.values()],
    create: async (index) => void indices.set(index.name, index),
    prepare: async () => {},
    complete: async () => {},
    check: async () => [],
    moveToNew: async () => new Set(),
    moveBack: async () => {},
    changeMark: async ({ name, mark }, change) => void indices.set(name, { name, mark: { ...mark, ...change } }),
    remove: async (name) => void indices.delete(name),
  };
}

it('a rebuild cancels the move of a killed one before it removes its index, and keeps an index that is live', async () => {
  const indices = new Map<string, RebuiltIndex>();
  const plan = { base: 'b', alias: 'a', keep: 1, checks: {} };
  const log = { info: () => {}, warn: () => {} };
  const target = targetWith(indices);
  const killed = new Rebuild({ plan, runId: 'killed', log });
  await killed.begin(target);
  const { name, mark } = indices.get(killed.index) as RebuiltIndex;
  indices.set(name, { name, mark: { ...mark, process: { ...mark.process, pid: 2 ** 22 + 1 } } });
  const live = new Set<string>();
  const removed: string[] = [];
  const next = new Rebuild({ plan, runId: 'next', log });
  await next.begin({
    ...target,
    live: async () => live,
    // The server executes the late request just before.
    cancelMove: async (index) => void live.add(index),
    remove: async (index) => void removed.push(index),
  });
  expect([removed, indices.get(name)?.mark.state]).toEqual([[], 'complete']);
});

it.each([false, true])(
  'a failed rebuild says whether its index is still there (deleted during the run: %s)',
  async (isDeleted) => {
    const indices = new Map<string, RebuiltIndex>();
    const warnings: string[] = [];
    const log = { info: () => {}, warn: (message: string) => void warnings.push(message) };
    const plan = { base: 'b', alias: 'a', keep: 1, checks: {} };
    const rebuild = new Rebuild({ plan, runId: 'r', log });
    await rebuild.begin(targetWith(indices));
    if (isDeleted) indices.clear();
    const gone = rebuild.requireIndex((message) => new Error(message));
    if (isDeleted) await expect(gone).rejects.toThrow(`The index ${rebuild.index} was deleted during the run`);
    else await gone;
    await rebuild.fail('reason');
    const fate = isDeleted
      ? `The index ${rebuild.index} was deleted`
      : `The next run removes the index ${rebuild.index}`;
    expect(warnings).toEqual([`The alias a did not move. ${fate}`]);
    expect([...indices.values()].map(({ mark }) => mark.state)).toEqual(isDeleted ? [] : ['failed']);
  },
);

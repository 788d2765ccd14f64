import { describe, expect, it } from 'vitest';
import { deleteWithinLimit } from './deletion-check.ts';
import { Rebuild } from './rebuild.ts';
import { runChecks } from './rebuild-checks.ts';
import type { RebuildTarget } from './rebuild-target.ts';
import type { FinishedRun } from './types.ts';

const lost: FinishedRun = {
  failed: 0,
  losses: [
    { code: 'file.skipped', count: 3 },
    { code: 'custom.short', count: 1 },
  ],
};
const whole: FinishedRun = { failed: 0, losses: [] };

/** Finishes a rebuild. Returns its checks, and whether the alias has moved. */
async function rebuilt(run: FinishedRun, allowNotices?: readonly string[]) {
  let moved = false;
  const target: Partial<RebuildTarget> = {
    what: 'index',
    requireAlias: async () => new Set(),
    live: async () => new Set(),
    marked: async () => [],
    create: async () => {},
    prepare: async () => {},
    complete: async () => {},
    changeMark: async () => {},
    remove: async () => {},
    check: (_, checks, run) =>
      runChecks({
        what: 'index',
        checks,
        run,
        count: async () => 2,
        countLive: async () => undefined,
        countWith: async () => 2,
        search: async () => [],
      }),
    moveToNew: async () => {
      moved = true;
      return new Set();
    },
  };
  const log = { info: () => {}, warn: () => {} };
  const checks = allowNotices === undefined ? {} : { allowNotices };
  const rebuild = new Rebuild({ plan: { base: 'b', alias: 'a', keep: 1, checks }, runId: 'r', log });
  await rebuild.begin(target as RebuildTarget);
  const finished = await rebuild.finish(run, new AbortController().signal);
  await rebuild.fail('the test is over');
  return { moved, notices: finished.checks.filter(({ name }) => name === 'notices') };
}

describe('after a run that lost data', () => {
  const expected = 'no notices of the class loss, except those in allowNotices';

  it('a rebuild does not move its alias', async () => {
    const found = 'the run lost data: 3 file.skipped, 1 custom.short';
    expect(await rebuilt(lost)).toEqual({
      moved: false,
      notices: [{ name: 'notices', outcome: 'failed', found, expected }],
    });
    expect(await rebuilt(whole)).toEqual({ moved: true, notices: [] });
  });

  it('a rebuild moves its alias if all its notices are allowed', async () => {
    expect(await rebuilt(lost, ['file.skipped'])).toMatchObject({
      moved: false,
      notices: [{ found: 'the run lost data: 1 custom.short' }],
    });
    expect(await rebuilt(lost, ['file.skipped', 'custom.short'])).toMatchObject({
      moved: true,
      notices: [{ outcome: 'passed' }],
    });
  });

  it('sync deletes nothing, unless its notices are allowed', async () => {
    const sync = async (run: FinishedRun, allowNotices?: readonly string[]) => {
      let deleted = 0;
      const deleteAll = async () => ++deleted;
      const find = async () => ({ all: 100, old: 1, deleteAll });
      const check = await deleteWithinLimit({
        maxDeletePercent: undefined,
        run,
        allowNotices,
        noun: 'document',
        find,
      });
      return [deleted, check.outcome, check.found];
    };
    const nothing = 'nothing was deleted, because the run lost data: ';
    expect(await sync(lost)).toEqual([0, 'not run', `${nothing}3 file.skipped, 1 custom.short`]);
    expect(await sync(lost, ['file.skipped'])).toEqual([0, 'not run', `${nothing}1 custom.short`]);
    expect((await sync(lost, ['file.skipped', 'custom.short'])).slice(0, 2)).toEqual([1, 'passed']);
    expect((await sync(whole)).slice(0, 2)).toEqual([1, 'passed']);
  });
});

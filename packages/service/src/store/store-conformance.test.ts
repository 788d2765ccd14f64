import { describe, expect, it } from 'vitest';
import { config, ids, run, schedule, version } from '../testing/stored-items.test.support.ts';
import { temporaryDirectory } from '../testing/temporary-directory.test.support.ts';
import { MemoryStore } from './memory-store.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';

describe.each<[string, () => Store]>([
  ['memory', () => new MemoryStore()],
  ['sqlite', () => new SqliteStore(temporaryDirectory())],
])('the %s store', (_name, open) => {
  it('stores a config unchanged', async () => {
    const store = open();
    const a = config('a', { name: 'films', description: 'All films', labels: { team: 'search', __proto__x: '' } });
    expect(await store.addConfig(a, 10)).toBe('written');
    for (const key of ['a', 'films']) {
      expect(await store.config(key)).toEqual(a);
      expect(await store.configAnswer(key)).toEqual({ answer: '{"a":1}', version: 1, digest: 'd1' });
    }
    expect(await store.config('b')).toBeUndefined();
    expect(await store.configAnswer('b')).toBeUndefined();
    await store.close();
  });

  it('refuses configs beyond the limit, and accepts another one after a deletion', async () => {
    const store = open();
    const answers = await Promise.all(['a', 'b', 'c'].map((id) => store.addConfig(config(id), 2)));
    expect(answers).toEqual(['written', 'written', 'full']);
    expect(await store.deleteConfig('a', 2)).toBe(false);
    expect(await store.deleteConfig('a', 1)).toBe(true);
    expect(await store.deleteConfig('a', 1)).toBe(false);
    expect(await store.addConfig(config('c'), 2)).toBe('written');
    expect(ids(await store.listConfigs({ limit: 10 }))).toEqual(['c', 'b']);
    await store.close();
  });

  it('lists configs newest first, page by page', async () => {
    const store = open();
    for (const id of ['a', 'b', 'c', 'd', 'e']) await store.addConfig(config(id), 10);
    const first = await store.listConfigs({ limit: 2 });
    expect(ids(first)).toEqual(['e', 'd']);
    const second = await store.listConfigs({ limit: 2, before: first[1]?.seq });
    expect(ids(second)).toEqual(['c', 'b']);
    expect(ids(await store.listConfigs({ limit: 2, before: second[1]?.seq }))).toEqual(['a']);
    await store.close();
  });

  it('refuses a name that is in use, also for concurrent writes', async () => {
    const store = open();
    const named = (id: string) => store.addConfig(config(id, { name: 'films' }), 10);
    expect(await Promise.all([named('a'), named('b')])).toEqual(['written', 'name-taken']);
    await store.addConfig(config('c'), 10);
    expect(await store.replaceConfig(config('c', { name: 'films' }), 1, 5)).toBe('name-taken');
    expect(await store.replaceConfig(config('a', { name: 'movies' }), 1, 5)).toBe('written');
    expect(await store.replaceConfig(config('c', { name: 'films' }), 1, 5)).toBe('written');
    expect((await store.config('films'))?.id).toBe('c');
    expect((await store.config('movies'))?.id).toBe('a');
    await store.deleteConfig('a', 1);
    expect(await store.config('movies')).toBeUndefined();
    expect(await store.addConfig(config('d', { name: 'movies' }), 10)).toBe('written');
    await store.close();
  });

  it('stores the versions of a config up to the limit', async () => {
    const store = open();
    await store.addConfig(config('a', { current: version(1, { createdBy: 'mary' }) }), 10);
    await store.addConfig(config('b'), 10);
    for (let n = 2; n <= 5; n++) {
      expect(await store.replaceConfig(config('a', { current: version(n) }), n - 1, 3)).toBe('written');
    }
    expect(await store.config('a')).toEqual(config('a', { current: version(5) }));
    expect((await store.listConfigVersions('a', { limit: 10 })).map((each) => each.version)).toEqual([5, 4, 3]);
    expect(await store.listConfigVersions('a', { limit: 1, before: 5 })).toEqual([
      { version: 4, digest: 'd4', createdTime: version(4).createdTime, createdBy: null },
    ]);
    expect(await store.configVersion('a', 3)).toEqual(version(3));
    expect(await store.configVersion('a', 2)).toBeUndefined();
    expect(await store.configVersion('none', 1)).toBeUndefined();
    const [b, a] = await store.listConfigs({ limit: 10 });
    expect([b?.id, a?.id]).toEqual(['b', 'a']);
    expect(a).toMatchObject({
      version: 5,
      digest: 'd5',
      createdTime: version(1).createdTime,
      createdBy: 'mary',
      updatedTime: version(5).createdTime,
      updatedBy: null,
    });
    await store.deleteConfig('a', 5);
    expect(await store.listConfigVersions('a', { limit: 10 })).toEqual([]);
    await store.close();
  });

  it('stores the schedule of a config with its last run, until the config is deleted', async () => {
    const store = open();
    expect(await store.saveSchedule(schedule('a'), 9)).toBe('missing');
    await store.addConfig(config('a', { name: 'films' }), 9);
    expect([await store.configName('a'), await store.configName('b')]).toEqual(['films', null]);
    expect(await store.saveSchedule(schedule('a'), 1)).toBe('written');
    expect(await store.saveSchedule(schedule('p.conf', { preset: true, fixed: true }), 1)).toBe('full');
    expect(await store.saveSchedule(schedule('p.conf', { preset: true, fixed: true }), 2)).toBe('written');
    const state = { lastTime: null, lastRunId: null, lastProblem: null };
    expect(await store.listSchedules()).toEqual([
      { ...schedule('a'), ...state },
      { ...schedule('p.conf', { preset: true, fixed: true }), ...state },
    ]);
    await store.saveRun(run('r', { configId: 'a', scheduledTime: 60 }));
    const [started] = await store.listSchedules();
    expect(started).toMatchObject({ lastTime: 60, lastRunId: 'r', lastProblem: null });
    await store.noteSchedule('a', 120, '{}');
    // Later writes of the run do not change its schedule.
    await store.saveRun(run('r', { configId: 'a', scheduledTime: 60, done: true }));
    await store.saveRun(run('other', { configId: 'a' }));
    expect(await store.saveSchedule(schedule('a', { settings: '{"b":1}', setBy: null }), 1)).toBe('written');
    const [noted] = await store.listSchedules();
    expect(noted).toEqual({
      ...schedule('a', { settings: '{"b":1}', setBy: null }),
      lastTime: 120,
      lastRunId: 'r',
      lastProblem: '{}',
    });
    expect([await store.deleteSchedule('p.conf'), await store.deleteSchedule('p.conf')]).toEqual([true, false]);
    await store.deleteConfig('a', 1);
    expect(await store.listSchedules()).toEqual([]);
    await store.close();
  });

  it('replaces a config only if it has the expected version', async () => {
    const store = open();
    await store.addConfig(config('a'), 10);
    const next = (text: string) => store.replaceConfig(config('a', { current: version(2, { text }) }), 1, 5);
    expect(await Promise.all([next('first'), next('second')])).toEqual(['written', 'changed']);
    expect((await store.config('a'))?.current.text).toBe('first');
    expect(await store.replaceConfig(config('none'), 1, 5)).toBe('missing');
    // Changing only the notes creates no version.
    const noted = config('a', { description: 'new', current: version(2, { text: 'first' }) });
    expect(await store.replaceConfig(noted, 2, 5)).toBe('written');
    expect(await store.config('a')).toEqual(noted);
    expect(await store.listConfigVersions('a', { limit: 10 })).toHaveLength(2);
    await store.close();
  });

  it('finds configs by a part of their id, name or description', async () => {
    const store = open();
    await store.addConfig(config('first', { name: 'Films', labels: { team: 'a' } }), 10);
    await store.addConfig(config('second', { description: 'All films, 100 % of them' }), 10);
    await store.addConfig(config('third', { name: 'FÜR_ALLE', labels: { team: 'a' } }), 10);
    const found = async (text: string, labels?: Record<string, string>) =>
      ids(await store.listConfigs({ limit: 10 }, { text, labels }));
    expect(await found('FILM')).toEqual(['second', 'first']);
    expect(await found('film', { team: 'a' })).toEqual(['first']);
    expect(await found('ir')).toEqual(['third', 'first']);
    // No character is a pattern, and only ASCII letters have a case.
    expect(await found('%')).toEqual(['second']);
    expect(await found('r_a')).toEqual(['third']);
    expect(await found('für')).toEqual([]);
    expect(ids(await store.listConfigs({ limit: 1 }, { text: 'film' }))).toEqual(['second']);
    await store.close();
  });

  it('filters configs and runs by their labels', async () => {
    const store = open();
    const labels: Record<string, string>[] = [
      { team: 'a', stage: 'test' },
      { team: 'a' },
      { team: 'b', stage: 'test' },
      {},
    ];
    for (const [i, each] of labels.entries()) {
      await store.addConfig(config(`c${i}`, { labels: each }), 10);
      await store.saveRun(run(`r${i}`, { labels: each }));
    }
    const page = { limit: 10 };
    for (const [wanted, found] of [
      [{ team: 'a' }, [1, 0]],
      [{ team: 'a', stage: 'test' }, [0]],
      [{ stage: 'test' }, [2, 0]],
      [{ team: 'test' }, []],
      [{ toString: 'a' }, []],
    ] as [Record<string, string>, number[]][]) {
      expect(ids(await store.listConfigs(page, { labels: wanted }))).toEqual(found.map((i) => `c${i}`));
      expect(ids(await store.listRuns(page, { labels: wanted }))).toEqual(found.map((i) => `r${i}`));
    }
    await store.replaceConfig(config('c1', { labels: { team: 'b' } }), 1, 5);
    expect(ids(await store.listConfigs({ limit: 1 }, { labels: { team: 'b' } }))).toEqual(['c2']);
    expect(ids(await store.listConfigs(page, { labels: { team: 'b' } }))).toEqual(['c2', 'c1']);
    expect(ids(await store.listConfigs(page, { labels: { team: 'a' } }))).toEqual(['c0']);
    await store.close();
  });

  it('remembers for a day which run a request has started', async () => {
    const store = open();
    const day = 24 * 60 * 60;
    const key = (name: string, time: number, user: string | null = null) => ({ user, key: name, digest: 'd', time });
    await store.saveRun(run('r', { done: true }), key('k', 1000));
    await store.saveRun(run('s'), key('k', 2000, 'mary'));
    expect(await store.requestedRun(null, 'k', 1000 + day)).toEqual({ runId: 'r', digest: 'd' });
    expect(await store.requestedRun('mary', 'k', 2000)).toEqual({ runId: 's', digest: 'd' });
    expect(await store.requestedRun('john', 'k', 2000)).toBeUndefined();
    // The run may be deleted before its key expires.
    await store.trimRuns(1);
    expect(await store.runDetails('r')).toBeUndefined();
    expect(await store.requestedRun(null, 'k', 1001 + day)).toBeUndefined();
    expect(await store.requestedRun(null, 'k', 1000 + day)).toEqual({ runId: 'r', digest: 'd' });
    await store.saveRun(run('t'), key('k', 1001 + day));
    expect(await store.requestedRun(null, 'k', 1001 + day)).toEqual({ runId: 't', digest: 'd' });
    await store.close();
  });

  it('updates the details of a run and keeps its position', async () => {
    const store = open();
    await store.saveRun(run('a'));
    await store.saveRun(run('b'));
    await store.saveRun(run('a', { status: 'SUCCEEDED', done: true, details: '{"runId":"a","done":true}' }));
    expect(await store.runDetails('a')).toBe('{"runId":"a","done":true}');
    expect(await store.runDetails('x')).toBeUndefined();
    expect(ids(await store.listRuns({ limit: 10 }))).toEqual(['b', 'a']);
    expect(await store.unfinishedRuns()).toEqual(['{"runId":"b"}']);
    await store.close();
  });

  it('filters runs by config and status', async () => {
    const store = open();
    await store.saveRun(run('a', { configId: 'x' }));
    await store.saveRun(run('b', { configId: 'y' }));
    await store.saveRun(run('c', { configId: 'x', status: 'FAILED', done: true }));
    await store.saveRun(run('d', { configId: 'x' }));
    const page = { limit: 10 };
    expect(ids(await store.listRuns(page, { configId: 'x' }))).toEqual(['d', 'c', 'a']);
    const running = { statuses: ['RUNNING'] };
    expect(ids(await store.listRuns(page, running))).toEqual(['d', 'b', 'a']);
    expect(ids(await store.listRuns(page, { statuses: ['RUNNING', 'FAILED'] }))).toEqual(['d', 'c', 'b', 'a']);
    expect(ids(await store.listRuns(page, { configId: 'x', ...running }))).toEqual(['d', 'a']);
    const [newest] = await store.listRuns({ limit: 1 }, { configId: 'x', ...running });
    const rest = await store.listRuns({ limit: 10, before: newest?.seq }, { configId: 'x', ...running });
    expect(ids(rest)).toEqual(['a']);
    await store.close();
  });

  it('returns the newest run of each config', async () => {
    const store = open();
    const details = '{"progress":{"failed":2},"runResult":{"problems":[{"message":"no"},{"message":"other"}]}}';
    await store.saveRun(run('a', { configId: 'x', startTime: 30 }));
    await store.saveRun(run('b', { configId: 'y', startTime: 20 }));
    await store.saveRun(run('c', { configId: 'x', startTime: 10 }));
    await store.saveRun(run('c', { configId: 'x', startTime: 10, status: 'FAILED', done: true, details }));
    const last = await store.lastRuns(['y', 'none', 'x']);
    expect(last.toSorted((one, other) => (one.runId < other.runId ? -1 : 1))).toEqual([
      { configId: 'y', runId: 'b', status: 'RUNNING', startTime: 20, failed: 0, problem: null },
      { configId: 'x', runId: 'c', status: 'FAILED', startTime: 10, failed: 2, problem: 'no' },
    ]);
    expect(await store.lastRuns([])).toEqual([]);
    await store.close();
  });

  it('filters runs by requester and time', async () => {
    const store = open();
    await store.saveRun(run('a', { startTime: 10.5, requestedBy: 'mary' }));
    await store.saveRun(run('b', { startTime: 20 }));
    await store.saveRun(run('c', { startTime: 30, requestedBy: 'mary', labels: { x: 'y' }, status: 'FAILED' }));
    const page = { limit: 10 };
    expect(ids(await store.listRuns(page, { requestedBy: 'mary' }))).toEqual(['c', 'a']);
    expect(ids(await store.listRuns(page, { since: 10.5, until: 30 }))).toEqual(['b', 'a']);
    const all = { requestedBy: 'mary', since: 11, labels: { x: 'y' }, statuses: ['FAILED'], configId: 'c' };
    expect(ids(await store.listRuns(page, all))).toEqual(['c']);
    expect(ids(await store.listRuns(page, { ...all, since: 31 }))).toEqual([]);
    await store.close();
  });

  it('deletes the oldest finished runs, but never a running one', async () => {
    const store = open();
    await store.saveRun(run('a'));
    for (const id of ['b', 'c', 'd', 'e']) await store.saveRun(run(id, { done: true }));
    expect(await store.trimRuns(3)).toBe(true);
    expect(ids(await store.listRuns({ limit: 10 }))).toEqual(['e', 'd', 'a']);
    expect(await store.trimRuns(3)).toBe(false);
    expect(await store.listRuns({ limit: 10 })).toHaveLength(3);
    await store.close();
  });

  it('reads writes that are not yet acknowledged', async () => {
    const store = open();
    const writing = store.saveRun(run('a'));
    expect(await store.runDetails('a')).toBe('{"runId":"a"}');
    await writing;
    await store.probe();
    await store.close();
  });
});

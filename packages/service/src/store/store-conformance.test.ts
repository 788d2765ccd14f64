import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryStore } from './memory-store.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { Store, StoredConfig, StoredRun } from './store.ts';

const directories: string[] = [];

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'headrace-store-'));
  directories.push(directory);
  return directory;
}

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function config(id: string): StoredConfig {
  return {
    id,
    text: `a: 1 # ${id} \u{1f30a}\u0000`,
    format: 'hocon',
    answer: '{"a":1}',
    digest: 'd1',
    createdTime: 1795267968.824,
    createdBy: null,
  };
}

function run(id: string, over: Partial<StoredRun> = {}): StoredRun {
  return { id, configId: 'c', status: 'RUNNING', done: false, details: `{"runId":"${id}"}`, ...over };
}

const ids = (items: { id: string }[]) => items.map((item) => item.id);

describe.each<[string, () => Store]>([
  ['memory', () => new MemoryStore()],
  ['sqlite', () => new SqliteStore(newDirectory())],
])('the %s store', (_name, open) => {
  it('keeps a config as it was given', async () => {
    const store = open();
    expect(await store.addConfig(config('a'), 10)).toBe(true);
    expect(await store.config('a')).toEqual(config('a'));
    expect(await store.configAnswer('a')).toBe('{"a":1}');
    expect(await store.config('b')).toBeUndefined();
    expect(await store.configAnswer('b')).toBeUndefined();
    await store.close();
  });

  it('takes no more configs than it may, and another one after a deletion', async () => {
    const store = open();
    const answers = await Promise.all(['a', 'b', 'c'].map((id) => store.addConfig(config(id), 2)));
    expect(answers).toEqual([true, true, false]);
    expect(await store.deleteConfig('a')).toBe(true);
    expect(await store.deleteConfig('a')).toBe(false);
    expect(await store.addConfig(config('c'), 2)).toBe(true);
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

  it('replaces what is known of a run and keeps its place', async () => {
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

  it('selects runs by config and status', async () => {
    const store = open();
    await store.saveRun(run('a', { configId: 'x' }));
    await store.saveRun(run('b', { configId: 'y' }));
    await store.saveRun(run('c', { configId: 'x', status: 'FAILED', done: true }));
    await store.saveRun(run('d', { configId: 'x' }));
    const page = { limit: 10 };
    expect(ids(await store.listRuns(page, { configId: 'x' }))).toEqual(['d', 'c', 'a']);
    expect(ids(await store.listRuns(page, { status: 'RUNNING' }))).toEqual(['d', 'b', 'a']);
    expect(ids(await store.listRuns(page, { configId: 'x', status: 'RUNNING' }))).toEqual(['d', 'a']);
    const [newest] = await store.listRuns({ limit: 1 }, { configId: 'x', status: 'RUNNING' });
    const rest = await store.listRuns({ limit: 10, before: newest?.seq }, { configId: 'x', status: 'RUNNING' });
    expect(ids(rest)).toEqual(['a']);
    await store.close();
  });

  it('forgets the oldest finished runs, never one that is going', async () => {
    const store = open();
    await store.saveRun(run('a'));
    for (const id of ['b', 'c', 'd', 'e']) await store.saveRun(run(id, { done: true }));
    expect(await store.trimRuns(3)).toBe(true);
    expect(ids(await store.listRuns({ limit: 10 }))).toEqual(['e', 'd', 'a']);
    expect(await store.trimRuns(3)).toBe(false);
    expect(await store.listRuns({ limit: 10 })).toHaveLength(3);
    await store.close();
  });

  it('sees its own writes before they are acknowledged', async () => {
    const store = open();
    const writing = store.saveRun(run('a'));
    expect(await store.runDetails('a')).toBe('{"runId":"a"}');
    await writing;
    await store.probe();
    await store.close();
  });
});

describe('the sqlite store on the disk', () => {
  it('has everything after it was opened again', async () => {
    const directory = newDirectory();
    const before = new SqliteStore(directory);
    await before.addConfig(config('a'), 1);
    await before.saveRun(run('r'));
    await before.close();
    const after = new SqliteStore(directory);
    expect(await after.config('a')).toEqual(config('a'));
    expect(await after.addConfig(config('b'), 1)).toBe(false);
    expect(await after.unfinishedRuns()).toEqual(['{"runId":"r"}']);
    await after.close();
  });

  it('belongs to one service at a time, and the second one hears which process has it', async () => {
    const directory = newDirectory();
    const first = new SqliteStore(directory);
    expect(() => new SqliteStore(directory)).toThrow(`in use by another service (process ${process.pid})`);
    await first.close();
    const second = new SqliteStore(directory);
    await second.close();
  });

  it('is refused with its place when it is no store of ours', () => {
    const broken = newDirectory();
    writeFileSync(join(broken, 'headrace.db'), 'this is not a database, and long enough to be looked at'.repeat(50));
    expect(() => new SqliteStore(broken)).toThrow(`The store ${broken} cannot be opened`);
    const newer = newDirectory();
    const db = new DatabaseSync(join(newer, 'headrace.db'));
    db.exec('PRAGMA user_version = 99');
    db.close();
    expect(() => new SqliteStore(newer)).toThrow('is of version 99');
  });

  it('is for its owner alone, even in a directory that others may enter, and when it was not before', async () => {
    const directory = newDirectory();
    chmodSync(directory, 0o755);
    const modes = () =>
      Object.fromEntries(
        readdirSync(directory).map((name) => [name, (statSync(join(directory, name)).mode & 0o777).toString(8)]),
      );
    const store = new SqliteStore(directory);
    await store.addConfig(config('a'), 1);
    expect(modes()).toEqual({ 'headrace.db': '600', 'headrace.db-wal': '600', pid: '600' });
    for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o644);
    // The lock holds all the same.
    expect(() => new SqliteStore(directory)).toThrow('in use');
    await store.close();
    chmodSync(join(directory, 'headrace.db'), 0o644);
    const again = new SqliteStore(directory);
    expect(new Set(Object.values(modes()))).toEqual(new Set(['600']));
    expect(await again.config('a')).toEqual(config('a'));
    await again.close();
  });

  it('is not hindered by the process number that a killed service left behind', async () => {
    const directory = newDirectory();
    writeFileSync(join(directory, 'pid'), '1\n');
    await new SqliteStore(directory).close();
  });
});

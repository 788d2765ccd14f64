import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { writeFailureLine } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../testing/temporary-directory.test.support.ts';
import { MemoryStore } from './memory-store.ts';
import { SqliteStore } from './sqlite-store.ts';
import { type FailureFilter, FORGOTTEN_CONTENT, type Store, type StoredFailure, type StoredRun } from './store.ts';

function run(id: string): StoredRun {
  const rest = { configId: 'c', status: 'SUCCEEDED', done: true, startTime: 1, requestedBy: null, labels: {} };
  return { id, ...rest, details: '{}' };
}

describe.each<[string, () => Store]>([
  ['memory', () => new MemoryStore()],
  ['sqlite', () => new SqliteStore(temporaryDirectory())],
])('the %s store', (_name, open) => {
  it('stores the failed documents of a run in order, and deletes them with the run', async () => {
    const store = open();
    const failed = (n: number, over: Partial<StoredFailure> = {}): StoredFailure => ({
      connector: 'c',
      at: 'indexer',
      group: 'g',
      replayable: true,
      line: `{"n":${n}}`,
      ...over,
    });
    await store.saveRun(run('a'));
    await store.saveRun(run('b'));
    await store.addFailures('a', [failed(1), failed(2, { at: 'trim', replayable: false })]);
    await store.addFailures('b', [failed(3)]);
    await store.addFailures('a', [failed(4, { connector: 'd' }), failed(5)]);
    const page = async (after: number, limit: number, filter?: FailureFilter) => {
      const { items, more } = await store.runFailures('a', { after, limit }, filter);
      return { lines: items.map(({ line }) => JSON.parse(line).n), more, last: items.at(-1)?.seq ?? 0 };
    };
    const first = await page(0, 2);
    expect(first).toMatchObject({ lines: [1, 2], more: true });
    expect(await page(first.last, 2)).toMatchObject({ lines: [4, 5], more: false });
    expect(await page(0, 9, { at: 'indexer' })).toMatchObject({ lines: [1, 4, 5], more: false });
    expect(await page(0, 1, { at: 'indexer', connector: 'd' })).toMatchObject({ lines: [4], more: false });
    expect(await page(0, 9, { replayable: true })).toMatchObject({ lines: [1, 4, 5] });
    await store.trimRuns(1);
    expect(await page(0, 9)).toMatchObject({ lines: [], more: false });
    expect((await store.runFailures('b', { after: 0, limit: 9 })).items).toHaveLength(1);
    await store.close();
  });

  it('groups the failed documents of a run, the largest group first', async () => {
    const store = open();
    for (const id of ['a', 'b']) await store.saveRun(run(id));
    const failed = (n: number, group: string, over: Partial<StoredFailure> = {}): StoredFailure => ({
      connector: 'c',
      at: 'trim',
      group,
      replayable: true,
      line: `{"n":${n}}`,
      ...over,
    });
    await store.addFailures('a', [failed(1, 'few'), failed(2, 'many', { at: 'indexer' })]);
    await store.addFailures('b', [failed(3, 'other')]);
    await store.addFailures('a', [failed(4, 'many', { at: 'indexer', replayable: false })]);
    const many = { group: 'many', count: 2, replayable: 1, line: '{"n":2}' };
    const few = { group: 'few', count: 1, replayable: 1, line: '{"n":1}' };
    expect(await store.failureGroups('a', 9)).toEqual({ items: [many, few], groups: 2, failures: 3 });
    expect(await store.failureGroups('a', 1)).toEqual({ items: [many], groups: 2, failures: 3 });
    expect(await store.failureGroups('a', 9, 'trim')).toEqual({ items: [few], groups: 1, failures: 1 });
    expect(await store.failureGroups('none', 9)).toEqual({ items: [], groups: 0, failures: 0 });
    const inGroup = await store.runFailures('a', { after: 0, limit: 1 }, { group: 'many' });
    expect(inGroup).toMatchObject({ items: [{ line: '{"n":2}' }], more: true });
    const { seq } = inGroup.items[0] as { seq: number };
    expect(await store.runFailures('a', { after: seq, limit: 1 }, { group: 'many' })).toMatchObject({
      items: [{ line: '{"n":4}' }],
      more: false,
    });
    await store.close();
  });

  it('stores the samples of a run, and deletes them with the run', async () => {
    const store = open();
    for (const id of ['a', 'b']) await store.saveRun(run(id));
    await store.saveSamples('a', '{"items":[]}');
    await store.saveSamples('a', '{"items":[1]}');
    expect([await store.runSamples('a'), await store.runSamples('b')]).toEqual(['{"items":[1]}', undefined]);
    await store.trimRuns(1);
    expect(await store.runSamples('a')).toBeUndefined();
    await store.close();
  });

  it('limits the bytes of failed documents to the newest ones, and still lists the others', async () => {
    const store = open();
    const line = (id: string) =>
      writeFailureLine({
        id,
        connector: 'c',
        at: 'indexer',
        failure: { code: 'HR_STAGE_FAILED', message: ',"document": \u{1f30a}' },
        document: { kind: 'input', json: '{"id":"\u{1f30a}"}', binaryFields: ['b'] },
      });
    const { length } = Buffer.from(line('1'));
    const add = (runId: string, ...ids: string[]) =>
      store.addFailures(
        runId,
        ids.map((id) => ({ connector: 'c', at: 'indexer', group: 'g', replayable: true, line: line(id) })),
      );
    const kept = async (runId: string, replayable: boolean) =>
      (await store.runFailures(runId, { after: 0, limit: 9 }, { replayable })).items.map((item) =>
        JSON.parse(item.line),
      );
    for (const id of ['a', 'b', 'c']) await store.saveRun(run(id));
    await add('a', '1', '2');
    await add('b', '3', '4');
    await add('a', '5');
    await store.trimFailures(3 * length);
    expect((await kept('a', true)).map(({ id }) => id)).toEqual(['5']);
    expect((await kept('b', true)).map(({ id }) => id)).toEqual(['3', '4']);
    expect((await kept('a', false))[0]).toEqual({
      id: '1',
      connector: 'c',
      at: 'indexer',
      code: 'HR_STAGE_FAILED',
      message: ',"document": \u{1f30a}',
      processed: false,
      omitted: FORGOTTEN_CONTENT,
    });
    // Failures that are deleted with their run free space for others.
    await store.trimRuns(2);
    await add('b', '6');
    await store.trimFailures(3 * length);
    expect((await kept('b', true)).map(({ id }) => id)).toEqual(['3', '4', '6']);
    await store.trimFailures(0);
    expect(await kept('b', true)).toEqual([]);
    expect(await kept('b', false)).toHaveLength(3);
    await store.close();
  });
});

it('failed documents and logs from an earlier release count towards the limits', async () => {
  const directory = temporaryDirectory();
  const before = new SqliteStore(directory);
  await before.saveRun(run('a'));
  const line = '{"id":"1","at":"indexer","code":"HR_X","message":"no 7","document":{"id":"1"}}';
  const failed = { connector: 'c', at: 'indexer', group: 'g', replayable: true, line };
  const other = '{"id":"2","at":"indexer","code":"HR_X","message":"no 9"}';
  await before.addFailures('a', [failed, { ...failed, replayable: false, line: other }, failed]);
  await before.saveRunLog('a', [{ number: 1, firstLine: 1, text: 'x\n' }], 1);
  await before.close();
  const db = new DatabaseSync(join(directory, 'headrace.db'));
  const triggers = [
    'failure_emptied',
    'failure_removed',
    'log_added',
    'log_grown',
    'log_removed',
    'failure_discounted',
  ];
  db.exec(`${triggers.map((name) => `DROP TRIGGER ${name};`).join('')} DROP INDEX failures_with_content;
           DROP INDEX failures_by_group; ALTER TABLE run_failures DROP COLUMN group_key;
           DROP TABLE run_samples; DROP TABLE kept_bytes; DROP TABLE schedules;
           DROP TRIGGER config_with_schedule_removed; PRAGMA user_version = 4;`);
  db.close();
  const after = new SqliteStore(directory);
  expect(await after.failureGroups('a', 9)).toMatchObject({
    items: [{ count: 3, replayable: 2, group: expect.stringMatching(/^[0-9a-f]{16}$/), line }],
    groups: 1,
    failures: 3,
  });
  await after.trimFailures(failed.line.length);
  await after.trimLogs(2);
  const kept = async (replayable: boolean) =>
    (await after.runFailures('a', { after: 0, limit: 9 }, { replayable })).items.length;
  expect([await kept(false), await kept(true)]).toEqual([3, 1]);
  expect(await after.runLog('a')).toHaveLength(1);
  await after.trimLogs(1);
  expect(await after.runLog('a')).toEqual([]);
  await after.close();
});

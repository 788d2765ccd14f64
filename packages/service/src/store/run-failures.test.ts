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
        ids.map((id) => ({ connector: 'c', at: 'indexer', replayable: true, line: line(id) })),
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
  const failed = { connector: 'c', at: 'indexer', replayable: true, line: '{"id":"1","document":{"id":"1"}}' };
  await before.addFailures('a', [failed, { ...failed, replayable: false, line: '{"id":"2"}' }, failed]);
  await before.saveRunLog('a', [{ number: 1, firstLine: 1, text: 'x\n' }], 1);
  await before.close();
  const db = new DatabaseSync(join(directory, 'headrace.db'));
  const triggers = ['failure_added', 'failure_emptied', 'failure_removed', 'log_added', 'log_grown', 'log_removed'];
  db.exec(`${triggers.map((name) => `DROP TRIGGER ${name};`).join('')} DROP INDEX failures_with_content;
           DROP TABLE kept_bytes; DROP TABLE schedules; DROP TRIGGER config_with_schedule_removed; PRAGMA user_version = 4;`);
  db.close();
  const after = new SqliteStore(directory);
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

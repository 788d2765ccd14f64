import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../testing/temporary-directory.test.support.ts';
import { MemoryStore } from './memory-store.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { Store, StoredRun } from './store.ts';

function run(id: string): StoredRun {
  const rest = { configId: 'c', status: 'SUCCEEDED', done: true, startTime: 1, requestedBy: null, labels: {} };
  return { id, ...rest, details: '{}' };
}

const piece = (number: number, text: string) => ({ number, firstLine: number * 10, text });

describe.each<[string, () => Store]>([
  ['memory', () => new MemoryStore()],
  ['sqlite', () => new SqliteStore(temporaryDirectory())],
])('the logs in the %s store', (_name, open) => {
  it('grow, and drop their oldest pieces', async () => {
    const store = open();
    await store.saveRun(run('a'));
    expect(await store.runLog('a')).toEqual([]);
    await store.saveRunLog('a', [piece(1, 'x\n'), piece(2, 'y\n')], 1);
    await store.saveRunLog('a', [piece(2, 'y\nz\n'), piece(3, '\u{1f30a}\n')], 1);
    expect(await store.runLog('a')).toEqual([piece(1, 'x\n'), piece(2, 'y\nz\n'), piece(3, '\u{1f30a}\n')]);
    await store.saveRunLog('a', [], 3);
    expect(await store.runLog('a')).toEqual([piece(3, '\u{1f30a}\n')]);
    expect(await store.runLog('b')).toEqual([]);
    await store.close();
  });

  it('are limited in total bytes to the newest pieces', async () => {
    const store = open();
    for (const id of ['a', 'b', 'c']) await store.saveRun(run(id));
    await store.saveRunLog('a', [piece(1, 'aaaa')], 1);
    await store.saveRunLog('b', [piece(1, 'bb')], 1);
    await store.saveRunLog('c', [piece(1, 'c\u{1f30a}'), piece(2, 'c')], 1);
    await store.saveRunLog('c', [piece(2, 'ccc')], 2);
    await store.trimLogs(5);
    expect([await store.runLog('a'), await store.runLog('b')]).toEqual([[], [piece(1, 'bb')]]);
    expect(await store.runLog('c')).toEqual([piece(2, 'ccc')]);
    await store.saveRunLog('a', [piece(1, 'aaaa')], 1);
    await store.trimLogs(4);
    expect([await store.runLog('b'), await store.runLog('a')]).toEqual([[], [piece(1, 'aaaa')]]);
    await store.close();
  });

  it('are deleted with their runs', async () => {
    const store = open();
    for (const id of ['a', 'b']) {
      await store.saveRun(run(id));
      await store.saveRunLog(id, [piece(1, id)], 1);
    }
    await store.trimRuns(1);
    expect([await store.runLog('a'), await store.runLog('b')]).toEqual([[], [piece(1, 'b')]]);
    await store.close();
  });
});

it('a log can be read after the store was opened again', async () => {
  const directory = temporaryDirectory();
  const before = new SqliteStore(directory);
  await before.saveRun(run('a'));
  await before.saveRunLog('a', [piece(1, 'x\n')], 1);
  await before.close();
  const after = new SqliteStore(directory);
  expect(await after.runLog('a')).toEqual([piece(1, 'x\n')]);
  await after.close();
});

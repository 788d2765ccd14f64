import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../store/memory-store.ts';
import { StoreError } from '../store/store.ts';
import { logLine, logText } from './log-lines.ts';
import { MAX_LOG_BYTES, MAX_LOG_LINES, RunLog } from './run-log.ts';

const line = (log: RunLog, message: string, level: 'info' | 'warn' | 'error' = 'info') =>
  log.add(logLine(log.nextLine, { time: 1000, level, logger: 'l', message }));

/** Returns the messages of a stored log, with their line numbers. */
async function stored(store: MemoryStore, query = {}): Promise<[number, string][]> {
  return logText(await store.runLog('r'), query)
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text) as { line: number; message: string })
    .map(({ line, message }) => [line, message]);
}

describe('the log of a run', () => {
  it('is stored in pieces, each only once', async () => {
    const store = new MemoryStore();
    const log = new RunLog('r', store);
    const all: [number, string][] = [];
    for (let i = 1; i <= 1201; i++) {
      line(log, `m${i}`);
      all.push([i, `m${i}`]);
      if (i % 97 === 0) await log.save();
    }
    await log.save();
    expect(await stored(store)).toEqual(all);
    expect(await store.runLog('r')).toHaveLength(3);
  });

  it('contains its last lines, and reports how many were dropped', async () => {
    const store = new MemoryStore();
    const log = new RunLog('r', store);
    const total = 3 * MAX_LOG_LINES + 7;
    for (let i = 1; i <= total; i++) {
      line(log, `m${i}`);
      if (i % 4000 === 0) await log.save();
    }
    await log.save();
    const lines = await stored(store);
    const gone = total - (lines.length - 1);
    expect(lines.length - 1).toBeLessThanOrEqual(MAX_LOG_LINES);
    expect(lines.length - 1).toBeGreaterThan(MAX_LOG_LINES - 1000);
    expect(lines[0]).toEqual([gone, expect.stringMatching(`^${gone} earlier lines were dropped`)]);
    expect(lines[1]).toEqual([gone + 1, `m${gone + 1}`]);
    expect(lines.at(-1)).toEqual([total, `m${total}`]);
    // A client that has already read the dropped lines has missed nothing.
    expect((await stored(store, { after: gone }))[0]).toEqual([gone + 1, `m${gone + 1}`]);
  });

  it('is limited in bytes, also with long lines', async () => {
    const store = new MemoryStore();
    const log = new RunLog('r', store);
    for (let i = 0; i < 1000; i++) line(log, '€'.repeat(10_000));
    await log.save();
    const bytes = Buffer.byteLength(logText(await store.runLog('r'), {}));
    expect(bytes).toBeLessThan(MAX_LOG_BYTES + 1000);
    expect(bytes).toBeGreaterThan(MAX_LOG_BYTES - 128 * 1024);
  });

  it('loses no lines if the store cannot be written for some time', async () => {
    const store = new MemoryStore();
    const log = new RunLog('r', store);
    const save = store.saveRunLog;
    store.saveRunLog = () => Promise.reject(new StoreError('full'));
    for (let i = 1; i <= 700; i++) line(log, `m${i}`);
    await expect(log.save()).rejects.toThrow('full');
    store.saveRunLog = save;
    line(log, 'm701');
    await log.save();
    expect((await stored(store)).length).toBe(701);
  });

  it('is stored up to its last line for all callers of save, even if a save is already running', async () => {
    const store = new MemoryStore();
    const log = new RunLog('r', store);
    const { save, release } = { save: store.saveRunLog.bind(store), release: Promise.withResolvers<void>() };
    let fail = false;
    store.saveRunLog = async (...args) => {
      await release.promise;
      if (fail) throw new StoreError('full');
      return save(...args);
    };
    line(log, 'm1');
    fail = true;
    const first = log.save();
    const second = log.save();
    release.resolve();
    await expect(first).rejects.toThrow('full');
    await expect(second).rejects.toThrow('full');
    fail = false;
    const third = log.save();
    line(log, 'm2');
    await Promise.all([third, log.save(), log.save()]);
    expect((await stored(store)).length).toBe(2);
  });

  it('can be filtered by level and line number, and limited to a number of lines', async () => {
    const store = new MemoryStore();
    const log = new RunLog('r', store);
    for (const level of ['info', 'warn', 'error', 'info', 'warn'] as const) line(log, level, level);
    await log.save();
    expect(await stored(store, { level: 'warn' })).toEqual([
      [2, 'warn'],
      [3, 'error'],
      [5, 'warn'],
    ]);
    expect(await stored(store, { level: 'warn', after: 2, limit: 1 })).toEqual([[3, 'error']]);
    expect(await stored(store, { limit: 2 })).toEqual([
      [1, 'info'],
      [2, 'warn'],
    ]);
    expect(await stored(store, { after: 5 })).toEqual([]);
  });

  it('limits the length of its lines', () => {
    const record = { time: 1, level: 'info', logger: 'l' } as const;
    const long = 'x'.repeat(1_000_000);
    expect(JSON.parse(logLine(1, { ...record, message: long })).message).toHaveLength(4097);
    const { message, fields } = JSON.parse(logLine(1, { ...record, message: 'm', fields: { a: long } }));
    expect([message, fields]).toEqual(['m', 'too long']);
  });
});

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { holdTables } from './shared-tables.ts';

/** Starts a simulated pipeline thread with tables, which reports their content. */
function thread(threadNumber: number, runId: string): Worker {
  const module = JSON.stringify(new URL('./shared-tables.ts', import.meta.url).href);
  const script = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(${module}).then(async ({ holdTables }) => {
      const load = async () => { parentPort.postMessage('loads'); return { numbers: new Int32Array(new SharedArrayBuffer(8)) }; };
      const { tables, release } = await holdTables('x', workerData, load);
      parentPort.postMessage(Atomics.add(tables.numbers, 0, 1));
      parentPort.on('message', () => { release(); parentPort.close(); });
    });`;
  return new Worker(script, { eval: true, workerData: { threadNumber, runId } });
}

async function said(worker: Worker): Promise<unknown> {
  return (await once(worker, 'message'))[0];
}

describe('tables shared by the threads of a run', () => {
  it('are loaded by the first thread, and the other threads use the same memory', async () => {
    const first = thread(1, 'run');
    expect(await said(first)).toBe('loads');
    expect(await said(first)).toBe(0);
    const second = thread(2, 'run');
    expect(await said(second)).toBe(1);
    const third = thread(3, 'run');
    expect(await said(third)).toBe(2);
    const other = thread(1, 'another run');
    expect(await said(other)).toBe('loads');
    const ends = [first, second, third, other].map((worker) => once(worker, 'exit'));
    for (const worker of [first, second, third, other]) worker.postMessage('release');
    expect((await Promise.all(ends)).flat()).toEqual([0, 0, 0, 0]);
  });

  it('are loaded once for all stages of a thread, and again after all stages released them', async () => {
    let loaded = 0;
    const load = async () => ++loaded;
    const context = { runId: 'run', threadNumber: 1 };
    const [a, b] = await Promise.all([holdTables('t', context, load), holdTables('t', context, load)]);
    a.release();
    a.release();
    expect((await holdTables('t', context, load)).tables).toBe(1);
    expect([a.tables, b.tables, loaded]).toEqual([1, 1, 1]);
    const c = await holdTables('u', context, load);
    c.release();
    expect((await holdTables('u', context, load)).tables).toBe(3);
  });

  it('are not cached if they could not be loaded', async () => {
    const context = { runId: 'run', threadNumber: 1 };
    const fails = () => Promise.reject(new Error('no file'));
    await expect(holdTables('f', context, fails)).rejects.toThrow('no file');
    expect((await holdTables('f', context, async () => 'there')).tables).toBe('there');
  });
});

import { describeWithServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DistributedSetup, repeated } from './distributed-run.test.lib.ts';

/** `headrace run --external` next to other processes that serve the same pipeline. */

const DOCUMENTS = 3000;

await describeWithServer('kafka', (server) => {
  let setup: DistributedSetup;
  let pipeline: string;

  beforeEach(async () => {
    setup = await DistributedSetup.open(server.url);
    pipeline = setup.writeNumbers('numbers', DOCUMENTS);
  });
  afterEach(() => setup.close());

  function expectAllOnce(): void {
    expect(repeated(setup.indexed)).toEqual([]);
    expect(setup.indexed).toHaveLength(DOCUMENTS);
  }

  it('shares its work with a worker and an indexer that run already', async () => {
    const worker = setup.start('worker', 'run.conf');
    const indexer = setup.start('indexer', 'run.conf');
    for (const process of [worker, indexer]) await process.says('now 0, 1, 2, 3');
    const run = await setup.run('run', 'run.conf', '--external');
    expect(run.summary).toContain(`numbers: complete. ${DOCUMENTS} docs succeeded. 0 docs failed.`);
    expect(await run.ended).toBe(0);
    expectAllOnce();
    expect(await Promise.all([worker, indexer].map((one) => one.signal('SIGTERM')))).toEqual([0, 0]);
  });

  it('says that an indexer is missing if only a worker helps, and finishes when one starts', async () => {
    const worker = setup.start('worker', 'run.conf');
    await worker.says('now 0, 1, 2, 3');
    const run = setup.start('run', 'run.conf', '--external');
    await run.says(
      `Workers are running, but no indexer is. Start one: headrace indexer CONFIG --pipeline ${pipeline}.`,
    );
    // What the worker has written to the dest topic waits, even if the worker is gone.
    expect(await worker.signal('SIGTERM')).toBe(0);
    await run.says(/No indexer is running for \d+ messages? in \S+_dest. Start one: headrace indexer/);
    expect(run.isRunning).toBe(true);
    setup.start('indexer', 'run.conf');
    expect(await run.ended).toBe(0);
    expect(run.summary).toContain(`numbers: complete. ${DOCUMENTS} docs succeeded. 0 docs failed.`);
    expectAllOnce();
  });

  it('shares its work with a worker-indexer', async () => {
    const other = setup.start('worker-indexer', 'run.conf');
    await other.says('now 0, 1, 2, 3');
    const run = await setup.run('run', 'run.conf', '--external');
    expect(await run.ended).toBe(0);
    expectAllOnce();
    expect(await other.signal('SIGTERM')).toBe(0);
  });
});

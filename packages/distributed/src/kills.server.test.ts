import { describeWithOwnServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DistributedSetup, type HeadraceProcess } from './distributed-run.test.lib.ts';

const TOTAL = 3000;

/**
 * Workers hold the second and the last third of the documents until a file exists. So documents are always in progress
 * when a process is killed.
 */
const STAGE = `
  import { existsSync } from 'node:fs';
  import { Stage, Type } from 'headrace';
  const cell = new Int32Array(new SharedArrayBuffer(4));
  export class Gates extends Stage {
    static parameters = Type.Object({ folder: Type.String() });
    process(document) {
      const third = Math.floor(Number(document.id) / ${TOTAL / 3});
      for (let gate = 1; gate <= third; gate++) {
        while (!existsSync(this.params.folder + '/gate-' + gate)) Atomics.wait(cell, 0, 0, 20);
      }
    }
  }
`;

/** Matches the log line of a process that shares the four partitions with another process. */
const TWO_PARTITIONS = /now \d, \d"/;
const FOUR_PARTITIONS = /now 0, 1, 2, 3"/;

await describeWithOwnServer('kafka', (server) => {
  let setup: DistributedSetup;

  beforeEach(async () => {
    setup = await DistributedSetup.open(server.url);
    setup.write('stage.js', STAGE);
  });
  afterEach(() => setup.close());

  function writeConfig(): void {
    setup.writeNumbers('kills', TOTAL, { stages: `{ class: "./stage.js#Gates", folder: "${setup.folder}" }` });
  }

  /** Creates the file that workers wait for, so that they process the next third of the documents. */
  function openGate(number: 1 | 2): void {
    setup.write(`gate-${number}`, '');
  }

  /** Every document arrived, and the run has counted each once. */
  async function expectComplete(run: HeadraceProcess): Promise<void> {
    expect(await run.ended, run.output.slice(-2000)).toBe(0);
    expect(run.summary).toContain('RUN SUMMARY: Success.');
    expect(run.summary).toContain(`numbers: complete. ${TOTAL} docs succeeded. 0 docs failed. 0 docs dropped.`);
    expect(run.output).toContain(`${TOTAL} docs published.`);
    expect(setup.distinct).toBe(TOTAL);
  }

  it('a run finishes by itself with every document when both workers and the indexer are killed and start again', async () => {
    writeConfig();
    const first = setup.start('worker', 'run.conf');
    const second = setup.start('worker', 'run.conf');
    const indexer = setup.start('indexer', 'run.conf');
    await Promise.all([first.says(TWO_PARTITIONS), second.says(TWO_PARTITIONS), indexer.says(FOUR_PARTITIONS)]);
    const run = setup.start('run', 'run.conf', '--distributed');
    await run.until(() => setup.distinct > 100);
    await first.signal('SIGKILL');
    setup.start('worker', 'run.conf');
    const before = setup.distinct;
    openGate(1);
    await run.until(() => setup.distinct > before + 100);
    await second.signal('SIGKILL');
    setup.start('worker', 'run.conf');
    const { promise: answer, resolve: release } = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    setup.hold(answer, asked.resolve);
    openGate(2);
    // The indexer has documents that the destination has not accepted.
    await asked.promise;
    await indexer.signal('SIGKILL');
    release();
    expect(run.isRunning).toBe(true);
    setup.start('indexer', 'run.conf');
    await expectComplete(run);
    // A killed process repeats only the documents that were in progress.
    expect(setup.indexed.length).toBeLessThan(TOTAL * 2);
  });

  it('a run survives a restart of the broker with documents in progress, and counts every document once', async () => {
    writeConfig();
    const workers = [setup.start('worker', 'run.conf'), setup.start('worker', 'run.conf')];
    const indexer = setup.start('indexer', 'run.conf');
    await Promise.all([...workers.map((worker) => worker.says(TWO_PARTITIONS)), indexer.says(FOUR_PARTITIONS)]);
    const run = setup.start('run', 'run.conf', '--distributed');
    await run.until(() => setup.distinct > 100);
    await server.stop();
    openGate(1);
    openGate(2);
    await run.says('Kafka at');
    await server.start();
    await expectComplete(run);
    expect(await Promise.all([...workers, indexer].map((service) => service.signal('SIGTERM')))).toEqual([0, 0, 0]);
  });
});

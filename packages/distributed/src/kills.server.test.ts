import { describeWithServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DistributedSetup, type HeadraceProcess } from './distributed-run.test.lib.ts';

/** A group waits for each killed member until its session ends. */
vi.setConfig({ testTimeout: 400_000 });

const TOTAL = 20_000;

/** A quarter of the documents take a millisecond, so that a kill meets work in progress. */
const STAGE = `
  import { Stage, Type } from 'headrace';
  export class Slow extends Stage {
    static parameters = Type.Object({});
    documents = 0;
    process() {
      if (++this.documents % 4 === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
`;

await describeWithServer('kafka', (server) => {
  let setup: DistributedSetup;

  beforeEach(async () => {
    setup = await DistributedSetup.open(server.url);
    setup.write('stage.js', STAGE);
  });
  afterEach(() => setup.close());

  function writeConfig(kafka = ''): void {
    const pipeline = setup.name('kills');
    setup.writeConfig(
      `connectors: [{ class: SequenceConnector, name: numbers, pipeline: "${pipeline}", numDocs: ${TOTAL} }]
       pipelines: [{ name: "${pipeline}", stages: [{ class: "./stage.js#Slow" }] }]`,
      kafka,
    );
  }

  /** Every document arrived, and the run has counted each once. */
  async function expectComplete(run: HeadraceProcess): Promise<void> {
    expect(await run.ended, run.output.slice(-2000)).toBe(0);
    expect(run.summary).toContain('RUN SUMMARY: Success.');
    expect(run.summary).toContain(`numbers: complete. ${TOTAL} docs succeeded. 0 docs failed. 0 docs dropped.`);
    expect(run.output).toContain(`${TOTAL} docs published.`);
    expect(setup.distinct).toBe(TOTAL);
  }

  it.each(['', 'documentFormat: lucille, partitions: 2'])(
    'a run finishes by itself with every document when a worker and the indexer are killed and start again [%s]',
    async (format) => {
      writeConfig(format);
      const worker = setup.start('worker', 'run.conf');
      setup.start('worker', 'run.conf');
      const indexer = setup.start('indexer', 'run.conf');
      const run = setup.start('run', 'run.conf', '--distributed');
      await run.until(() => setup.distinct > 2000);
      await worker.signal('SIGKILL');
      setup.start('worker', 'run.conf');
      await run.until(() => setup.distinct > 5000);
      await indexer.signal('SIGKILL');
      expect(run.isRunning).toBe(true);
      setup.start('indexer', 'run.conf');
      await expectComplete(run);
      // A kill repeats what was in progress, and no more than that.
      expect(setup.indexed.length).toBeLessThan(TOTAL * 2);
    },
  );

  it('a run survives a restart of the broker in the middle, and counts every document once', async () => {
    writeConfig();
    const services = ['worker', 'worker', 'indexer'].map((role) => setup.start(role, 'run.conf'));
    const run = setup.start('run', 'run.conf', '--distributed');
    await run.until(() => setup.distinct > 2000);
    await server.stop();
    await server.start();
    await expectComplete(run);
    expect(await Promise.all(services.map((service) => service.signal('SIGTERM')))).toEqual([0, 0, 0]);
  });

  it('a run with --external survives a restart of the broker in the middle', async () => {
    writeConfig();
    const run = setup.start('run', 'run.conf', '--external');
    await run.until(() => setup.distinct > 2000);
    await server.stop();
    await server.start();
    await expectComplete(run);
  });

  it('processes that start before the broker wait for it', async () => {
    writeConfig();
    await server.stop();
    const run = setup.start('run', 'run.conf', '--external');
    await run.says('It is tried again until the brokers answer');
    await server.start();
    await expectComplete(run);
  });
});

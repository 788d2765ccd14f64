import { existsSync } from 'node:fs';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DistributedSetup, type HeadraceProcess } from './distributed-run.test.lib.ts';
import { KafkaTopics } from './kafka-topics.test.lib.ts';

const DOCUMENTS = 2000;

/** Both stages pass the first documents. The others wait until the file `gate` exists, and create the file `held`. */
const STAGES = `
  import { existsSync, writeFileSync } from 'node:fs';
  import { setTimeout as sleep } from 'node:timers/promises';
  import { Stage, Type } from 'headrace';
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const parameters = Type.Object({ folder: Type.String() });
  const holds = ({ id }, { folder }) => {
    if (Number(id) < 100 || existsSync(folder + '/gate')) return false;
    writeFileSync(folder + '/held', '');
    return true;
  };
  export class Computing extends Stage {
    static parameters = parameters;
    process(document) {
      while (holds(document, this.params)) Atomics.wait(cell, 0, 0, 20);
    }
  }
  export class Waiting extends Stage {
    static parameters = parameters;
    async process(document) {
      while (holds(document, this.params)) await sleep(20);
    }
  }
`;

/** Processes that are stopped, and whose documents in progress need longer than the time of a stop. */
await describeWithServer('kafka', (server) => {
  let setup: DistributedSetup;
  let topics: KafkaTopics;

  beforeEach(async () => {
    setup = await DistributedSetup.open(server.url);
    topics = await KafkaTopics.open(server.url);
    setup.write('stages.js', STAGES);
  });
  afterEach(async () => {
    await topics.close();
    await setup.close();
  });

  /** The process ended with exit code 1 and said why, and left its group, so no process waits for its session. */
  async function expectUnfinished(process: HeadraceProcess, topic: string): Promise<void> {
    expect(await process.signal('SIGTERM'), process.output.slice(-2000)).toBe(1);
    expect(process.output).toMatch(new RegExp(`\\d+ messages? of ${topic} could not be finished before the stop`));
    expect(await topics.members(setup.group)).toBe(0);
  }

  /** Every document has arrived, and the run has counted each once. The next process trusts all messages. */
  async function expectComplete(run: HeadraceProcess, next: HeadraceProcess): Promise<void> {
    expect(await run.ended, run.output.slice(-2000)).toBe(0);
    expect(run.summary).toContain(`numbers: complete. ${DOCUMENTS} docs succeeded. 0 docs failed. 0 docs dropped.`);
    expect(setup.distinct).toBe(DOCUMENTS);
    expect(next.output).not.toContain('ended without finishing its messages');
    expect(await next.signal('SIGTERM')).toBe(0);
  }

  it.each(['Computing', 'Waiting'])(
    'a worker-indexer that is stopped during a document of the stage %s ends with 1, and the next process finishes the run',
    async (stage) => {
      const pipeline = setup.writeNumbers('numbers', DOCUMENTS, {
        stages: `{ class: "./stages.js#${stage}", folder: "${setup.folder}" }`,
      });
      const first = setup.start('worker-indexer', 'run.conf');
      const run = setup.start('run', 'run.conf', '--distributed');
      await run.until(() => existsSync(`${setup.folder}/held`));
      await expectUnfinished(first, `${setup.group}_${pipeline}_source`);
      expect(run.isRunning).toBe(true);
      setup.write('gate', '');
      await expectComplete(run, setup.start('worker-indexer', 'run.conf'));
    },
  );

  it('a run that is stopped while no worker is running deletes its event topic, and workers still process its documents', async () => {
    const pipeline = setup.writeNumbers('numbers', DOCUMENTS);
    const run = setup.start('run', 'run.conf', '--distributed');
    await run.says('No worker is running.');
    expect(await run.signal('SIGTERM'), run.output).toBe(143);
    expect(run.output).toContain(
      `They are in the topic ${setup.group}_${pipeline}_source: workers and indexers still process them`,
    );
    expect(run.summary).toContain('RUN SUMMARY: Cancelled.');
    await expect.poll(() => topics.list(`${setup.group}_${pipeline}_event`)).toEqual([]);
    const next = setup.start('worker-indexer', 'run.conf');
    await next.until(() => setup.distinct === DOCUMENTS);
    expect(await next.signal('SIGTERM')).toBe(0);
  });

  it('an indexer that is stopped while its destination does not answer ends with 1, and the next one sends the documents', async () => {
    const pipeline = setup.writeNumbers('numbers', DOCUMENTS);
    const { promise: answer, resolve: release } = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    setup.hold(answer, asked.resolve);
    const worker = setup.start('worker', 'run.conf');
    const first = setup.start('indexer', 'run.conf');
    const run = setup.start('run', 'run.conf', '--distributed');
    await asked.promise;
    // The worker stays in the group, so the indexer is missing only in the list of the readers of the dest topic.
    expect(await worker.signal('SIGTERM')).toBe(0);
    await expectUnfinished(first, `${setup.group}_${pipeline}_dest`);
    expect(run.isRunning).toBe(true);
    release();
    setup.start('worker', 'run.conf');
    await expectComplete(run, setup.start('indexer', 'run.conf'));
  });
});

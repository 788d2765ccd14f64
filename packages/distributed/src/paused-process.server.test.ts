import { existsSync } from 'node:fs';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DistributedSetup } from './distributed-run.test.lib.ts';
import { KafkaTopics } from './kafka-topics.test.lib.ts';

const TOTAL = 2000;

/** Passes the first 400 documents. The others wait until the file `gate` exists, and create the file `held`. */
const STAGE = `
  import { existsSync, writeFileSync } from 'node:fs';
  import { Stage, Type } from 'headrace';
  const cell = new Int32Array(new SharedArrayBuffer(4));
  export class Gate extends Stage {
    static parameters = Type.Object({ folder: Type.String() });
    process({ id }) {
      if (Number(id) < 400) return;
      const { folder } = this.params;
      while (!existsSync(folder + '/gate')) {
        writeFileSync(folder + '/held-' + process.pid, '');
        Atomics.wait(cell, 0, 0, 20);
      }
    }
  }
`;

const TWO_PARTITIONS = /now \d, \d"/;
const FOUR_PARTITIONS = /now 0, 1, 2, 3"/;

/** A process that is paused longer than its session: a suspended machine, a debugger, or no memory for a long time. */
await describeWithServer('kafka', (server) => {
  let setup: DistributedSetup;
  let topics: KafkaTopics;

  beforeEach(async () => {
    setup = await DistributedSetup.open(server.url);
    topics = await KafkaTopics.open(server.url);
    setup.write('stage.js', STAGE);
  });
  afterEach(async () => {
    await topics.close();
    await setup.close();
  });

  it('a process that is paused longer than its session does not hold up the run, and joins again', async () => {
    const stages = `{ class: "./stage.js#Gate", folder: "${setup.folder}" }`;
    const pipeline = setup.writeNumbers('paused', TOTAL, { stages });
    const paused = setup.start('worker-indexer', 'run.conf');
    const other = setup.start('worker-indexer', 'run.conf');
    await Promise.all([paused.says(TWO_PARTITIONS), other.says(TWO_PARTITIONS)]);
    const run = setup.start('run', 'run.conf', '--distributed');
    await run.until(() => existsSync(`${setup.folder}/held-${paused.child.pid}`));
    paused.child.kill('SIGSTOP');
    // The group has excluded the paused process, and its partitions are read again from the committed offsets.
    await other.says(FOUR_PARTITIONS);
    setup.write('gate', '');
    expect(await run.ended, run.output.slice(-2000)).toBe(0);
    const from = paused.output.length;
    // Its documents are finished, and the event topic of their run is deleted.
    paused.child.kill('SIGCONT');
    await paused.until(() => TWO_PARTITIONS.test(paused.output.slice(from)));
    expect(run.summary).toContain(`numbers: complete. ${TOTAL} docs succeeded. 0 docs failed. 0 docs dropped.`);
    expect(setup.distinct).toBe(TOTAL);
    expect(await Promise.all([paused, other].map((one) => one.signal('SIGTERM')))).toEqual([0, 0]);
    // Offsets have not moved back: nothing is left to read.
    await expect.poll(() => topics.unread(setup.group, `${setup.group}_${pipeline}_source`)).toBe(0n);
  });
});

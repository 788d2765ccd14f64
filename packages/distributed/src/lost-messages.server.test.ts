import { describeWithServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DistributedSetup } from './distributed-run.test.lib.ts';
import { KafkaTopics } from './kafka-topics.test.lib.ts';

/** Messages of a run that disappear before they are read. */

await describeWithServer('kafka', (server) => {
  let setup: DistributedSetup;
  let topics: KafkaTopics;
  let pipeline: string;

  beforeEach(async () => {
    setup = await DistributedSetup.open(server.url);
    topics = await KafkaTopics.open(server.url);
    pipeline = setup.writeNumbers('numbers', 1000);
  });
  afterEach(async () => {
    await topics.close();
    await setup.close();
  });

  it('a run whose messages were deleted by retention ends, and the worker names the deleted offsets', async () => {
    const run = setup.start('run', 'run.conf', '--distributed');
    await run.says('No worker is running');
    // A group that has committed offsets before is at a position that no longer exists.
    const first = setup.start('worker-indexer', 'run.conf');
    expect(await run.ended).toBe(0);
    expect(await first.signal('SIGTERM')).toBe(0);
    const lost = setup.start('run', 'run.conf', '--distributed');
    await lost.says('No worker is running');
    await topics.empty(`${setup.group}_${pipeline}_source`);
    const worker = setup.start('worker-indexer', 'run.conf');
    await worker.says(/Partition \d of \S+_source: the messages \d+ to \d+ were deleted before they were read/);
    expect(await lost.ended).toBe(1);
    expect(lost.output).toContain(`All messages of ${setup.group}_${pipeline}_source are marked as read`);
    expect(lost.summary).toContain('numbers: complete. 0 docs succeeded. 1000 docs FAILED.');
    expect(setup.indexed).toHaveLength(1000);
  });

  it('a run whose source topic is deleted ends, and the next run uses a new topic', async () => {
    const lost = setup.start('run', 'run.conf', '--distributed');
    await lost.says('No worker is running');
    await topics.delete(`${setup.group}_${pipeline}_source`);
    const worker = setup.start('worker-indexer', 'run.conf');
    expect(await lost.ended).toBe(1);
    expect(lost.output).toContain('They were deleted before they were read');
    const next = await setup.run('run', 'run.conf', '--distributed');
    expect(next.summary).toContain('numbers: complete. 1000 docs succeeded.');
    expect(await worker.signal('SIGTERM')).toBe(0);
  });
});

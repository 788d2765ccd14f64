import { describeWithServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DistributedSetup } from './distributed-run.test.lib.ts';
import { KafkaTopics } from './kafka-topics.test.lib.ts';

await describeWithServer('kafka', (server) => {
  let setup: DistributedSetup;
  let topics: KafkaTopics;
  let pipeline: string;

  beforeEach(async () => {
    setup = await DistributedSetup.open(server.url);
    topics = await KafkaTopics.open(server.url);
    pipeline = setup.writeNumbers('rights', 100);
    await topics.create(`${setup.group}_${pipeline}_source`);
    await topics.create(`${setup.group}_${pipeline}_dest`);
  });
  afterEach(async () => {
    await topics.close();
    await setup.close();
  });

  it('a run that may not write its source topic fails, and names the right', async () => {
    await topics.deny('WRITE', `${setup.group}_${pipeline}_source`);
    const run = await setup.run('run', 'run.conf', '--distributed');
    expect(run.summary).toContain('numbers: complete. 0 docs succeeded. 100 docs FAILED.');
    expect(run.output).toContain(
      `Topic authorization failed: the user of kafka.producer needs the right to write the topic ${setup.group}_${pipeline}_source`,
    );
    expect(await run.ended).toBe(1);
  });

  it.each(['worker', 'worker-indexer', 'indexer'])('a %s that may not read its topic names the right', async (role) => {
    const topic = `${pipeline}_${role === 'indexer' ? 'dest' : 'source'}`;
    await topics.deny('READ', topic);
    const service = setup.start(role, 'run.conf');
    await service.says(
      `Topic authorization failed: the user of kafka.consumer needs the right to read the topic ${topic} and the group ${setup.group}`,
    );
    await service.says('It starts again in');
    expect(await service.signal('SIGTERM')).toBe(0);
  });

  it('a worker that may not write its dest topic names the right, and its run finishes when it has the right', async () => {
    await topics.deny('WRITE', `${setup.group}_${pipeline}_dest`);
    const worker = setup.start('worker', 'run.conf');
    setup.start('indexer', 'run.conf');
    const run = setup.start('run', 'run.conf', '--distributed');
    await worker.says(`the user of kafka.producer needs the right to write the topic ${setup.group}_${pipeline}_dest`);
    await topics.allow(`${setup.group}_${pipeline}_dest`);
    expect(await run.ended).toBe(0);
    expect(run.summary).toContain('numbers: complete. 100 docs succeeded. 0 docs failed.');
  });
});

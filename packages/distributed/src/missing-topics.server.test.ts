import { describeWithOwnServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DistributedSetup } from './distributed-run.test.lib.ts';
import { KafkaTopics } from './kafka-topics.test.lib.ts';

/** Topics that do not exist, and that Headrace may not create. */
await describeWithOwnServer('kafka', (server) => {
  let setup: DistributedSetup;
  let topics: KafkaTopics;

  beforeEach(async () => {
    setup = await DistributedSetup.open(server.url);
    topics = await KafkaTopics.open(server.url);
  });
  afterEach(async () => {
    await topics.close();
    await setup.close();
  });

  it('a run and a worker-indexer name the topic and what to do, and the next run finishes when they may create it', async () => {
    const pipeline = setup.writeNumbers('missing', 100);
    const reason = `The topic ${setup.group}_${pipeline}_source does not exist and cannot be created: Kafka at ${server.url}: `;
    const advice = 'Create it, or allow this client to create topics.';
    await topics.deny('CREATE', `${setup.group}_${pipeline}_source`);
    const run = await setup.run('run', 'run.conf', '--distributed');
    expect(await run.ended).toBe(1);
    const service = setup.start('worker-indexer', 'run.conf');
    await service.says('It starts again in');
    for (const { output } of [run, service]) {
      expect(output).toContain(reason);
      expect(output).toContain(advice);
    }
    await topics.allow(`${setup.group}_${pipeline}_source`);
    const next = await setup.run('run', 'run.conf', '--distributed');
    expect(await next.ended).toBe(0);
    expect(next.summary).toContain('numbers: complete. 100 docs succeeded. 0 docs failed.');
    expect(await service.signal('SIGTERM')).toBe(0);
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DistributedSetup } from './distributed-run.test.lib.ts';
import { KafkaTopics } from './kafka-topics.test.lib.ts';

/** Two configs on the same brokers, whose pipelines have the same name. */
await describeWithServer('kafka', (server) => {
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

  const DOCUMENTS = 1000;

  /** Writes the config NAME.conf with the pipeline main. Its documents have the name as a prefix, and go to NAME.jsonl. */
  function write(name: string, group: string, kafka = ''): void {
    setup.write(
      `${name}.conf`,
      `connectors: [{ class: SequenceConnector, name: s, pipeline: main, numDocs: ${DOCUMENTS}, docIdPrefix: "${name}-" }]
       pipelines: [{ name: main, stages: [] }]
       indexer { type: JSONLines }
       jsonl { path: ${name}.jsonl }
       kafka { bootstrapServers: "${server.url}", consumerGroupId: "${setup.name(group)}", maxPollIntervalSecs: 60
         maxRequestSize: 1000000, consumer { session.timeout.ms: 6000, heartbeat.interval.ms: 500 }, ${kafka} }`,
    );
  }

  /** The distinct ids in the output of a config, without the prefix of the config; other ids whole. */
  function written(name: string): string[] {
    const file = join(setup.folder, `${name}.jsonl`);
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    return [...new Set(lines.map((line) => (JSON.parse(line) as { id: string }).id.replace(`${name}-`, '')))];
  }

  const all = () => Array.from({ length: DOCUMENTS }, (_, i) => `${i}`);
  const numbers = (texts: readonly string[]) => [...texts].sort((a, b) => Number(a) - Number(b));

  it.each([
    ['consumer groups', 'shop-a', 'shop-b', '', ''],
    ['values of kafka.configId', 'shop', 'shop', 'configId: "a$", partitions: 2', 'configId: "b$", partitions: 2'],
  ])('with other %s each receive exactly their documents', async (_, a, b, kafkaA, kafkaB) => {
    write('a', a, kafkaA.replace('$', setup.suffix));
    write('b', b, kafkaB.replace('$', setup.suffix));
    const workers = ['a', 'b'].map((name) => setup.start('worker-indexer', `${name}.conf`));
    const runs = await Promise.all(['a', 'b'].map((name) => setup.run('run', `${name}.conf`, '--distributed')));
    for (const run of runs) expect(run.summary).toContain(`s: complete. ${DOCUMENTS} docs succeeded. 0 docs failed.`);
    for (const name of ['a', 'b']) expect(numbers(written(name))).toEqual(all());
    for (const worker of workers) expect(worker.output).not.toContain('starts again');
  });

  it('that share a topic leave the messages of the other one to its consumer group', async () => {
    const shared = `sourceTopic: "${setup.name('shared')}"`;
    write('a', 'shop-a', shared);
    write('b', 'shop-b', shared);
    const workers = ['a', 'b'].map((name) => setup.start('worker-indexer', `${name}.conf`));
    await Promise.all(workers.map((worker) => worker.says(/now 0, 1, 2, 3"/)));
    await Promise.all(['a', 'b'].map((name) => setup.run('run', `${name}.conf`, '--distributed')));
    for (const name of ['a', 'b']) expect(numbers(written(name))).toEqual(all());
    const [a] = workers;
    const other = `${setup.name('shop-b')} (JSONLines, path b.jsonl)`;
    await a?.says(`has messages of the config ${other}`);
    await a?.says('they are left to the consumer group');
    // Other programs may write documents to the topic. Both configs process them.
    await topics.write(setup.name('shared'), [{ key: 'x', value: '{"id":"x"}' }]);
    for (const name of ['a', 'b']) await expect.poll(() => written(name)).toContain('x');
    expect(await a?.signal('SIGTERM')).toBe(0);
    expect(a?.output).toMatch(/\d+ messages? of the config .*b\.jsonl\) in shared-\w+ were not processed/);
  });

  it('with the same consumer group are refused, with both names, and nothing is lost', async () => {
    write('a', 'shop');
    write('b', 'shop');
    const worker = setup.start('worker-indexer', 'b.conf');
    await worker.says(/now 0, 1, 2, 3"/);
    const run = setup.start('run', 'a.conf', '--distributed');
    const [a, b] = ['a', 'b'].map((name) => `${setup.name('shop')} (JSONLines, path ${name}.jsonl)`);
    await worker.says(
      `belongs to the config ${a}, but this process runs the config ${b}, with the same consumer group`,
    );
    expect(written('b')).toEqual([]);
    await worker.signal('SIGTERM');
    setup.start('worker-indexer', 'a.conf');
    expect(await run.ended).toBe(0);
    expect(numbers(written('a'))).toEqual(all());
  });
});

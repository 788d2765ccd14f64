import { describeWithServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DistributedSetup } from './distributed-run.test.lib.ts';
import { KafkaTopics } from './kafka-topics.test.lib.ts';

/** Other programs may write any message to the topics of a pipeline. */
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

  function writeConfig(kafka = '', stages = ''): string {
    return setup.writeNumbers('foreign', 200, { stages, kafka });
  }

  it.each(['worker-indexer', 'worker', 'indexer'])(
    'a %s sends what it cannot decode to the dead-letter topic and continues without a restart',
    async (role) => {
      const pipeline = writeConfig();
      const service = setup.start(role, 'run.conf');
      if (role === 'worker') setup.start('indexer', 'run.conf');
      await service.says(/now 0, 1, 2, 3"/);
      const bad = [
        { key: 'text', value: 'not json' },
        { key: 'list', value: '[]' },
        { key: 'no-id', value: '{"x":1}' },
        { key: 'number', value: '{"id":5}' },
        { key: 'nothing' },
        { key: 'h1', value: 'x', headers: { headrace: 'not json' } },
        { key: 'h2', value: 'x', headers: { headrace: 'null' } },
        { key: 'h3', value: 'x', headers: { headrace: '{"run":"r","batch":0,"count":3,"events":"no such topic!"}' } },
        { key: 'h4', value: '0\t2\t3\n[]\n', headers: { headrace: '{"run":"r"}' } },
      ].map((message, i) => ({ ...message, partition: i % 4 }));
      await topics.write(`${pipeline}_${role === 'indexer' ? 'dest' : 'source'}`, [
        ...bad,
        { key: 'a', value: '{"id":"a","run_id":"no run / at all"}', partition: 0 },
        { key: 'b', value: '{"id":"b","run_id":"ended-long-ago"}', partition: 1 },
        { key: 'c', value: '{"id":"c"}', partition: 2 },
      ]);
      await expect.poll(() => setup.distinct).toBe(3);
      const letters = await (await topics.tap(`${setup.group}_${pipeline}_fail`)).first(bad.length);
      expect(letters.map(({ key }) => key).sort()).toEqual(bad.map(({ key }) => key).sort());
      expect(setup.indexed.map(({ id }) => id).sort()).toEqual(['a', 'b', 'c']);
      expect(service.output).not.toContain('starts again');
      expect(await service.signal('SIGTERM')).toBe(0);
      // Every offset is committed, so nothing is read again.
      const next = setup.start(role, 'run.conf');
      await next.says(/now 0, 1, 2, 3"/);
      await topics.write(`${pipeline}_${role === 'indexer' ? 'dest' : 'source'}`, [{ key: 'd', value: '{"id":"d"}' }]);
      await expect.poll(() => setup.distinct).toBe(4);
      expect(setup.indexed).toHaveLength(4);
      expect(await (await topics.tap(`${setup.group}_${pipeline}_fail`)).first(bad.length)).toHaveLength(bad.length);
    },
  );

  it("a worker forwards children in Lucille's format, although their run has ended", async () => {
    const pipeline = writeConfig('documentFormat: lucille', '{ class: CreateChildrenStage, numChildren: 2 }');
    const worker = setup.start('worker', 'run.conf');
    setup.start('indexer', 'run.conf');
    await worker.says(/now 0, 1, 2, 3"/);
    const value = (id: string, run: string) => JSON.stringify({ id, run_id: run });
    await topics.write(`${setup.group}_${pipeline}_source`, [
      { key: 'a', value: value('a', 'ended-long-ago') },
      { key: 'b', value: value('b', 'no run / at all') },
    ]);
    await expect.poll(() => setup.distinct).toBe(6);
    expect(worker.output).not.toContain('starts again');
  });

  it('a run ignores what other programs write to its event topic', async () => {
    const pipeline = writeConfig();
    const run = setup.start('run', 'run.conf', '--distributed');
    await run.says('No worker is running');
    const [events = ''] = await topics.list(`${setup.group}_${pipeline}_event`);
    const id = events.slice(`${setup.group}_${pipeline}_event_`.length);
    await topics.write(events, [
      { value: 'not json' },
      { value: 'null', headers: { headrace: 'null' } },
      { value: 'null', headers: { headrace: JSON.stringify({ run: id }) } },
      { value: '{"batch":0}', headers: { headrace: JSON.stringify({ run: id }) } },
      { value: 'not json', headers: { headrace: JSON.stringify({ run: id }) } },
    ]);
    setup.start('worker-indexer', 'run.conf');
    expect(await run.ended).toBe(0);
    expect(run.summary).toContain('numbers: complete. 200 docs succeeded. 0 docs failed.');
  });

  it('a run whose event topic is deleted ends, with the reason', async () => {
    const pipeline = writeConfig();
    const run = setup.start('run', 'run.conf', '--distributed');
    await run.says('No worker is running');
    const [events = ''] = await topics.list(`${setup.group}_${pipeline}_event`);
    await topics.delete(events);
    expect(await run.ended).toBe(1);
    expect(run.output).toContain(`The topic ${events} was deleted, so the run receives no more results`);
  });
});

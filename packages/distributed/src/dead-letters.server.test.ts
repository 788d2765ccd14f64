import { describeWithServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DistributedSetup, type HeadraceProcess, repeated } from './distributed-run.test.lib.ts';
import { KafkaTopics } from './kafka-topics.test.lib.ts';

/** Ends the thread or the process that processes a document with the field poison. */
const STAGE = `
  import { Stage, Type } from 'headrace';
  export class Killer extends Stage {
    static parameters = Type.Object({ how: Type.String() });
    process(document) {
      if (!document.has('poison')) return;
      if (this.params.how === 'exit') process.exit(7);
      process.kill(process.pid, 'SIGKILL');
    }
  }
`;

const TOTAL = 100;

await describeWithServer('kafka', (server) => {
  let setup: DistributedSetup;
  let topics: KafkaTopics;
  let pipeline: string;
  let isOver: boolean;

  beforeEach(async () => {
    setup = await DistributedSetup.open(server.url);
    topics = await KafkaTopics.open(server.url);
    pipeline = setup.name('poison');
    isOver = false;
    setup.write('stage.js', STAGE);
  });
  afterEach(async () => {
    isOver = true;
    await topics.close();
    await setup.close();
  });

  function writeConfig(how: string, poison: readonly number[], kafka = ''): void {
    const documents = Array.from({ length: TOTAL }, (_, n) => ({
      id: `doc-${n}`,
      n,
      ...(poison.includes(n) ? { poison: true } : {}),
    }));
    setup.writeLines('documents.jsonl', documents);
    setup.writeConfig(
      `connectors: [{ class: JSONConnector, name: documents, pipeline: "${pipeline}", jsonPath: documents.jsonl }]
       pipelines: [{ name: "${pipeline}", stages: [{ class: "./stage.js#Killer", how: ${how} }] }]
       worker.maxRetries: 1
       # Documents that are processed one by one do not wait for others.
       indexer.batchTimeout: 10`,
      kafka,
    );
  }

  /** Starts a process again each time that it ends, as a supervisor does. */
  function keepRunning(...args: readonly string[]): { readonly starts: number; readonly current: HeadraceProcess } {
    const kept = { starts: 1, current: setup.start(...args) };
    const watch = (): void => {
      void kept.current.ended.then(() => {
        if (isOver) return;
        kept.starts++;
        kept.current = setup.start(...args);
        watch();
      });
    };
    watch();
    return kept;
  }

  /** A dead letter, as `headrace dead-letters` lists it. */
  async function letters(): Promise<Record<string, unknown>[]> {
    const listed = await setup.run('dead-letters', `${setup.group}_${pipeline}_fail`, '--config', 'run.conf');
    expect(await listed.ended, listed.output).toBe(0);
    return listed.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  const idsOf = (found: readonly Record<string, unknown>[]) => found.map(({ id }) => id).sort();

  it('a document that kills its worker goes to the dead-letter topic after worker.maxRetries tries, and all others succeed', async () => {
    writeConfig('kill', [77], 'documentFormat: lucille');
    const worker = keepRunning('worker-indexer', 'run.conf');
    const run = await setup.run('run', 'run.conf', '--distributed');
    expect(run.summary).toContain(`documents: complete. ${TOTAL - 1} docs succeeded. 1 docs FAILED.`);
    expect(run.output).toContain('the document ended its worker each time (tries: 1, worker.maxRetries)');
    expect(await run.ended).toBe(0);
    // The document killed its worker three times: twice together with others, then alone.
    expect(worker.starts).toBe(4);
    const indexed = new Set(setup.indexed.map(({ id }) => id));
    expect([indexed.size, indexed.has('doc-77')]).toEqual([TOTAL - 1, false]);
    const found = await letters();
    expect(idsOf(found)).toEqual(['doc-77']);
    expect(found[0]?.['reason']).toContain('worker.maxRetries');
    expect(found[0]?.['place']).toMatch(
      new RegExp(`^topic ${setup.group}_${pipeline}_source, partition \\d, offset \\d+$`),
    );
    expect(JSON.parse(String(found[0]?.['document']))).toMatchObject({ id: 'doc-77', n: 77, poison: true });
  });

  it('finds the document of a batch that ends its thread, and headrace replay sends it again once', async () => {
    writeConfig('exit', [42]);
    const worker = setup.start('worker', 'run.conf');
    setup.start('indexer', 'run.conf');
    const run = await setup.run('run', 'run.conf', '--distributed');
    expect(run.summary).toContain(`documents: complete. ${TOTAL - 1} docs succeeded. 1 docs FAILED.`);
    expect(await run.ended).toBe(0);
    expect(idsOf(await letters())).toEqual(['doc-42']);
    expect(new Set(setup.indexed.map(({ id }) => id)).size).toBe(TOTAL - 1);
    // The document ended its thread. The process continued.
    expect(worker.isRunning).toBe(true);
    expect(await worker.signal('SIGTERM')).toBe(0);

    setup.write('stage.js', STAGE.replace("document.has('poison')", 'false'));
    setup.start('worker', 'run.conf');
    const replay = await setup.run('replay', `${setup.group}_${pipeline}_fail`, '--config', 'run.conf');
    expect(replay.output).toContain(
      `1 message of ${setup.group}_${pipeline}_fail sent to ${setup.group}_${pipeline}_source`,
    );
    await expect.poll(() => setup.distinct).toBe(TOTAL);
    const again = await setup.run('replay', `${setup.group}_${pipeline}_fail`, '--config', 'run.conf');
    expect(again.output).toContain(
      `0 messages of ${setup.group}_${pipeline}_fail sent to ${setup.group}_${pipeline}_source`,
    );
  });

  it('messages that cannot be decoded go to the dead-letter topic immediately, and headrace replay sends them once', async () => {
    writeConfig('exit', []);
    await topics.create(`${setup.group}_${pipeline}_source`);
    await topics.write(`${setup.group}_${pipeline}_source`, [
      { key: 'good', value: '{"id":"good"}' },
      { key: 'broken', value: '{"id":"bro' },
      { key: 'unnamed', value: '{"no":"id"}' },
      { key: 'empty' },
      { key: 'list', value: '[1]' },
      { key: 'foreign', value: 'no batch', headers: { headrace: '{"run":"r","batch":0,"count":3}' } },
      { key: 'cut', value: '0\t2\t99\n{"names"', headers: { headrace: '{"run":"r","batch":0,"count":2}' } },
      { key: 'huge', value: '0\t4000000000\t3\n{}\n', headers: { headrace: '{"run":"r","batch":0,"count":2}' } },
      { key: 'also-good', value: '{"id":"also-good"}' },
    ]);
    const bad = ['broken', 'cut', 'empty', 'foreign', 'huge', 'list', 'unnamed'];
    const service = setup.start('worker-indexer', 'run.conf');
    await service.until(() => setup.distinct === 2);
    await (await topics.tap(`${setup.group}_${pipeline}_fail`)).first(bad.length);
    const found = await letters();
    expect(idsOf(found)).toEqual(bad);
    for (const letter of found) {
      expect(letter['reason']).toEqual(expect.stringMatching(/./));
      expect(letter['place']).toMatch(
        new RegExp(`^topic ${setup.group}_${pipeline}_source, partition \\d, offset \\d$`),
      );
    }
    expect(found.find(({ id }) => id === 'broken')?.['document']).toBe('{"id":"bro');
    expect(found.find(({ id }) => id === 'foreign')).toMatchObject({ documents: 3 });
    expect(await service.signal('SIGTERM')).toBe(0);
    expect(service.output).not.toContain('starts again');
    expect(service.output).toContain('11 failure events');
    const source = await topics.tap(`${setup.group}_${pipeline}_source`);
    const replay = await setup.run('replay', `${setup.group}_${pipeline}_fail`, '--config', 'run.conf');
    expect(replay.output).toContain(
      `7 messages of ${setup.group}_${pipeline}_fail sent to ${setup.group}_${pipeline}_source`,
    );
    const again = await setup.run('replay', `${setup.group}_${pipeline}_fail`, '--config', 'run.conf');
    expect(again.output).toContain(
      `0 messages of ${setup.group}_${pipeline}_fail sent to ${setup.group}_${pipeline}_source`,
    );
    const sent = await source.first(16);
    expect(sent.map(({ key }) => key).sort()).toEqual([...bad, ...bad, 'also-good', 'good'].sort());
    // A batch remains a batch, and its run is not asked to count it again.
    const headers = sent.filter(({ key }) => key === 'foreign').map((message) => message.headers['headrace']);
    expect(headers).toEqual(['{"run":"r","batch":0,"count":3}', '{"run":"r","batch":0,"count":3}']);
    expect(repeated(setup.indexed)).toEqual([]);
  });

  it('a message that is too large for the dead-letter topic leaves a letter with its reason, and the others continue', async () => {
    writeConfig('exit', []);
    await topics.create(`${setup.group}_${pipeline}_source`, 1);
    await topics.create(`${setup.group}_${pipeline}_fail`, 1, { 'max.message.bytes': '2000' });
    await topics.write(`${setup.group}_${pipeline}_source`, [
      { key: 'large', value: '{"id":'.repeat(1000) },
      { key: 'good', value: '{"id":"good"}' },
    ]);
    const service = setup.start('worker-indexer', 'run.conf');
    await service.says(`The dead-letter topic ${setup.group}_${pipeline}_fail does not accept a message of 6000 bytes`);
    await service.until(() => setup.distinct === 1);
    expect(await letters()).toMatchObject([
      { place: `topic ${setup.group}_${pipeline}_source, partition 0, offset 0`, omittedBytes: 6000 },
    ]);
    const replay = await setup.run('replay', `${setup.group}_${pipeline}_fail`, '--config', 'run.conf');
    expect(replay.output).toContain('cannot be sent again (6000 bytes)');
    expect(await service.signal('SIGTERM')).toBe(0);
    expect(service.output).not.toContain('starts again');
  });

  it('headrace replay requires --to for a topic that belongs to no pipeline', async () => {
    writeConfig('exit', []);
    const refused = await setup.run('replay', 'elsewhere_fail', '--config', 'run.conf');
    expect(refused.output).toContain('Name the topic to write with --to.');
    expect(await refused.ended).toBe(2);
  });

  it('headrace replay of a missing topic creates nothing', async () => {
    writeConfig('exit', []);
    const target = setup.name('target');
    const missing = setup.name('missing');
    const refused = await setup.run('replay', missing, '--to', target, '--config', 'run.conf');
    expect(refused.output).toContain(`There is no topic ${missing} at`);
    expect(await refused.ended).toBe(1);
    expect(await topics.list(setup.suffix)).toEqual([]);
  });
});

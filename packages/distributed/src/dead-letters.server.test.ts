import { describeWithServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DistributedSetup, type HeadraceProcess, repeated } from './distributed-run.test.lib.ts';
import { KafkaTopics } from './kafka-topics.test.lib.ts';

/** Each killer ends its worker several times, and a group waits for a killed member. */
vi.setConfig({ testTimeout: 300_000 });

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

const TOTAL = 2000;

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

  function writeConfig(how: string, poison: readonly number[], more = '', kafka = ''): void {
    const documents = Array.from({ length: TOTAL }, (_, n) => ({
      id: `doc-${n}`,
      n,
      ...(poison.includes(n) ? { poison: true } : {}),
    }));
    setup.writeLines('documents.jsonl', documents);
    setup.writeConfig(
      `connectors: [{ class: JSONConnector, name: documents, pipeline: "${pipeline}", jsonPath: documents.jsonl }]
       pipelines: [{ name: "${pipeline}", stages: [{ class: "./stage.js#Killer", how: ${how} }] }]
       ${more}`,
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

  async function letters(): Promise<Record<string, unknown>[]> {
    const { stdout } = await setup.run('dead-letters', `${pipeline}_fail`, '--config', 'run.conf');
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  it.each(['exit', 'kill'])(
    'a document that ends its worker (%s) goes to the dead-letter topic after worker.maxRetries tries, and all others succeed',
    async (how) => {
      writeConfig(how, [777], 'worker.maxRetries: 2');
      keepRunning('worker', 'run.conf');
      setup.start('indexer', 'run.conf');
      const run = await setup.run('run', 'run.conf', '--distributed');
      expect(run.summary).toContain(`documents: complete. ${TOTAL - 1} docs succeeded. 1 docs FAILED.`);
      expect(run.output).toContain('it ended its worker each time: 2 tries (worker.maxRetries)');
      expect(await run.ended).toBe(0);
      const indexed = new Set(setup.indexed.map(({ id }) => id));
      expect(indexed.size).toBe(TOTAL - 1);
      expect(indexed.has('doc-777')).toBe(false);
      const found = await letters();
      expect(found).toHaveLength(1);
      expect(found[0]).toMatchObject({ id: 'doc-777', reason: expect.stringContaining('worker.maxRetries') });
      expect(JSON.parse(String(found[0]?.['document']))).toMatchObject({ id: 'doc-777', n: 777, poison: true });
    },
  );

  it('several documents of one message that end their worker are all found', async () => {
    writeConfig('kill', [3, 4, 900, 1999], 'worker.maxRetries: 1');
    keepRunning('worker', 'run.conf');
    setup.start('indexer', 'run.conf');
    const run = await setup.run('run', 'run.conf', '--distributed');
    expect(run.summary).toContain(`documents: complete. ${TOTAL - 4} docs succeeded. 4 docs FAILED.`);
    expect((await letters()).map(({ id }) => id).sort()).toEqual(['doc-1999', 'doc-3', 'doc-4', 'doc-900']);
    expect(new Set(setup.indexed.map(({ id }) => id)).size).toBe(TOTAL - 4);
  });

  it("a document in Lucille's format that ends its worker goes to the dead-letter topic, and all others succeed", async () => {
    writeConfig('kill', [777], 'worker.maxRetries: 1', 'documentFormat: lucille');
    keepRunning('worker', 'run.conf');
    setup.start('indexer', 'run.conf');
    const run = await setup.run('run', 'run.conf', '--distributed');
    expect(run.summary).toContain(`documents: complete. ${TOTAL - 1} docs succeeded. 1 docs FAILED.`);
    expect((await letters()).map(({ id }) => id)).toEqual(['doc-777']);
    expect(new Set(setup.indexed.map(({ id }) => id)).size).toBe(TOTAL - 1);
  });

  it('a worker that is killed for another reason sends nothing to the dead-letter topic', async () => {
    writeConfig('kill', [], 'worker.maxRetries: 1');
    const kept = keepRunning('worker-indexer', 'run.conf');
    let answer = () => {};
    setup.held = new Promise((resolve) => {
      answer = resolve;
    });
    const run = setup.start('run', 'run.conf', '--distributed');
    for (let kills = 0; kills < 4; kills++) {
      const { current } = kept;
      await current.says(kills === 0 ? 'now 0, 1, 2, 3' : 'its last owner ended without finishing');
      current.child.kill('SIGKILL');
      await expect.poll(() => kept.starts).toBe(kills + 2);
    }
    answer();
    expect(await run.ended).toBe(0);
    expect(run.summary).toContain(`documents: complete. ${TOTAL} docs succeeded. 0 docs failed.`);
    expect(await letters()).toEqual([]);
  });

  it('a destination that accepts nothing for a while sends nothing to the dead-letter topic', async () => {
    writeConfig('kill', [], 'worker.maxRetries: 1');
    let refusals = 0;
    const accept = setup.refuseDocuments(() => refusals++);
    setup.start('worker', 'run.conf');
    const indexer = keepRunning('indexer', 'run.conf');
    const run = setup.start('run', 'run.conf', '--distributed');
    for (let stops = 0; stops < 3; stops++) {
      const before = refusals;
      await run.until(() => refusals > before);
      indexer.current.child.kill('SIGTERM');
      await expect.poll(() => indexer.starts).toBe(stops + 2);
    }
    accept();
    expect(await run.ended).toBe(0);
    expect(run.summary).toContain(`documents: complete. ${TOTAL} docs succeeded. 0 docs failed.`);
    expect(await letters()).toEqual([]);
  });

  it('messages that cannot be decoded go to the dead-letter topic at once, and headrace replay sends them once', async () => {
    writeConfig('kill', []);
    await topics.create(`${pipeline}_source`);
    await topics.write(`${pipeline}_source`, [
      { key: 'good', value: '{"id":"good"}' },
      { key: 'broken', value: '{"id":"bro' },
      { key: 'unnamed', value: '{"no":"id"}' },
      { key: 'empty' },
      { key: 'list', value: '[1]' },
      { key: 'foreign', value: 'no batch', headers: { headrace: '{"run":"r","batch":0,"count":3}' } },
      { key: 'cut', value: '0\t2\t99\n{"names"', headers: { headrace: '{"run":"r","batch":0,"count":2}' } },
      { key: 'also-good', value: '{"id":"also-good"}' },
    ]);
    const service = setup.start('worker-indexer', 'run.conf');
    await service.until(() => setup.distinct === 2);
    const failed = await topics.tap(`${pipeline}_fail`);
    await failed.first(6);
    const found = await letters();
    expect(found.map(({ id }) => id).sort()).toEqual(['broken', 'cut', 'empty', 'foreign', 'list', 'unnamed']);
    for (const letter of found) {
      expect(letter['reason']).toEqual(expect.stringMatching(/./));
      expect(letter['place']).toMatch(new RegExp(`^topic ${pipeline}_source, partition \\d, offset \\d$`));
    }
    expect(found.find(({ id }) => id === 'broken')?.['document']).toBe('{"id":"bro');
    expect(await service.signal('SIGTERM')).toBe(0);
    const source = await topics.tap(`${pipeline}_source`);
    await source.first(8);
    const replay = await setup.run('replay', `${pipeline}_fail`, '--config', 'run.conf');
    expect(replay.output).toContain(`6 messages of ${pipeline}_fail sent to ${pipeline}_source`);
    const again = await setup.run('replay', `${pipeline}_fail`, '--config', 'run.conf');
    expect(again.output).toContain(`0 messages of ${pipeline}_fail sent to ${pipeline}_source`);
    const sent = (await source.first(14)).slice(8);
    expect(sent.map(({ key }) => key).sort()).toEqual(['broken', 'cut', 'empty', 'foreign', 'list', 'unnamed']);
    expect(repeated(setup.indexed)).toEqual([]);
  });

  it('a replayed document is processed again, and indexed if it no longer ends its worker', async () => {
    writeConfig('kill', [777], 'worker.maxRetries: 1');
    const worker = keepRunning('worker', 'run.conf');
    setup.start('indexer', 'run.conf');
    const run = await setup.run('run', 'run.conf', '--distributed');
    expect(run.summary).toContain('1 docs FAILED.');
    setup.write('stage.js', STAGE.replace("document.has('poison')", 'false'));
    // It loads the corrected stage when it starts again.
    const before = worker.starts;
    worker.current.child.kill('SIGTERM');
    await expect.poll(() => worker.starts).toBe(before + 1);
    const replay = await setup.run('replay', `${pipeline}_fail`, '--config', 'run.conf');
    expect(replay.output).toContain('1 message of');
    await expect.poll(() => setup.indexed.some(({ id }) => id === 'doc-777'), { timeout: 60_000 }).toBe(true);
  });

  it('headrace replay of a topic that belongs to no pipeline asks for --to', async () => {
    writeConfig('kill', []);
    const refused = await setup.run('replay', 'elsewhere_fail', '--config', 'run.conf');
    expect(refused.output).toContain('Name the topic to write with --to.');
    expect(await refused.ended).toBe(2);
  });
});

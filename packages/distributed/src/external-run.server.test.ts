import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DistributedSetup, repeated } from './distributed-run.test.lib.ts';

/** `headrace run --external` next to other processes that serve the same pipeline. */

const DOCUMENTS = 3000;

/** Publishes documents. If the file `break` is missing, it waits for it, and then does what `ends` says. */
const CONNECTOR = `
  import { existsSync } from 'node:fs';
  import { setTimeout as sleep } from 'node:timers/promises';
  import { Connector, Document, Type } from 'headrace';
  export class Breaking extends Connector {
    static parameters = Type.Object({ folder: Type.String(), ends: Type.String() });
    async execute(publisher) {
      const file = this.params.folder + '/break';
      const prefix = existsSync(file) ? 'second' : 'first';
      for (let i = 0; i < 200; i++) await publisher.publish(Document.create(prefix + i));
      if (prefix === 'second') return;
      // Sends the last documents. It resolves when the destination has accepted them.
      publisher.settled().catch(() => undefined);
      while (!existsSync(file)) await sleep(20);
      if (this.params.ends === 'exception') setTimeout(() => { throw new Error('an error of a timer') });
      else void Promise.reject(new Error('an error of a promise'));
      await sleep(60_000);
    }
  }
`;

await describeWithServer('kafka', (server) => {
  let setup: DistributedSetup;
  let pipeline: string;

  beforeEach(async () => {
    setup = await DistributedSetup.open(server.url);
    pipeline = setup.writeNumbers('numbers', DOCUMENTS);
  });
  afterEach(() => setup.close());

  function expectAllOnce(): void {
    expect(repeated(setup.indexed)).toEqual([]);
    expect(setup.indexed).toHaveLength(DOCUMENTS);
  }

  it('shares its work with a worker and an indexer that run already', async () => {
    const worker = setup.start('worker', 'run.conf');
    const indexer = setup.start('indexer', 'run.conf');
    for (const process of [worker, indexer]) await process.says('now 0, 1, 2, 3');
    const run = await setup.run('run', 'run.conf', '--external');
    expect(run.summary).toContain(`numbers: complete. ${DOCUMENTS} docs succeeded. 0 docs failed.`);
    expect(await run.ended).toBe(0);
    expectAllOnce();
    expect(await Promise.all([worker, indexer].map((one) => one.signal('SIGTERM')))).toEqual([0, 0]);
  });

  it('says that an indexer is missing if only a worker helps, and finishes when one starts', async () => {
    const worker = setup.start('worker', 'run.conf');
    await worker.says('now 0, 1, 2, 3');
    const run = setup.start('run', 'run.conf', '--external');
    await run.says(
      `Workers are running, but no indexer is. Start one: headrace indexer CONFIG --pipeline ${pipeline}.`,
    );
    // What the worker has written to the dest topic waits, even if the worker is gone.
    expect(await worker.signal('SIGTERM')).toBe(0);
    await run.says(/No indexer is running for \d+ messages? in \S+_dest. Start one: headrace indexer/);
    expect(run.isRunning).toBe(true);
    setup.start('indexer', 'run.conf');
    expect(await run.ended).toBe(0);
    expect(run.summary).toContain(`numbers: complete. ${DOCUMENTS} docs succeeded. 0 docs failed.`);
    expectAllOnce();
  });

  it('shares its work with a worker-indexer', async () => {
    const other = setup.start('worker-indexer', 'run.conf');
    await other.says('now 0, 1, 2, 3');
    const run = await setup.run('run', 'run.conf', '--external');
    expect(await run.ended).toBe(0);
    expectAllOnce();
    expect(await other.signal('SIGTERM')).toBe(0);
  });

  it.each([
    ['an exception that nothing catches', 'exception', 'an error of a timer'],
    ['a rejected promise that nothing handles', 'rejection', 'an error of a promise'],
  ])(
    'ends with 1 and the reason after %s, and the next start finishes the documents in Kafka',
    async (_, ends, reason) => {
      setup.write('connector.js', CONNECTOR);
      const numbers = setup.name('numbers');
      setup.writeConfig(
        `connectors: [{ class: "./connector.js#Breaking", name: numbers, pipeline: "${numbers}",
         folder: "${setup.folder}", ends: ${ends} }]
       pipelines: [{ name: "${numbers}", stages: [] }]`,
      );
      const { promise: answer, resolve: release } = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<void>();
      setup.hold(answer, asked.resolve);
      const broken = setup.start('run', 'run.conf', '--external');
      // The documents are in Kafka, and the destination has not accepted the first of them.
      await asked.promise;
      setup.write('break', '');
      expect(await broken.ended, broken.output.slice(-2000)).toBe(1);
      expect(broken.stderr).toContain(reason);
      expect(broken.stdout).not.toContain('Success');
      release();
      // The destination now stores the request of the ended process, which the next start sends again.
      await nextTurn();
      setup.takeIndexed();
      const next = await setup.run('run', 'run.conf', '--external');
      expect(await next.ended, next.output.slice(-2000)).toBe(0);
      expect(next.summary).toContain('numbers: complete. 200 docs succeeded. 0 docs failed. 0 docs dropped.');
      const ids = new Set(setup.indexed.map(({ id }) => id));
      for (let i = 0; i < 200; i++) expect(ids).toContain(`first${i}`);
      expect(ids.size).toBe(400);
    },
  );
});

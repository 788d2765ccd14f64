import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DistributedSetup, repeated } from './distributed-run.test.lib.ts';
import { KafkaTopics } from './kafka-topics.test.lib.ts';

/** Writes one character to a file for each document. */
const STAGE = `
  import { appendFileSync } from 'node:fs';
  import { Stage, Type } from 'headrace';
  export class Seen extends Stage {
    static parameters = Type.Object({ file: Type.String() });
    process() { appendFileSync(this.params.file, '.'); }
  }
`;
const FOUR_PARTITIONS = /now 0, 1, 2, 3"/;
const TWO_PARTITIONS = /now \d, \d"/;

const HOUR = 3_600_000;

/** Other programs write documents to the source topic, and there is no run. */
await describeWithServer('kafka', (server) => {
  let setup: DistributedSetup;
  let topics: KafkaTopics;
  let pipeline: string;

  beforeEach(async () => {
    setup = await DistributedSetup.open(server.url);
    topics = await KafkaTopics.open(server.url);
    setup.write('stage.js', STAGE);
  });
  afterEach(async () => {
    await topics.close();
    await setup.close();
  });

  function writeConfig(batchSize: number, batchTimeout = HOUR): void {
    const file = join(setup.folder, 'seen');
    pipeline = setup.writeNumbers('stream', 1, { stages: `{ class: "./stage.js#Seen", file: "${file}" }` });
    const config = readFileSync(join(setup.folder, 'run.conf'), 'utf8').replace(/connectors: .*/, 'connectors: []');
    setup.write('run.conf', `${config}\nindexer { batchSize: ${batchSize}, batchTimeout: ${batchTimeout} }`);
  }

  /** Writes versions of numbered documents: first version 0 of all, then version 1. `from` is the first version. */
  async function feed(documents: number, versions: number, from = 0): Promise<void> {
    const messages = Array.from({ length: documents * versions }, (_, n) => {
      const id = `doc-${n % documents}`;
      return { key: id, value: JSON.stringify({ id, version: from + Math.floor(n / documents) }) };
    });
    await topics.write(`${setup.group}_${pipeline}_source`, messages);
  }

  /** The last version of each document that has arrived. */
  const last = () => new Map(setup.indexed.map(({ id, version }) => [id, version]));

  it('a batch of the destination may be larger than the number of documents in progress', async () => {
    writeConfig(1000);
    const service = setup.start('worker-indexer', 'run.conf');
    await service.says(FOUR_PARTITIONS);
    await feed(800, 1);
    await service.until(() => setup.distinct >= 384);
    expect(await service.signal('SIGTERM')).toBe(0);
    expect(service.output).not.toContain('There are no connectors');
    expect(repeated(setup.indexed)).toEqual([]);
  });

  it.each([
    [1, 100],
    [2, HOUR],
  ])('after %i kills, all documents arrive, and their versions keep their order', async (kills, batchTimeout) => {
    writeConfig(100, batchTimeout);
    const answer = Promise.withResolvers<void>();
    for (let kill = 0; kill < kills; kill++) {
      const asked = Promise.withResolvers<void>();
      setup.hold(answer.promise, asked.resolve);
      const service = setup.start('worker-indexer', 'run.conf');
      await service.says(FOUR_PARTITIONS);
      if (kill === 0) await feed(100, 3);
      await asked.promise;
      await service.signal('SIGKILL');
    }
    answer.resolve();
    const service = setup.start('worker-indexer', 'run.conf');
    const final = () => [...last().values()].filter((version) => version === 2).length;
    await service.until(() => final() === 100);
    // Only after a second kill among the same documents, one of them may be the reason. Then none waits for a full batch.
    expect(service.output.includes('are processed one by one')).toBe(kills === 2);
    expect(await service.signal('SIGTERM')).toBe(0);
    expect(final()).toBe(100);
  });

  it('partitions move immediately although their documents wait for a full batch, and versions keep their order', async () => {
    writeConfig(100);
    const first = setup.start('worker-indexer', 'run.conf');
    await first.says(FOUR_PARTITIONS);
    await feed(30, 2);
    const seen = join(setup.folder, 'seen');
    const isSeen = (count: number) => existsSync(seen) && readFileSync(seen, 'utf8').length === count;
    await first.until(() => isSeen(60));
    expect(setup.distinct).toBe(0);
    // A process joins. The first one finishes the documents of the partitions that it loses.
    const second = setup.start('worker-indexer', 'run.conf');
    await second.says(TWO_PARTITIONS);
    expect(first.output).not.toContain('did not finish in time');
    expect(setup.distinct).toBe(30);
    // It leaves with documents in progress.
    await feed(30, 2, 2);
    await first.until(() => isSeen(120));
    const from = first.output.length;
    expect(await second.signal('SIGTERM')).toBe(0);
    await first.until(() => FOUR_PARTITIONS.test(first.output.slice(from)));
    await feed(30, 1, 4);
    await first.until(() => isSeen(150));
    expect(await first.signal('SIGTERM')).toBe(0);
    for (let n = 0; n < 30; n++) {
      const versions = setup.indexed.filter(({ id }) => id === `doc-${n}`).map(({ version }) => version);
      expect(versions).toEqual([0, 1, 2, 3, 4]);
    }
  });
});

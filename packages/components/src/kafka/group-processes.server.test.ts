import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describeWithServer } from '@headrace/testing/real-server';
import { StubServer } from '@headrace/testing/stub-server';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';

/** Runs of one consumer group, each in a separate process, which write to one destination. */

const BINARY = fileURLToPath(new URL('../../../headrace/bin/headrace.js', import.meta.url));
const PARTITIONS = 4;

/** A document that the destination has received. */
interface Written {
  readonly id: string;
  readonly by: string;
  readonly at: number;
}

await describeWithServer('kafka', (server) => {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-groups-'));
  const processes = new Set<ChildProcess>();
  let written: Written[] = [];
  let destination: StubServer;
  /** How long the destination takes for a request, in milliseconds. */
  const pause = 15;
  /** The destination answers requests only after this promise resolves. */
  let held: Promise<void>;

  beforeEach(async () => {
    written = [];
    held = Promise.resolve();
    destination = await StubServer.start(async ({ path, body }, response) => {
      const lines = body.split('\n').filter((line) => line !== '');
      // Before a run reads, it checks with an empty request that the destination answers.
      if (lines.length > 0) {
        await sleep(pause);
        await held;
      }
      const at = Date.now();
      for (const line of lines) written.push({ id: (JSON.parse(line) as { id: string }).id, by: path, at });
      response.end();
    });
  });
  afterEach(async () => {
    for (const child of processes) child.kill('SIGKILL');
    await destination.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function createTopic(messages: number): Promise<string> {
    const { Admin, Producer } = await import('@platformatic/kafka');
    const options = { clientId: 'test', bootstrapBrokers: [server.url] };
    const topic = `topic-${crypto.randomUUID()}`;
    const admin = new Admin(options);
    await admin.createTopics({ topics: [topic], partitions: PARTITIONS, replicas: 1 });
    await admin.close();
    const producer = new Producer({ ...options, idempotent: true });
    for (let from = 0; from < messages; from += 5000) {
      const count = Math.min(5000, messages - from);
      const ids = Array.from({ length: count }, (_, i) => from + i);
      await producer.send({
        messages: ids.map((id) => ({ topic, partition: id % PARTITIONS, value: Buffer.from(`{"id":"${id}"}`) })),
      });
    }
    await producer.close();
    return topic;
  }

  /** Starts a run that writes to its own path of the destination. */
  function start(name: string, topic: string, more = '') {
    const config = join(folder, `${name}.conf`);
    writeFileSync(
      config,
      `connectors: [{ class: KafkaConnector, name: in, pipeline: p, ${more}
         kafka { bootstrapServers: "${server.url}", topic: "${topic}", consumerGroupId: "g-${topic}", clientId: c,
           maxPollIntervalSecs: "60", consumer { session.timeout.ms: 6000, heartbeat.interval.ms: 500, max.partition.fetch.bytes: 8192, metadata.max.age.ms: 1000 } } }]
       pipelines: [{ name: p, stages: [] }]
       indexer { type: HTTP, batchSize: 50 }
       http { url: "${destination.url}/${name}" }`,
    );
    const child = spawn(process.execPath, [BINARY, 'run', config], { stdio: ['ignore', 'pipe', 'pipe'] });
    processes.add(child);
    const run = { child, output: '', ended: once(child, 'exit').then(() => processes.delete(child)) };
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        run.output += text;
      });
    }
    return run;
  }

  const by = (name: string) => written.filter((one) => one.by === `/${name}`);
  const distinct = () => new Set(written.map(({ id }) => id)).size;
  /**
   * Returns the documents that were written more than once: the first write, and the run that wrote the document again.
   */
  function repeated() {
    const first = new Map<string, Written>();
    return written.flatMap((one) => {
      const before = first.get(one.id);
      if (before === undefined) first.set(one.id, one);
      return before === undefined ? [] : [{ first: before, again: one.by }];
    });
  }
  async function until(isTrue: () => boolean, run: ReturnType<typeof start>): Promise<void> {
    while (!isTrue()) {
      if (run.child.exitCode !== null) throw new Error(`The run has ended: ${run.output}`);
      await sleep(20);
    }
  }

  it('write each message once when a member joins, and when it leaves', async () => {
    const total = 30_000;
    const topic = await createTopic(total);
    const first = start('first', topic);
    await until(() => by('first').length > 1000, first);
    const second = start('second', topic);
    await until(() => by('second').length > 1000, second);
    second.child.kill('SIGTERM');
    await second.ended;
    await until(() => distinct() === total, first);
    // The second run may have finished all messages of its partitions, so their return is not visible in the messages.
    const regained = /was rebalanced in [\d.]+ s\. Partitions of topic-\S+: gained \d, \d; now 0, 1, 2, 3/;
    await until(() => regained.test(first.output), first);
    first.child.kill('SIGTERM');
    await first.ended;
    const last = start('last', topic, 'continueOnTimeout: false,');
    await last.ended;
    expect(repeated()).toEqual([]);
    expect(last.output).toContain('1/1 connectors complete');
    expect(first.output).toMatch(/was rebalanced in [\d.]+ s\. Partitions of topic-\S+: lost \d, \d; now \d, \d/);
  });

  it('repeat at most two seconds of work after a member is killed', async () => {
    const total = 30_000;
    const topic = await createTopic(total);
    const first = start('first', topic);
    await until(() => by('first').length > 500, first);
    const second = start('second', topic);
    await until(() => by('second').length > 2000, second);
    const killed = Date.now();
    second.child.kill('SIGKILL');
    await second.ended;
    await until(() => distinct() === total, first);
    first.child.kill('SIGTERM');
    await first.ended;
    const late = by('second').filter(({ at }) => at > killed - 2000);
    expect(repeated().filter(({ first: { by }, again }) => by !== '/second' || again !== '/first')).toEqual([]);
    expect(repeated().filter(({ first }) => !late.includes(first))).toEqual([]);
    expect(first.output).toContain('gained');
  });

  it('read partitions that are added to the topic', async () => {
    const topic = await createTopic(8);
    const runs = ['first', 'second'].map((name) => start(name, topic));
    for (const run of runs) await until(() => /now \d, \d"/.test(run.output), run);
    const { Admin, Producer } = await import('@platformatic/kafka');
    const options = { clientId: 'test', bootstrapBrokers: [server.url] };
    const admin = new Admin(options);
    const added = [PARTITIONS, PARTITIONS + 1];
    const { brokers } = await admin.metadata({ topics: [topic] });
    const brokerIds = [...brokers.keys()].slice(0, 1);
    const assignments = added.map(() => ({ brokerIds }));
    const count = PARTITIONS + added.length;
    await admin.createPartitions({ topics: [{ name: topic, count, assignments }] });
    const partitions = async () => (await admin.metadata({ topics: [topic], forceUpdate: true })).topics.get(topic);
    await expect.poll(partitions).toMatchObject({ partitionsCount: count });
    await admin.close();
    const producer = new Producer(options);
    const messages = added.map((partition) => ({
      topic,
      partition,
      value: Buffer.from(`{"id":"added-${partition}"}`),
    }));
    await producer.send({ messages });
    await producer.close();
    await until(() => distinct() === 8 + added.length, runs[0] as ReturnType<typeof start>);
    for (const run of runs) {
      run.child.kill('SIGTERM');
      await run.ended;
      expect(run.output).toMatch(/gained \d; now \d, \d, \d"/);
    }
    expect(repeated()).toEqual([]);
  });

  it('keep a member that takes longer than its session to release partitions', async () => {
    const total = 4000;
    const topic = await createTopic(total);
    const first = start('first', topic);
    await until(() => by('first').length > 200, first);
    const { promise, resolve: answer } = Promise.withResolvers<void>();
    held = promise;
    const second = start('second', topic);
    await until(() => second.output.includes('now none'), second);
    // Nothing finishes until the session of six seconds has expired.
    await sleep(8000);
    answer();
    await until(() => distinct() === total, first);
    for (const run of [second, first]) {
      run.child.kill('SIGTERM');
      await run.ended;
    }
    expect(repeated()).toEqual([]);
    expect(first.output).toContain('lost');
    expect(first.output).not.toContain('has excluded this run');
  });
});

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describeWithServer } from '@headrace/testing/real-server';
import { Admin, Producer } from '@platformatic/kafka';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { directoryWith, headrace, start } from '../cli/headrace.ts';
import { finished, kill, type RunDetails, serve, serviceDirectory, startRun, upload } from '../service/served.ts';

/** The offsets of a Kafka topic move past a message only if its document counts as read. */
await describeWithServer('kafka', (server) => {
  /** Whether the search engine rejects a document. */
  let refuses: (id: string) => boolean;
  /** The documents that the search engine has accepted, once for each time. */
  let taken: string[];
  const engine = createServer(async (request, response) => {
    const body = await text(request);
    response.setHeader('content-type', 'application/json');
    if (request.url?.startsWith('/_bulk') !== true) {
      response.end('{"version":{"number":"2.19.3","distribution":"opensearch"}}');
      return;
    }
    const items = [...body.matchAll(/^\{"index":\{.*?"_id":"([^"]+)"/gm)].map(([, _id = '']) => {
      if (refuses(_id))
        return { index: { _id, status: 400, error: { type: 'mapper_parsing_exception', reason: 'no' } } };
      taken.push(_id);
      return { index: { _id, status: 201 } };
    });
    response.end(JSON.stringify({ errors: items.some(({ index }) => index.status === 400), items }));
  });
  let producer: Producer;

  beforeAll(async () => {
    engine.listen(0, '127.0.0.1');
    await once(engine, 'listening');
    producer = new Producer({ clientId: 'test', bootstrapBrokers: [server.url], idempotent: true });
  });
  afterAll(async () => {
    engine.closeAllConnections();
    engine.close();
    await producer.close();
  });
  beforeEach(() => {
    refuses = () => false;
    taken = [];
  });

  async function send(topic: string, ids: readonly string[]): Promise<void> {
    await producer.send({ messages: ids.map((id) => ({ topic, value: Buffer.from(JSON.stringify({ id })) })) });
  }

  /** Creates a topic with messages. Returns its name, and a config that reads it. */
  async function topicWith(ids: readonly string[], connector = 'continueOnTimeout: false, messageTimeout: 500') {
    const topic = `offsets-${randomUUID()}`;
    const admin = new Admin({ clientId: 'test', bootstrapBrokers: [server.url] });
    await admin.createTopics({ topics: [topic], partitions: 1, replicas: 1 });
    await admin.close();
    await send(topic, ids);
    const config = `
      connectors: [{ class: KafkaConnector, name: c, pipeline: p, ${connector}
        kafka { bootstrapServers: "${server.url}", topic: ${topic}, consumerGroupId: ${topic}, clientId: c, maxPollIntervalSecs: 60 } }]
      pipelines: [{ name: p, stages: [] }]
      indexer { type: OpenSearch, maxRetries: 1, retryWaitDurationMs: 1 }
      opensearch { url: "http://127.0.0.1:${(engine.address() as AddressInfo).port}", index: i }`;
    return { topic, config, cwd: directoryWith({ 'a.conf': config }) };
  }

  it('a run in which everything failed is read again, and says so', async () => {
    const { topic, cwd } = await topicWith(['1', '2', '3']);
    refuses = () => true;
    const first = await headrace(['run', 'a.conf'], { cwd });
    expect(first.code).toBe(1);
    expect(first.stdout).toContain('3 documents failed, and none succeeded');
    expect(first.stdout).toContain(
      `failed documents are not kept where they can be run again, so no further offset is committed. The next run of the group ${topic} reads ${topic} again from offset 0 of partition 0`,
    );
    refuses = () => false;
    expect((await headrace(['run', 'a.conf'], { cwd })).stdout).toContain('3 docs succeeded');
    expect(taken).toEqual(['1', '2', '3']);
    expect((await headrace(['run', 'a.conf'], { cwd })).stdout).toContain('0 docs succeeded');
  });

  it('a run in which a document failed is read again from there, and with --failures it is not', async () => {
    const ids = ['1', 'bad', '3'];
    const without = await topicWith(ids);
    refuses = (id) => id === 'bad';
    expect((await headrace(['run', 'a.conf'], without)).stdout).toContain('2 docs succeeded. 1 docs FAILED.');
    refuses = () => false;
    taken = [];
    await headrace(['run', 'a.conf'], without);
    expect(taken).toContain('bad');

    const kept = await topicWith(ids);
    refuses = (id) => id === 'bad';
    const run = await headrace(['run', 'a.conf', '--failures', 'failed.jsonl'], kept);
    expect(run.stdout).not.toContain('no further offset is committed');
    refuses = () => false;
    taken = [];
    expect((await headrace(['run', 'a.conf'], kept)).stdout).toContain('0 docs succeeded');
    expect(readFileSync(join(kept.cwd, 'failed.jsonl'), 'utf8')).toContain('"id":"bad"');
    await headrace(['run', 'a.conf', '--retry', 'failed.jsonl'], kept);
    expect(taken).toEqual(['bad']);
  });

  it('an endless run commits nothing after a document that failed, and says so at once and at its end', async () => {
    const { topic, cwd } = await topicWith(['1'], 'messageTimeout: 50');
    refuses = (id) => id === 'bad';
    const running = start(['run', 'a.conf'], { cwd });
    await expect.poll(() => taken).toContain('1');
    const admin = new Admin({ clientId: 'test', bootstrapBrokers: [server.url] });
    const committed = async () => {
      const [group] = (await admin.listConsumerGroupOffsets({
        groups: [{ groupId: topic, topics: [{ name: topic, partitionIndexes: [0] }] }],
      })) as unknown as { topics: { partitions: { committedOffset: bigint }[] }[] }[];
      return Number(group?.topics[0]?.partitions[0]?.committedOffset);
    };
    await expect.poll(committed).toBe(1);
    await send(topic, ['bad', '3']);
    const text = `reads ${topic} again from offset 1 of partition 0`;
    await running.said('stderr', text);
    await expect.poll(() => taken).toContain('3');
    running.child.kill('SIGTERM');
    const { stdout } = await running.ended;
    expect(stdout).toContain(text);
    expect(await committed()).toBe(1);
    await admin.close();
  });

  it('the service keeps failed documents, so they count as read and can be retried', async () => {
    const { config } = await topicWith(['1', '2', '3']);
    const served = await serve(serviceDirectory());
    try {
      const { url } = served;
      const configId = await upload(url, config);
      const run = async () => finished(url, (await startRun(url, configId)).runId);
      refuses = () => true;
      const first = await run();
      expect(first).toMatchObject({ status: 'FAILED', progress: { published: 3, failed: 3 } });
      refuses = () => false;
      expect((await run()).progress).toMatchObject({ published: 0 });
      const answer = await fetch(`${url}/v1/run/${first.runId}/retry`, { method: 'POST' });
      const { runId } = (await answer.json()) as RunDetails;
      expect((await finished(url, runId)).progress).toMatchObject({ published: 3, succeeded: 3 });
      expect(taken.sort()).toEqual(['1', '2', '3']);
    } finally {
      await kill(served);
    }
  });
});

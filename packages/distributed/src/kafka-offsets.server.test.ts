import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DistributedSetup, type HeadraceProcess } from './distributed-run.test.lib.ts';
import { KafkaTopics } from './kafka-topics.test.lib.ts';

/** The offsets of a KafkaConnector move past a message only if its document counts as read. */
await describeWithServer('kafka', (server) => {
  let setup: DistributedSetup;
  let topics: KafkaTopics;
  /** Whether the search engine rejects a document. */
  let refuses: (id: string) => boolean;
  /** The ids of the documents that the search engine has accepted. */
  let taken: string[];

  beforeEach(async () => {
    setup = await DistributedSetup.open(server.url);
    topics = await KafkaTopics.open(server.url);
    refuses = () => false;
    taken = [];
    setup.destination.handle(({ path, body }, response) => {
      response.setHeader('content-type', 'application/json');
      if (!path.startsWith('/_bulk')) {
        response.end('{"version":{"number":"2.19.3","distribution":"opensearch"}}');
        return;
      }
      const items = [...body.matchAll(/^\{"index":\{.*?"_id":"([^"]+)"/gm)].map(([, _id = '']) => {
        const error = { type: 'mapper_parsing_exception', reason: 'no' };
        if (refuses(_id)) return { index: { _id, status: 400, error } };
        taken.push(_id);
        return { index: { _id, status: 201 } };
      });
      response.end(JSON.stringify({ errors: true, items }));
    });
  });
  afterEach(async () => {
    await topics.close();
    await setup.close();
  });

  const messages = (ids: readonly string[]) => ids.map((id) => ({ value: JSON.stringify({ id }) }));

  /** Creates a topic with messages, and the config a.conf that reads it. Returns the name of the topic and the group. */
  async function topicWith(ids: readonly string[], connector = 'continueOnTimeout: false, messageTimeout: 500') {
    const topic = `offsets-${crypto.randomUUID()}`;
    await topics.create(topic, 1);
    await topics.write(topic, messages(ids));
    setup.write(
      'a.conf',
      `connectors: [{ class: KafkaConnector, name: c, pipeline: p, ${connector}
         kafka { bootstrapServers: "${server.url}", topic: ${topic}, consumerGroupId: ${topic}, clientId: c, maxPollIntervalSecs: 60 } }]
       pipelines: [{ name: p, stages: [] }]
       indexer { type: OpenSearch, maxRetries: 1, retryWaitDurationMs: 1 }
       opensearch { url: "${setup.destination.url}", index: i }`,
    );
    return topic;
  }

  const run = (...options: readonly string[]): Promise<HeadraceProcess> => setup.run('run', 'a.conf', ...options);

  it('a run in which everything failed is read again, and says so', async () => {
    const topic = await topicWith(['1', '2', '3']);
    refuses = () => true;
    const { stdout } = await run();
    expect(stdout).toContain('3 documents failed, and none succeeded');
    expect(stdout).toContain(
      `failed documents are not kept where they can be run again, so no further offset is committed. The next run of the group ${topic} reads ${topic} again from offset 0 of partition 0`,
    );
    refuses = () => false;
    expect((await run()).stdout).toContain('3 docs succeeded');
    expect(taken).toEqual(['1', '2', '3']);
    expect((await run()).stdout).toContain('0 docs succeeded');
  });

  it('a run in which a document failed is read again from there, and with --failures it is not', async () => {
    await topicWith(['1', 'bad', '3']);
    refuses = (id) => id === 'bad';
    expect((await run()).stdout).toContain('2 docs succeeded. 1 docs FAILED.');
    const kept = await run('--failures', 'failed.jsonl');
    expect(kept.stdout).toContain('2 docs succeeded. 1 docs FAILED.');
    expect(kept.stdout).not.toContain('no further offset is committed');
    refuses = () => false;
    taken = [];
    expect((await run('--failures', 'failed.jsonl')).stdout).toContain('0 docs succeeded');
    expect(readFileSync(join(setup.folder, 'failed.jsonl'), 'utf8')).toContain('"id":"bad"');
    await run('--retry', 'failed.jsonl');
    expect(taken).toEqual(['bad']);
  });

  it('an endless run commits nothing after a document that failed, and says so immediately and at its end', async () => {
    const topic = await topicWith(['1'], 'messageTimeout: 50');
    refuses = (id) => id === 'bad';
    const running = setup.start('run', 'a.conf');
    const unread = async () => Number(await topics.unread(topic, topic));
    await expect.poll(unread).toBe(0);
    await topics.write(topic, messages(['bad', '3']));
    const text = `reads ${topic} again from offset 1 of partition 0`;
    await running.says(text);
    await expect.poll(() => taken).toContain('3');
    await running.signal('SIGTERM');
    expect(running.stdout).toContain(text);
    expect(await unread()).toBe(2);
  });

  it('the service keeps failed documents, so they count as read and can be retried', async () => {
    await topicWith(['1', '2', '3']);
    setup.write('service.yml', 'server: { host: 127.0.0.1, port: 0 }\nstorage: { path: store }\n');
    const service = setup.start('serve', 'service.yml');
    await service.says('Headrace serves http');
    const url = /Headrace serves (http:\/\/[^"\s]+)/.exec(service.output)?.[1] as string;
    const ask = async (path: string, type?: string, body?: string) => {
      const post = { method: 'POST', ...(type === undefined ? {} : { headers: { 'content-type': type }, body }) };
      const answer = await fetch(`${url}/v1/${path}`, post as RequestInit);
      return (await answer.json()) as { configId: string; runId: string };
    };
    interface Details {
      readonly done: boolean;
      readonly status: string;
      readonly progress: object;
    }
    const ended = async ({ runId }: { runId: string }) => {
      const details = async () => (await (await fetch(`${url}/v1/run/${runId}`)).json()) as Details;
      await expect.poll(async () => (await details()).done).toBe(true);
      return { runId, ...(await details()) };
    };
    const { configId } = await ask('config', 'application/hocon', readFileSync(join(setup.folder, 'a.conf'), 'utf8'));
    const runAgain = async () => ended(await ask('run', 'application/json', JSON.stringify({ configId })));
    refuses = () => true;
    const first = await runAgain();
    expect(first).toMatchObject({ status: 'FAILED', progress: { published: 3, failed: 3 } });
    refuses = () => false;
    expect((await runAgain()).progress).toMatchObject({ published: 0 });
    const retried = await ended(await ask(`run/${first.runId}/retry`));
    expect(retried.progress).toMatchObject({ published: 3, succeeded: 3 });
    expect(taken.sort()).toEqual(['1', '2', '3']);
  });
});

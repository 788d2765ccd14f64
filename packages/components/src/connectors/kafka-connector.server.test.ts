import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ConnectorContext, withDefaults } from '@headrace/engine';
import { describeWithOwnServer } from '@headrace/testing/real-server';
import { addressOf, startSaslBroker } from '@headrace/testing/sasl-broker';
import type { MessageToProduce } from '@platformatic/kafka';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CollectingPublisher } from '../file-formats/testing/collecting-publisher.ts';
import { KafkaConnector } from './kafka-connector.ts';

type Params = ConstructorParameters<typeof KafkaConnector>[0];

interface Options {
  readonly publisher?: CollectingPublisher;
  readonly preview?: boolean;
  /** Whether the run succeeds. The connector calls postExecute only then. */
  readonly completes?: boolean;
}

/** Converts parameters to the form that the engine passes. */
function read({ kafka, offsets, ...others }: Record<string, unknown>): Params {
  const { consumer, ...block } = kafka as Record<string, unknown>;
  return withDefaults(KafkaConnector.parameters, {
    ...others,
    kafka: { ...block, ...(consumer === undefined ? {} : { consumer: new Map(Object.entries(consumer as object)) }) },
    ...(offsets === undefined ? {} : { offsets: new Map(Object.entries(offsets as object)) }),
  } as never);
}

function registryMessages() {
  const file = new URL('../kafka/testing/registry-messages.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as {
    readonly messages: Readonly<Record<string, string>>;
    readonly schemas: Readonly<Record<string, object>>;
    readonly subjects: Readonly<Record<string, Readonly<Record<string, object>>>>;
  };
}

const BLOCK = {
  bootstrapServers: 'b:9092',
  topic: 't',
  consumerGroupId: 'g',
  clientId: 'c',
  maxPollIntervalSecs: '60',
};

await describeWithOwnServer('kafka', (server) => {
  let names = 0;
  const newName = (kind: string) => `${kind}-${crypto.randomUUID().slice(0, 8)}-${++names}`;

  async function createTopic(partitions = 1): Promise<string> {
    const { Admin } = await import('@platformatic/kafka');
    const admin = new Admin({ clientId: 'test', bootstrapBrokers: [server.url] });
    const topic = newName('topic');
    await admin.createTopics({ topics: [topic], partitions, replicas: 1 });
    await admin.close();
    return topic;
  }

  async function send(messages: readonly Partial<MessageToProduce>[], topic: string): Promise<void> {
    const { Producer } = await import('@platformatic/kafka');
    // A new topic has no leader yet. Idempotence prevents duplicates if the producer retries.
    const producer = new Producer({ clientId: 'test', bootstrapBrokers: [server.url], idempotent: true });
    await producer.send({ messages: messages.map((message) => ({ ...message, topic }) as MessageToProduce) });
    await producer.close();
  }

  const json = (value: unknown, partition = 0) => ({ value: Buffer.from(JSON.stringify(value)), partition });
  const numbered = (from: number, to: number, partition = 0) =>
    Array.from({ length: to - from }, (_, i) => json({ id: `${partition}-${from + i}` }, partition));

  async function run(params: Record<string, unknown>, options: Options = {}): Promise<CollectingPublisher> {
    const { publisher = new CollectingPublisher(), preview = false, completes = true } = options;
    const { topic, group = newName('group'), kafka = {}, ...others } = params;
    const block = { ...BLOCK, bootstrapServers: server.url, topic, consumerGroupId: group, ...(kafka as object) };
    const context = {
      name: 'c',
      docIdPrefix: 'p-',
      runId: 'r',
      log: publisher.log,
      notices: publisher.notices,
      signal: publisher.signal,
      preview,
    };
    const connector = new KafkaConnector(
      read({ kafka: block, continueOnTimeout: false, ...others }),
      context as ConnectorContext,
    );
    try {
      await connector.execute(publisher);
      if (completes) await connector.markRead();
    } finally {
      await connector.close();
    }
    return publisher;
  }

  /** Joins a group in a separate process, and kills that process. */
  async function joinAndDie(group: string, topic: string): Promise<void> {
    const script = `
      import { Consumer } from '@platformatic/kafka';
      const [server, groupId, topic] = process.argv.slice(1);
      const protocols = [{ name: 'cooperative-sticky', version: 3 }];
      const options = { clientId: 'gone', groupId, bootstrapBrokers: [server], sessionTimeout: 8000, protocols };
      const consumer = new Consumer({ ...options, rebalanceTimeout: 60_000 });
      consumer.topics.trackAll(topic);
      await consumer.joinGroup({});
      process.kill(process.pid, 'SIGKILL');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, server.url, group, topic], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  }

  const ids = ({ documents }: CollectingPublisher) => documents.map(({ id }) => id);

  it('reads keys, tombstones, headers and messages with schemas from real messages', async () => {
    const { messages, schemas, subjects } = registryMessages();
    const bytes = (name: string) => Buffer.from(messages[name] as string, 'base64');
    const registry = createServer((request, response) => {
      const [, kind, name = '', version = ''] =
        /^\/(schemas\/ids|subjects)\/([^/]+)(?:\/versions\/(\d+))?$/.exec(request.url ?? '') ?? [];
      response.end(JSON.stringify(kind === 'subjects' ? subjects[name]?.[version] : schemas[name]));
    });
    registry.listen(0, '127.0.0.1');
    await once(registry, 'listening');
    onTestFinished(() => void registry.close());
    const topic = await createTopic();
    await send(
      [
        {
          key: Buffer.from('k1'),
          value: Buffer.from('{"name":"one"}'),
          headers: new Map([[Buffer.from('trace'), Buffer.from('abc')]]),
        },
        { key: Buffer.from('k1') },
        { key: Buffer.from('a'), value: bytes('avro') },
        { key: Buffer.from('p'), value: bytes('protobuf-first') },
      ],
      topic,
    );
    const { port } = registry.address() as AddressInfo;
    const { json, rejected } = await run({
      topic,
      idFrom: 'key',
      headers: new Map([['trace', 'trace_id']]),
      schemaRegistry: { url: `http://127.0.0.1:${port}` },
    });
    expect(rejected).toEqual([]);
    expect(json).toEqual([
      '{"name":"one","id":"p-k1","trace_id":"abc"}',
      '{"id":"p-k1","kafka_deleted":true,"___skipped":"delete"}',
      expect.stringMatching(/^{"id":"p-a","count":-3,"big":9007199254740993,/),
      '{"id":"p-p"}',
    ]);
  });

  it('reads all messages of each partition in order, and then ends', async () => {
    const topic = await createTopic(3);
    const messages = [...numbered(0, 200, 0), ...numbered(0, 7000, 1)];
    await send(messages, topic);
    const publisher = await run({ topic });
    const of = (partition: number) => ids(publisher).filter((id) => id.startsWith(`p-${partition}-`));
    expect(of(0)).toEqual(numbered(0, 200).map((_, i) => `p-0-${i}`));
    expect(of(1)).toEqual(numbered(0, 7000).map((_, i) => `p-1-${i}`));
    expect(publisher.chunks).toBeLessThan(50);
  });

  it('keeps the values unchanged', async () => {
    const topic = await createTopic();
    await send([{ value: Buffer.from('{"b":1.0,"id":"x","a":[9007199254740993,{"10":"é"}]}'), partition: 0 }], topic);
    expect((await run({ topic })).json).toEqual(['{"b":1.0,"id":"p-x","a":[9007199254740993,{"10":"é"}]}']);
  });

  it('reads the id from another field, also numbers', async () => {
    const topic = await createTopic();
    await send([json({ id: 'x', key: 7 })], topic);
    await send([json({ key: 8, a: 1 }), { value: Buffer.from('\n{"a":1.5,"key":"9"} '), partition: 0 }], topic);
    expect((await run({ topic, idField: 'key' })).json).toEqual([
      '{"id":"p-7","key":7}',
      '{"key":8,"a":1,"id":"p-8"}',
      '{"a":1.5,"key":"9","id":"p-9"}',
    ]);
  });

  it('rejects messages that are no documents, and does not read them again', async () => {
    const topic = await createTopic();
    const group = newName('group');
    const bad = ['{', '[1]', '{"a":1}', '{"id":""}'].map((text) => ({ value: Buffer.from(text), partition: 0 }));
    await send([...bad, { key: Buffer.from('k'), partition: 0 }, json({ id: 'good' })], topic);
    const publisher = await run({ topic, group });
    expect(ids(publisher)).toEqual(['p-good']);
    expect(publisher.rejected.map(({ place, message }) => [place, message])).toEqual([
      [`topic ${topic}, partition 0, offset 0`, expect.stringContaining('Expected')],
      [`topic ${topic}, partition 0, offset 1`, 'its value is not a JSON object'],
      [`topic ${topic}, partition 0, offset 2`, 'it has no value in the field id for the id'],
      [`topic ${topic}, partition 0, offset 3`, 'it has no value in the field id for the id'],
      [`topic ${topic}, partition 0, offset 4`, 'it has no value (set tombstones to delete or ignore)'],
    ]);
    await send([json({ id: 'next' })], topic);
    const next = await run({ topic, group });
    expect([ids(next), next.rejected]).toEqual([['p-next'], []]);
  });

  it('ends after maxMessages, and the next run continues there', async () => {
    const topic = await createTopic();
    const group = newName('group');
    await send(numbered(0, 10), topic);
    expect(ids(await run({ topic, group, maxMessages: 4, continueOnTimeout: true }))).toHaveLength(4);
    expect(ids(await run({ topic, group }))).toEqual(['p-0-4', 'p-0-5', 'p-0-6', 'p-0-7', 'p-0-8', 'p-0-9']);
    expect(ids(await run({ topic, group }))).toEqual([]);
  });

  it('reads unfinished messages again', async () => {
    const topic = await createTopic();
    const group = newName('group');
    await send(numbered(0, 3), topic);
    const publisher = new CollectingPublisher();
    publisher.settled = () => new Promise(() => undefined);
    await run({ topic, group }, { publisher, completes: false });
    expect(ids(await run({ topic, group }))).toHaveLength(3);
  });

  it('commits offsets while it continues to read', async () => {
    const topic = await createTopic();
    const group = newName('group');
    await send(numbered(0, 3), topic);
    const publisher = new CollectingPublisher();
    let settled = 0;
    publisher.settled = async () => void settled++;
    const reading = run({ topic, group, continueOnTimeout: true }, { publisher, completes: false });
    await until(() => settled === 1 && publisher.documents.length === 3);
    await send(numbered(3, 5), topic);
    await until(() => settled === 2 && publisher.documents.length === 5);
    publisher.abort();
    await reading;
    expect(ids(await run({ topic, group }))).toEqual([]);
  });

  it('commits only the finished messages if it is stopped', async () => {
    const topic = await createTopic();
    const group = newName('group');
    await send(numbered(0, 3000), topic);
    const publisher = new CollectingPublisher();
    // A slow destination: only the first chunks finish.
    let questions = 0;
    publisher.settled = () => (questions++ < 2 ? Promise.resolve() : new Promise(() => undefined));
    const reading = run({ topic, group, kafka: { maxPollIntervalSecs: '6' } }, { publisher, completes: false });
    await until(() => questions > 2);
    publisher.abort();
    await reading;
    const again = ids(await run({ topic, group })).length;
    expect(again).toBeGreaterThan(0);
    expect(again).toBeLessThan(3000);
  });

  it('reports that it waits for a killed member, and for how long', async () => {
    const topic = await createTopic();
    const group = newName('group');
    await send(numbered(0, 3), topic);
    await joinAndDie(group, topic);
    const publisher = await run({ topic, group, kafka: { consumer: { 'session.timeout.ms': 8000 } } });
    expect(ids(publisher)).toHaveLength(3);
    expect(publisher.warnings).toEqual([expect.stringContaining(`${group} has not accepted this run yet`)]);
    expect(publisher.warnings[0]).toContain('at most 8 s for a killed run');
  });

  it('starts at the configured offsets, and otherwise at the position of the group', async () => {
    const topic = await createTopic(2);
    const group = newName('group');
    await send([...numbered(0, 5, 0), ...numbered(0, 2, 1)], topic);
    await run({ topic, group });
    await send(numbered(2, 4, 1), topic);
    const again = ids(await run({ topic, group, offsets: { 0: 3 } })).toSorted();
    expect(again).toEqual(['p-0-3', 'p-0-4', 'p-1-2', 'p-1-3']);
    await expect(run({ topic, group, offsets: { 2: 0 } })).rejects.toThrow(`the topic ${topic} has no partition 2`);
  });

  it('does not join the group or commit in a preview', async () => {
    const topic = await createTopic();
    const group = newName('group');
    await send(numbered(0, 3), topic);
    await run({ topic, group, maxMessages: 1 });
    const looking = () => run({ topic, group, continueOnTimeout: true }, { preview: true });
    expect(ids(await looking())).toEqual(['p-0-1', 'p-0-2']);
    expect(ids(await looking())).toEqual(['p-0-1', 'p-0-2']);
    expect(ids(await run({ topic, group }))).toEqual(['p-0-1', 'p-0-2']);
  });

  it('reports a topic that does not exist', async () => {
    await expect(run({ topic: 'nowhere' })).rejects.toThrow(`Kafka at ${server.url}: Unknown topic nowhere`);
  });

  it('continues after the brokers were away, without losing messages', async () => {
    const topic = await createTopic();
    await send(numbered(0, 3), topic);
    const publisher = new CollectingPublisher();
    const reading = run({ topic, continueOnTimeout: true }, { publisher });
    await until(() => publisher.documents.length === 3);
    await server.stop();
    await server.start();
    await send(numbered(3, 5), topic);
    await until(() => ids(publisher).includes('p-0-4'));
    publisher.abort();
    await reading;
    expect([...new Set(ids(publisher))]).toEqual(['p-0-0', 'p-0-1', 'p-0-2', 'p-0-3', 'p-0-4']);
  }, 300_000);

  it('starts at the configured offsets again if the brokers vanish before the first commit', async () => {
    const topic = await createTopic();
    const group = newName('group');
    await send(numbered(0, 5), topic);
    // This moves the group beyond the offsets of the next run.
    await run({ topic, group });
    const publisher = new CollectingPublisher();
    // No offsets can be committed until the brokers are back.
    const { promise: isBack, resolve: comeBack } = Promise.withResolvers<void>();
    publisher.settled = () => isBack;
    const reading = run({ topic, group, offsets: { 0: 1 }, maxMessages: 5, continueOnTimeout: true }, { publisher });
    await until(() => publisher.documents.length === 4);
    await server.stop();
    await server.start();
    comeBack();
    await send(numbered(5, 7), topic);
    await reading;
    // After the connection is lost, messages may be read twice, but none is skipped.
    expect([...new Set(ids(publisher))]).toEqual(['p-0-1', 'p-0-2', 'p-0-3', 'p-0-4', 'p-0-5']);
  });
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('KafkaConnector', () => {
  it('reports that no broker is reachable', async () => {
    const publisher = new CollectingPublisher();
    const context = {
      name: 'c',
      docIdPrefix: '',
      runId: 'r',
      log: publisher.log,
      notices: publisher.notices,
      signal: publisher.signal,
    };
    const kafka = { ...BLOCK, bootstrapServers: '127.0.0.1:1' };
    const connector = new KafkaConnector(read({ kafka }), context as ConnectorContext);
    await expect(connector.execute(publisher)).rejects.toThrow(/^Kafka at 127\.0\.0\.1:1: .*ECONNREFUSED/);
    await connector.close();
  });
});

describe('a broker without the configured SASL mechanism', () => {
  it('fails the connector immediately with a hint', async () => {
    const broker = await startSaslBroker('PLAIN');
    const publisher = new CollectingPublisher();
    const context = {
      name: 'c',
      docIdPrefix: '',
      runId: 'r',
      log: publisher.log,
      notices: publisher.notices,
      signal: publisher.signal,
    };
    const consumer = {
      'sasl.mechanism': 'SCRAM-SHA-256',
      'sasl.jaas.config': 'X required username="u" password="secret";',
    };
    const kafka = { ...BLOCK, bootstrapServers: addressOf(broker), securityProtocol: 'SASL_PLAINTEXT', consumer };
    const connector = new KafkaConnector(read({ kafka }), context as ConnectorContext);
    const refused = { message: expect.stringMatching(/mechanism/), hint: expect.stringMatching(/sasl\.mechanism/) };
    await expect(connector.execute(publisher)).rejects.toMatchObject(refused);
    await expect(connector.checkAccess(() => undefined, publisher.signal)).rejects.toMatchObject(refused);
    await connector.close();
    broker.close();
  });
});

describe('the check of KafkaConnector', () => {
  const problems = (block: object, more: object = {}) =>
    [...KafkaConnector.check(read({ kafka: { ...BLOCK, ...block }, ...more }))].map(
      ({ message, severity = 'error' }) => `${severity}: ${message}`,
    );

  it('reports invalid parameters', () => {
    expect(problems({})).toEqual([]);
    expect(
      problems({ documentDeserializer: 'com.kmwllc.lucille.connector.KafkaConnectorDefaultDeserializer' }),
    ).toEqual([]);
    expect(problems({ bootstrapServers: 'a:9092, [::1]:9093' })).toEqual([]);
    expect(
      problems(
        { bootstrapServers: 'broker', topic: '', maxPollIntervalSecs: 'x', documentDeserializer: 'a.B' },
        { offsets: { x: 1 } },
      ),
    ).toEqual([
      'error: kafka.topic must not be empty',
      'error: kafka.bootstrapServers must name hosts and ports, was "broker"',
      'error: kafka.maxPollIntervalSecs must be a positive number, was "x"',
      'error: The deserializer a.B is a Java class, which cannot run here',
      'error: offsets: "x" is not the number of a partition',
    ]);
  });

  it('checks the properties of the consumer', () => {
    const secure = {
      securityProtocol: 'SASL_SSL',
      consumer: {
        sasl: new Map([['mechanism', 'PLAIN']]),
        'sasl.jaas.config': 'X required username="u" password="a\\"b";',
      },
    };
    expect(problems(secure)).toEqual([]);
    expect(problems({ securityProtocol: 'SASL_SSL' })).toEqual([
      'error: sasl.mechanism must be one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512',
      'error: sasl.jaas.config must hold a username and a password',
    ]);
    expect(
      problems({
        consumer: {
          'ssl.truststore.location': '/x.jks',
          'fetch.min.bytes': 'x',
          'auto.offset.reset': 'none',
          'a.b': 1,
        },
      }),
    ).toEqual([
      'error: fetch.min.bytes must be a whole number, was "x"',
      'warning: The property a.b has no effect',
      'error: A store of Java cannot be read',
      'error: auto.offset.reset must be one of earliest, latest, was "none"',
    ]);
  });
});

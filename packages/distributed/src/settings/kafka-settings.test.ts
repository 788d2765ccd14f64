import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { rootOf } from './config-root.test.lib.ts';
import { type KafkaSettings, readKafkaSettings } from './kafka-settings.ts';
import { destTopic, eventTopic, failTopic, sourceTopic } from './topics.ts';

const REQUIRED = {
  bootstrapServers: 'b1:9092,b2:9092',
  consumerGroupId: 'films',
  maxPollIntervalSecs: 60,
  maxRequestSize: 500_000,
};

const folder = mkdtempSync(join(tmpdir(), 'headrace-kafka-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The settings of a block without mistakes. */
function settingsOf(kafka: object, more: object = {}) {
  const { settings, problems } = readKafkaSettings(rootOf({ kafka: { ...REQUIRED, ...kafka }, ...more }));
  expect(problems).toEqual([]);
  if (settings === undefined) throw new Error('There are no settings, and no problems either');
  return settings;
}

function propertiesOf(settings: KafkaSettings, client: 'consumer' | 'producer' | 'admin' = 'consumer') {
  return Object.fromEntries(settings[client]);
}

describe('the kafka block', () => {
  it('has the documented defaults', () => {
    expect(settingsOf({})).toEqual({
      bootstrapServers: 'b1:9092,b2:9092',
      groupId: 'films',
      identity: { id: 'films', group: 'films', destination: 'no indexer' },
      rebalanceTimeout: 60_000,
      maxRequestSize: 500_000,
      consumer: new Map([['metadata.max.age.ms', '30000']]),
      producer: new Map(),
      admin: new Map(),
      events: true,
      format: 'headrace',
      partitions: 4,
      stallTimeoutSecs: 0,
      maxRetries: 3,
    });
  });

  it('accepts numbers and booleans as texts, as HOCON and property files contain them', () => {
    const settings = settingsOf({ maxPollIntervalSecs: '30', partitions: '6', events: 'false', stallTimeoutSecs: '9' });
    expect(settings).toMatchObject({ rebalanceTimeout: 30_000, partitions: 6, events: false, stallTimeoutSecs: 9 });
    expect(settingsOf({}, { worker: { maxRetries: '5' } }).maxRetries).toBe(5);
  });

  it('flattens the properties of the clients, whether their names are nested or quoted', () => {
    const consumer = { session: { timeout: { ms: 6000 } }, 'fetch.min.bytes': 1 };
    expect(propertiesOf(settingsOf({ consumer }))).toMatchObject({
      'session.timeout.ms': '6000',
      'fetch.min.bytes': '1',
    });
  });

  it('passes metadataMaxAgeMs to the consumer, unless its properties have another value', () => {
    const settings = settingsOf({ metadataMaxAgeMs: 5000 });
    expect(propertiesOf(settings)).toEqual({ 'metadata.max.age.ms': '5000' });
    expect([settings.producer, settings.admin]).toEqual([new Map(), new Map()]);
    const consumer = { 'metadata.max.age.ms': 7000 };
    expect(propertiesOf(settingsOf({ metadataMaxAgeMs: 5000, consumer }))).toEqual({ 'metadata.max.age.ms': '7000' });
  });

  it('prefers a property file to securityProtocol, and the block of the client to both', () => {
    const file = join(folder, 'producer.properties');
    writeFileSync(file, 'security.protocol=SASL_SSL\nlinger.ms=5\nacks=1\n');
    const settings = settingsOf({ securityProtocol: 'SSL', producerPropertyFile: file, producer: { acks: 'all' } });
    expect(propertiesOf(settings, 'producer')).toEqual({
      'security.protocol': 'SASL_SSL',
      'linger.ms': '5',
      acks: 'all',
    });
    expect(propertiesOf(settings)).toMatchObject({ 'security.protocol': 'SSL' });
    expect(propertiesOf(settings, 'admin')).toEqual({ 'security.protocol': 'SSL' });
  });

  it("accepts Lucille's own serializers, by their full and their simple names", () => {
    settingsOf({
      documentSerializer: 'com.kmwllc.lucille.message.KafkaDocumentSerializer',
      documentDeserializer: 'KafkaDocumentDeserializer',
    });
  });

  it('reports all mistakes together, each with its path and what to do', () => {
    const { settings, problems } = readKafkaSettings(
      rootOf({
        kafka: {
          bootstrapServers: 'b1',
          consumerGroupId: ' ',
          maxPollIntervalSecs: 'often',
          maxRequestSize: 10,
          partitions: 0,
          stallTimeoutSecs: -1,
          documentFormat: 'xml',
          documentSerializer: 'org.example.Mine',
          documentDeserializer: 'org.example.Mine',
          consumerPropertyFile: join(folder, 'missing-1'),
          producerPropertyFile: join(folder, 'missing-2'),
          adminPropertyFile: join(folder, 'missing-3'),
        },
      }),
    );
    expect(settings).toBeUndefined();
    const paths = [
      'adminPropertyFile',
      'bootstrapServers',
      'consumerGroupId',
      'consumerPropertyFile',
      'documentDeserializer',
      'documentFormat',
      'documentSerializer',
      'maxPollIntervalSecs',
      'maxRequestSize',
      'partitions',
      'producerPropertyFile',
      'stallTimeoutSecs',
    ];
    expect(problems.map(({ path }) => path).sort()).toEqual(paths.map((name) => `kafka.${name}`));
    expect(problems.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^maxPollIntervalSecs must be a number, was /),
        'maxRequestSize must be at least 1000, was 10',
        'documentFormat must be one of "headrace", "lucille", was "xml"',
      ]),
    );
  });

  it.each([
    ['missing', {}],
    ['null', { kafka: null }],
    ['a text', { kafka: 'localhost:9092' }],
  ])('is requested, with an example, if it is %s', (_, config) => {
    const { problems } = readKafkaSettings(rootOf(config));
    expect(problems).toHaveLength(1);
    expect(problems[0]?.hint).toContain('bootstrapServers');
  });

  it('names a missing setting that has no default', () => {
    const { problems } = readKafkaSettings(rootOf({ kafka: {} }));
    expect(problems.map(({ message }) => message)).toEqual(
      ['bootstrapServers', 'consumerGroupId', 'maxPollIntervalSecs', 'maxRequestSize'].map(
        (name) => `Config is missing required property ${name}`,
      ),
    );
  });
});

describe('the topics of a pipeline', () => {
  const topicsOf = (settings: KafkaSettings) => [
    sourceTopic(settings, 'p'),
    destTopic(settings, 'p'),
    failTopic(settings, 'p'),
    eventTopic(settings, 'p', 'run-1'),
  ];

  it('have the name of the config: kafka.configId, or else the consumer group', () => {
    expect(topicsOf(settingsOf({}))).toEqual(['films_p_source', 'films_p_dest', 'films_p_fail', 'films_p_event_run-1']);
    expect(topicsOf(settingsOf({ configId: 'shop' }))[0]).toBe('shop_p_source');
    expect(readKafkaSettings(rootOf({ kafka: { ...REQUIRED, configId: ' ' } })).problems).toMatchObject([
      { path: 'kafka.configId', message: 'kafka.configId is empty' },
    ]);
  });

  it("have the names of Lucille in Lucille's format, with a warning that two configs may mix their documents", () => {
    const { settings, problems } = readKafkaSettings(rootOf({ kafka: { ...REQUIRED, documentFormat: 'lucille' } }));
    expect(topicsOf(settings as KafkaSettings)).toEqual(['p_source', 'p_dest', 'p_fail', 'p_event_run-1']);
    expect(problems).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('two configs with the same pipeline name') },
    ]);
    expect(settingsOf({ documentFormat: 'lucille', sourceTopic: 'in' }).format).toBe('lucille');
  });

  it('have the names in the config', () => {
    const settings = settingsOf({ sourceTopic: 'in', eventTopic: 'events' });
    expect([sourceTopic(settings, 'films'), eventTopic(settings, 'films', 'run-1')]).toEqual(['in', 'events']);
  });

  it.each(['a b', 'ü', 'a/b', 'x'.repeat(249)])('must be valid for brokers, unlike those of %j', (pipeline) => {
    expect(() => sourceTopic(settingsOf({}), pipeline)).toThrow(`Invalid characters in pipelineName: ${pipeline}`);
  });
});

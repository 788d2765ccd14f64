import { type IndexerSettings, indexerSettings, silentNotices, withDefaults } from '@headrace/engine';
import { describeWithOwnServer } from '@headrace/testing/real-server';
import { afterAll, describe, expect, it } from 'vitest';
import { byId, EngineRuns, type Fields, numbered, outcome, QUICK } from '../testing/indexers/engine-runs.ts';
import { describeLostConnections } from '../testing/indexers/tcp-conformance.ts';
import { TopicEngine } from '../testing/indexers/topic-engine.ts';
import { describeWriting } from '../testing/indexers/writing-conformance.ts';
import { KafkaIndexer } from './kafka-indexer.ts';

// Parts of the conformance suite do not apply: Kafka has no HTTP proxy, and a topic has no fields with types.
await describeWithOwnServer('kafka', (server) => {
  const url = () => server.url;
  const engine = new TopicEngine(server);
  const runs = new EngineRuns(engine);
  afterAll(() => runs.close());
  describeWriting(engine, runs, url);
  describeLostConnections(engine, runs, server);

  it('writes each version in order to the partition that Kafka clients choose', async () => {
    const target = await engine.create(5);
    const documents = Array.from({ length: 400 }, (_, i) => ({ id: `d${i % 23}`, n_i: i }));
    expect(outcome(await runs.send(url(), target, documents, 'batchSize: 7')).succeeded).toBe(400);
    const found = await engine.messages(target);
    for (const id of new Set(documents.map((document) => document.id))) {
      const ours = found.filter(({ key }) => key === id);
      const sent = documents.filter((document) => document.id === id).map(({ n_i }) => n_i);
      expect(ours.map(({ value }) => (JSON.parse(value as string) as Fields).n_i)).toEqual(sent);
      expect(new Set(ours.map(({ partition }) => partition)).size).toBe(1);
    }
    // The Java client uses murmur2 of the key, made positive, modulo the number of partitions.
    const partitions = Object.fromEntries(found.map(({ key, partition }) => [key, partition]));
    expect(partitions).toMatchObject({ d0: 3, d1: 0, d2: 1, d3: 1, d4: 1, d5: 0 });
  });

  it('stores values unchanged, without a line end', async () => {
    const target = await engine.create(1);
    const ___children = [{ id: 'c', n: 1 }];
    const document = { id: 'ü "1"', n: 1.5, none: null, list: [1, 'x', { y: null }], text: 'a\nb', ___children };
    await runs.send(url(), target, [document], 'blacklist: [run_id]');
    expect(await engine.messages(target)).toEqual([{ key: 'ü "1"', value: JSON.stringify(document), partition: 0 }]);
  });

  it('deletes with a key without a value', async () => {
    const target = await engine.create(1);
    const settings = 'deletionMarkerField: del, deletionMarkerFieldValue: "true"';
    await runs.send(url(), target, [{ id: '1', del: true }], settings);
    expect(await engine.messages(target)).toEqual([{ key: '1', value: undefined, partition: 0 }]);
  });

  it('splits requests that are too large for the topic, and reports documents that are too large', async () => {
    const target = await engine.create(2, { 'max.message.bytes': '3000' });
    const documents = numbered(60).map((document) => ({ ...document, t_s: 'x'.repeat(100) }));
    const large = { id: 'large', t_s: 'x'.repeat(5000) };
    const result = await runs.send(url(), target, [large, ...documents], `batchSize: 61, ${QUICK}`);
    expect(outcome(result)).toEqual({
      status: 'SUCCEEDED',
      succeeded: 60,
      failed: { large: expect.stringContaining('larger than the max message size') },
    });
    expect(await engine.contents(target)).toEqual(byId(documents));
  });

  it('writes to the topic that a document names, and reports a missing topic', async () => {
    const [one, two] = [await engine.create(), await engine.create()];
    const documents = [
      { id: '1', topic: two },
      { id: '1', n_i: 1 },
      { id: '2', topic: 'hr-nowhere' },
    ];
    const result = await runs.send(url(), one, documents, `indexOverrideField: topic, ${QUICK}`);
    expect(outcome(result)).toMatchObject({
      succeeded: 2,
      failed: { 2: expect.stringMatching(/Unknown topic|topic/) },
    });
    expect(await engine.contents(one)).toEqual({ 1: { id: '1', n_i: 1 } });
    expect(await engine.contents(two)).toEqual({ 1: { id: '1', topic: two } });
  });

  it('KafkaIndexer sends every document once and in order if the broker throttles requests', async () => {
    const target = await engine.create(1);
    const entities = [{ entityType: 'client-id', entityName: 'slow' } as const];
    const ops = [{ key: 'producer_byte_rate', value: 1000, remove: false } as const];
    await engine.administer((admin) => admin.alterClientQuotas({ entries: [{ entities, ops }] }));
    const result = await runs.send(url(), target, numbered(150), `batchSize: 20, ${QUICK}`, 'clientId: slow');
    expect(outcome(result)).toEqual({ status: 'SUCCEEDED', succeeded: 150, failed: {} });
    // Each document arrives once and in order.
    expect((await engine.messages(target)).map(({ key }) => key)).toEqual(numbered(150).map(({ id }) => id));
  });

  it.each(['gzip', 'snappy', 'lz4', 'zstd'])('compresses with %s', async (type) => {
    const target = await engine.create();
    const more = `producer { compression.type: ${type} }`;
    expect(outcome(await runs.send(url(), target, numbered(50), '', more)).succeeded).toBe(50);
    expect(await engine.contents(target)).toEqual(byId(numbered(50)));
  });

  it('fails at the start without the topic or a broker', async () => {
    const begun = await runs.send(url(), 'hr-nowhere', numbered(1));
    expect(begun.status).toBe('FAILED');
    expect(begun.message).toMatch(/Indexer could not connect[\s\S]*topic/);
    const params = { bootstrapServers: url(), topic: 'hr-nowhere' };
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const indexer = new KafkaIndexer(withDefaults(KafkaIndexer.parameters, params), {
      runId: 'r',
      settings: withDefaults(indexerSettings),
      log,
      notices: silentNotices,
    });
    const hint = 'Check kafkaTopic.topic: it must exist.';
    await expect(indexer.connect()).rejects.toMatchObject({ hint });
    await expect(indexer.reach(() => undefined)).rejects.toMatchObject({ hint });
    const lost = await runs.send('127.0.0.1:1', 'any', numbered(1), 'connectTimeout: 0');
    expect(lost.message).toMatch(/Indexer could not connect[\s\S]*Kafka at 127\.0\.0\.1:1: .*ECONNREFUSED/);
  });
});

describe('the check of KafkaIndexer', () => {
  const problems = (params: object, settings: object = {}) =>
    [
      ...KafkaIndexer.check(
        withDefaults(KafkaIndexer.parameters, { bootstrapServers: 'b:9092', topic: 't', ...params }),
        settings as IndexerSettings,
      ),
    ].map(({ message, severity = 'error' }) => `${severity}: ${message}`);

  it('reports invalid parameters', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ bootstrapServers: 'b', topic: ' ', clientId: '' })).toEqual([
      'error: bootstrapServers must name hosts and ports, was "b"',
      'error: topic must not be empty',
      'error: clientId must not be empty',
    ]);
    expect(problems({ producer: new Map([['acks', 1]]) })).toEqual(['warning: The property acks has no effect']);
    expect(problems({ producer: new Map([['compression.type', 'brotli']]), securityProtocol: 'TLS' })).toEqual([
      'error: security.protocol must be one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL, was "TLS"',
      'error: compression.type must be one of none, gzip, snappy, lz4, zstd, was "brotli"',
    ]);
    expect(problems({}, { deleteByFieldField: 'f', routingField: 'r' })).toEqual([
      "error: Config setting 'indexer.deleteByFieldField' is not supported by KafkaIndexer",
      expect.stringContaining("warning: Config setting 'indexer.routingField' has no effect with KafkaIndexer"),
    ]);
  });
});

import { readFileSync } from 'node:fs';
import { readJson, writeValue } from '@headrace/engine';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DistributedSetup } from './distributed-run.test.lib.ts';
import { KafkaTopics, type ReadMessage } from './kafka-topics.test.lib.ts';

/** A case that was recorded from Lucille: a config, its input, and what the run did. */
interface GoldenCase {
  readonly name: string;
  readonly config: string;
  readonly files: Readonly<Record<string, string>>;
  readonly expect: {
    readonly events: { readonly c: readonly string[] };
    readonly summary: string;
  };
}

const GOLDEN = readFileSync(new URL('../../../tests/golden/cases/engine.jsonl', import.meta.url), 'utf8').split('\n');
const CASES = ['run-skip-some', 'run-children-emit-drop-parent', 'run-chunks-emitted'];

/** The name of the case in the recorded file. */
function lineOf(name: string): string {
  return GOLDEN.find((line) => line.includes(`"name":"${name}"`) || line.includes(`"name": "${name}"`)) ?? '';
}

/** The JSON of the documents that Lucille passed to its indexer. Numbers are as they were recorded: `1.0` is not `1`. */
function documentsOf(name: string, runId: string): string[] {
  const golden = readJson(lineOf(name)) as Map<string, Map<string, Map<string, []>>>;
  const documents = golden.get('expect')?.get('docs')?.get('c') ?? [];
  return documents.map((document) => writeValue(document).replaceAll('@RUN@', runId));
}

/** The input documents, as Lucille's publisher sends them: it adds the run at the end. */
function publishedOf(files: GoldenCase['files'], runId: string): string[] {
  const lines = (files['in.jsonl'] ?? '').split('\n').filter((line) => line !== '');
  return lines.map((line) => `${writeValue(readJson(line)).slice(0, -1)},"run_id":"${runId}"}`);
}

const idOf = (json: string) => (JSON.parse(json) as { id: string }).id;

/** An event as Lucille writes it. `from` is the message of the document, if it came in one. */
function lucilleEvent(
  type: string,
  documentId: string,
  runId: string,
  text?: string,
  from?: ReadMessage & { topic: string },
) {
  const quoted = JSON.stringify(documentId);
  const message = text === undefined ? '' : `"message":${JSON.stringify(text)},`;
  const place =
    from === undefined
      ? ''
      : `,"topic":"${from.topic}","partition":${from.partition},"offset":${from.offset},"key":${JSON.stringify(from.key)}`;
  const value = `{"type":"${type}","documentId":${quoted},${message}"runId":"${runId}","instant":1795267878.333394861${place}}`;
  return { key: documentId, value };
}

/** The members that every event of Lucille has, and those of documents that came in a message. */
const EVENT =
  /^\{"type":"(CREATE|FINISH|FAIL|DROP)","documentId":"[^"]+",("message":"(?:[^"\\]|\\.)*",)?"runId":"[^"]+","instant":\d{10}\.\d{9}(,"topic":"[^"]+","partition":\d+,"offset":\d+,"key":"[^"]*")?\}$/;

await describeWithServer('kafka', (server) => {
  let setup: DistributedSetup;
  let topics: KafkaTopics;
  let pipeline: string;

  beforeEach(async () => {
    setup = await DistributedSetup.open(server.url);
    topics = await KafkaTopics.open(server.url);
    pipeline = setup.name('lucille');
  });
  afterEach(async () => {
    await topics.close();
    await setup.close();
  });

  /** Writes the config and the input of a recorded case, with the destination of the test. */
  function writeCase(name: string): GoldenCase {
    const golden = JSON.parse(lineOf(name)) as GoldenCase;
    setup.write('in.jsonl', golden.files['in.jsonl'] ?? '');
    const config = golden.config
      .replace(/^indexer.*$/m, '')
      .replaceAll('@DIR@', setup.folder)
      .replaceAll('"p"', `"${pipeline}"`);
    setup.writeConfig(config, 'documentFormat: lucille');
    return golden;
  }

  describe('workers and indexers of Headrace, with a publisher of Lucille', () => {
    it.each(CASES)('send the documents and events that Lucille sends (%s)', async (name) => {
      const golden = writeCase(name);
      const runId = 'run-of-lucille';
      const events = `${pipeline}_event_${runId}`;
      await topics.create(events, 1);
      await topics.create(`${pipeline}_source`);
      const published = publishedOf(golden.files, runId);
      await topics.write(
        `${pipeline}_source`,
        published.map((value) => ({ key: idOf(value), value })),
      );
      const worker = setup.start('worker', 'run.conf');
      const indexer = setup.start('indexer', 'run.conf');
      const expected = documentsOf(name, runId);
      expect(expected).not.toEqual([]);

      const eventTap = await topics.tap(events);
      const reported = await eventTap.first(golden.expect.events.c.length);
      const sent = await (await topics.tap(`${pipeline}_dest`)).first(expected.length);
      expect(sent.map(({ value }) => value).sort()).toEqual(expected.toSorted());
      for (const { key, value, headers } of sent) {
        expect(key).toBe(idOf(value));
        expect(headers).toEqual({});
      }
      const source = await (await topics.tap(`${pipeline}_source`)).first(published.length);
      const messages = new Map<string, ReadMessage>([
        ...source.map((one) => [`${pipeline}_source/${one.partition}/${one.offset}`, one] as const),
        ...sent.map((one) => [`${pipeline}_dest/${one.partition}/${one.offset}`, one] as const),
      ]);
      for (const { key, value, headers } of reported) {
        expect(value).toMatch(EVENT);
        const event = JSON.parse(value) as Record<string, string | undefined>;
        expect([key, event['runId'], headers]).toEqual([event['documentId'], runId, {}]);
        // A child has no message until it is in the dest topic.
        if (event['type'] === 'CREATE') expect(event['topic']).toBeUndefined();
        else {
          const place = `${event['topic']}/${event['partition']}/${event['offset']}`;
          expect(event['topic']).toBe(`${pipeline}_${event['type'] === 'FINISH' ? 'dest' : 'source'}`);
          expect(messages.get(place)?.key).toBe(event['documentId']);
          expect(event['key']).toBe(event['documentId']);
        }
        expect(event['message']).toBe(event['type'] === 'FINISH' ? 'SUCCEEDED' : undefined);
      }
      const listed = reported.map(({ value }) => {
        const { type, documentId } = JSON.parse(value) as { type: string; documentId: string };
        return `${type} ${documentId}`;
      });
      expect(listed.sort()).toEqual(golden.expect.events.c.toSorted());
      expect(setup.indexed.map(({ id }) => id).sort()).toEqual(expected.map(idOf).sort());
      expect(await Promise.all([worker.signal('SIGTERM'), indexer.signal('SIGTERM')])).toEqual([0, 0]);
      // Nothing was reported twice.
      expect(eventTap.messages).toHaveLength(golden.expect.events.c.length);
    });

    it('report a document that fails in a stage, with its reason, which Lucille omits', async () => {
      const golden = writeCase('run-fail-all');
      const events = `${pipeline}_event_r`;
      await topics.create(events, 1);
      await topics.create(`${pipeline}_source`);
      const published = publishedOf(golden.files, 'r').map((value) => ({ key: idOf(value), value }));
      await topics.write(`${pipeline}_source`, published);
      setup.start('worker', 'run.conf');
      const reported = await (await topics.tap(events)).first(2);
      expect(reported.map(({ key }) => key).sort()).toEqual(['1', '2']);
      for (const { key, value } of reported) {
        expect(value).toMatch(EVENT);
        expect(JSON.parse(value)).toMatchObject({ type: 'FAIL', documentId: key, runId: 'r', key });
        expect(JSON.parse(value)).toHaveProperty('message');
      }
    });
  });

  describe('a publisher of Headrace, with workers and indexers of Lucille', () => {
    /** The name of the event topic contains the id of the run. */
    async function eventsOfRun(): Promise<{ topic: string; runId: string }> {
      const prefix = `${pipeline}_event_`;
      await expect.poll(() => topics.list(prefix)).toHaveLength(1);
      const [topic = ''] = await topics.list(prefix);
      return { topic, runId: topic.slice(prefix.length) };
    }

    it.each(CASES)('sends the documents that Lucille sends, and has its accounts (%s)', async (name) => {
      const golden = writeCase(name);
      const run = setup.start('run', 'run.conf', '--distributed');
      const { topic, runId } = await eventsOfRun();
      const expected = publishedOf(golden.files, runId);
      const source = await (await topics.tap(`${pipeline}_source`)).first(expected.length);
      expect(source.map(({ value }) => value).sort()).toEqual(expected.toSorted());
      for (const { key, value, headers } of source) {
        expect(key).toBe(idOf(value));
        expect(headers).toEqual({});
      }
      expect(run.isRunning).toBe(true);
      const byId = new Map(source.map((one) => [one.key, { ...one, topic: `${pipeline}_source` }]));
      await topics.write(
        topic,
        golden.expect.events.c.map((line) => {
          const [type = '', id = ''] = line.split(' ');
          return lucilleEvent(type, id, runId, type === 'FINISH' ? 'SUCCEEDED' : undefined, byId.get(id));
        }),
      );
      expect(await run.ended).toBe(0);
      const lines = golden.expect.summary.replaceAll(/ Time: @T@ secs\./g, '').trim();
      for (const line of lines.split('\n')) expect(run.summary).toContain(line);
      // The publisher has deleted its event topic.
      await expect.poll(() => topics.list(`${pipeline}_event_`)).toEqual([]);
    });

    it('counts each kind of event, in any order, and lists the reasons of Lucille', async () => {
      setup.writeLines(
        'documents.jsonl',
        ['done', 'dropped', 'refused', 'bad', 'poison'].map((id) => ({ id })),
      );
      setup.writeConfig(
        `connectors: [{ class: JSONConnector, name: c, pipeline: "${pipeline}", jsonPath: documents.jsonl }]
         pipelines: [{ name: "${pipeline}", stages: [] }]`,
        'documentFormat: lucille',
      );
      const run = setup.start('run', 'run.conf', '--distributed');
      const { topic, runId } = await eventsOfRun();
      await (await topics.tap(`${pipeline}_source`)).first(5);
      const iso = lucilleEvent('DROP', 'dropped', runId).value.replace(
        /"instant":[\d.]+/,
        '"instant":"2026-11-24T00:00:00Z"',
      );
      await topics.write(topic, [
        // The child was indexed before its worker reported it.
        lucilleEvent('FINISH', 'child', runId, 'SUCCEEDED'),
        lucilleEvent('FINISH', 'done', 'another-run', 'SUCCEEDED'),
        { key: 'x', value: 'no event' },
        { key: 'dropped', value: iso },
        lucilleEvent('FAIL', 'refused', runId, 'FAILED: mapper_parsing_exception'),
        lucilleEvent('FAIL', 'bad', runId),
        lucilleEvent('FAIL', 'poison', runId, 'SENT_TO_DLQ'),
        lucilleEvent('CREATE', 'child', runId),
      ]);
      expect(run.isRunning).toBe(true);
      await topics.write(topic, [lucilleEvent('FINISH', 'done', runId, 'SUCCEEDED')]);
      expect(await run.ended).toBe(0);
      expect(run.summary).toContain('c: complete. 2 docs succeeded. 3 docs FAILED.');
      expect(run.output).toContain(
        '5 docs published. 1 children created. 2 success events. 3 failure events. 1 drop events.',
      );
      for (const reason of ['mapper_parsing_exception', 'SENT_TO_DLQ']) expect(run.output).toContain(reason);
    });
  });
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Connector,
  type ConnectorContext,
  type IndexerContext,
  indexerSettings,
  type JsonObject,
  readJson,
  silentNotices,
  type TObject,
  withDefaults,
  writeValue,
} from '@headrace/engine';
import { StubServer } from '@headrace/testing/stub-server';
import { afterAll, describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../formats/testing/collecting-publisher.ts';
import { CSVIndexer } from '../indexers/csv-indexer.ts';
import { CSVConnector } from './csv-connector.ts';
import { JSONConnector } from './json-connector.ts';
import { RSSConnector } from './rss-connector.ts';
import { SequenceConnector } from './sequence-connector.ts';
import { SleepConnector } from './sleep-connector.ts';
import { XMLConnector } from './xml-connector.ts';

const NEVER = new AbortController().signal;

const golden =
  process.env.HEADRACE_GOLDEN_CASES ?? fileURLToPath(new URL('../../../../tests/golden/cases/', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'headrace-golden-'));
afterAll(() => rmSync(root, { recursive: true }));

const CONNECTORS = { CSVConnector, JSONConnector, RSSConnector, SequenceConnector, SleepConnector, XMLConnector };

/** Cases in which we differ on purpose, and the reasons. */
const DIFFERENT: Record<string, string> = {
  'csv-header-empty-name': 'a header with which every row fails, fails the file',
  'csv-leading-blank-line-single': 'a header with which every row fails, fails the file',
  'csv-id-blank': 'a row without any id fails',
  'json-array': 'arrays are read',
  'json-bad-last': 'the bad line fails',
  'json-trailing-garbage': 'all objects of a line are read',
  'json-bom': 'a byte-order mark is never data',
  'json-id-empty': 'the bad line fails, the others do not',
  'json-id-number': 'numbers are ids',
  'sleep-negative': 'found by the schema',
  'xml-bom': 'a byte-order mark is never data',
  'xml-id-missing': 'the id is random',
  'xml-no-files': 'found by the check of the parameters',
  'xml-self-closing': 'exactly the element is cut out',
  'rss-atom': 'an enclosure is no link of an entry',
  'rss-bad-date': 'a date that cannot be read is omitted',
  'json-run-id-inside': "a document that arrives with run_id gets the new run's",
};
/** Cases for other parts of the engine, such as merging documents and stages. */
const ELSEWHERE = /-collapse|csv-drop-by-condition|json-skipped-inside|text-number/;

interface Case {
  name: string;
  files: Record<string, string | { base64: string }>;
  params: Record<string, unknown>;
  connector: keyof typeof CONNECTORS;
  csv: Record<string, unknown> | undefined;
  http: { replies: [{ status: number; contentType?: string; body: string }] } | undefined;
  line: string;
  expect: { exitCode: number; filesAfter?: string[]; output?: Record<string, string>; configErrors?: unknown };
}

/**
 * Returns the cases of a suite that run one connector without stages. The configs are JSON except for their outermost
 * keys.
 */
function casesOf(suite: string): Case[] {
  return readFileSync(join(golden, suite), 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => {
      const { name, config = '', files = {}, http, expect } = JSON.parse(line);
      const connectors = /^connectors: \[\s*(\{.*\})\s*\]$/ms.exec(config.split(/^pipelines/m)[0].trim())?.[1];
      if (connectors === undefined || connectors.includes('},') || !/stages: \[\]/.test(config)) return [];
      const { class: Class, ...params } = JSON.parse(connectors);
      const connector = Class.split('.').at(-1);
      if (!Object.hasOwn(CONNECTORS, connector) || ELSEWHERE.test(name) || expect.configErrors !== undefined) return [];
      const csv = /^csv: (\{.*\})$/m.exec(config)?.[1];
      return [{ name, files, params, connector, csv: csv && JSON.parse(csv), http, line, expect }];
    });
}

async function prepare({ name, files }: Case): Promise<string> {
  const dir = join(root, name);
  await mkdir(dir, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), typeof content === 'string' ? content : Buffer.from(content.base64, 'base64'));
  }
  return dir;
}

function inDirectory<T>(value: T, dir: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll('@DIR@', dir));
}

/** Runs a case with a server if it needs one. Connector cases have the same response for every request. */
async function run(recorded: Case, dir: string): Promise<CollectingPublisher> {
  const [reply] = recorded.http?.replies ?? [];
  if (reply === undefined) return runConnector(recorded, dir);
  const { status, contentType = 'text/plain', body } = reply;
  const server = await StubServer.start((_, response) => {
    response.writeHead(status, { 'content-type': contentType }).end(body);
  });
  const params = JSON.parse(JSON.stringify(recorded.params).replaceAll('@HTTP@', `127.0.0.1:${server.port}`));
  try {
    return await runConnector({ ...recorded, params }, dir);
  } finally {
    await server.close();
  }
}

async function runConnector(recorded: Case, dir: string): Promise<CollectingPublisher> {
  const publisher = new CollectingPublisher();
  const { name = 'c', docIdPrefix = '', ...params } = inDirectory(recorded.params, dir) as Record<string, string>;
  const Class = CONNECTORS[recorded.connector] as unknown as { readonly parameters: TObject } & (new (
    params: object,
    context: ConnectorContext,
  ) => Connector);
  const connector = new Class(withDefaults(Class.parameters, params as never), {
    name,
    docIdPrefix,
    runId: '@RUN@',
    log: publisher.log,
    notices: publisher.notices,
    signal: NEVER,
    preview: false,
  });
  try {
    await connector.preExecute?.();
    await connector.execute(params['pipeline'] === undefined ? undefined : publisher);
    await connector.markRead?.({ failed: false });
    await connector.postExecute?.();
  } finally {
    await connector.close?.();
  }
  for (const document of publisher.documents) document.setRunId('@RUN@');
  return publisher;
}

describe('recorded cases of connectors', () => {
  const cases = casesOf('connectors.jsonl');

  it('exist', () => {
    expect(cases.length).toBeGreaterThan(50);
  });

  it.each(cases.filter(({ name }) => DIFFERENT[name] === undefined))('$name', async (recorded) => {
    const dir = await prepare(recorded);
    if (recorded.expect.exitCode !== 0) {
      await expect(run(recorded, dir)).rejects.toThrow();
      return;
    }
    const { json } = await run(recorded, dir);
    const whole = readJson(recorded.line.replaceAll('@DIR@', dir)) as JsonObject;
    const byConnector = (whole.get('expect') as JsonObject).get('docs') as JsonObject;
    const expected = [...byConnector.values()].flat() as JsonObject[];
    const masked = json.map((text, i) =>
      expected[i]?.get('id') === '@UUID@' ? text.replace(/^\{"id":"[0-9a-f-]{36}"/, '{"id":"@UUID@"') : text,
    );
    expect(masked).toEqual(expected.map(writeValue));
    const files = await readdir(dir, { recursive: true, withFileTypes: true });
    const left = files
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name).slice(dir.length + 1));
    expect(left.sort()).toEqual(recorded.expect.filesAfter);
  });
});

describe('recorded cases of CSVIndexer', () => {
  const cases = casesOf('indexers.jsonl').filter(({ csv }) => csv !== undefined);

  it('exist', () => {
    expect(cases.length).toBeGreaterThan(10);
  });

  it.each(cases)('$name', async (recorded) => {
    const dir = await prepare(recorded);
    const { documents, log } = await run(recorded, dir);
    const context: IndexerContext = {
      runId: '@RUN@',
      log,
      notices: silentNotices,
      settings: withDefaults(indexerSettings),
    };
    const indexer = new CSVIndexer(
      withDefaults(CSVIndexer.parameters, inDirectory(recorded.csv, dir) as never),
      context,
    );
    const { url, name, options } = indexer.encoder();
    const encoder = new (await import(url))[name](options);
    await indexer.connect();
    const pieces = documents.map((document) => Buffer.from(encoder.encode(document)));
    const ids = () => documents.map(({ id }) => id);
    await indexer.send({
      count: documents.length,
      pieces,
      lengths: () => new Uint32Array(),
      ids,
      pipeline: 'p',
      origins: () => [],
    });
    await indexer.close({ failed: false });
    for (const [path, text] of Object.entries(recorded.expect.output ?? {})) {
      expect(await readFile(join(dir, path), 'utf8')).toBe(text);
    }
  });
});

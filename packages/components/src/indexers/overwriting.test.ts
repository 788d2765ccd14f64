import { checkConfig, Registry, readConfigText } from '@headrace/engine';
import { expect, it } from 'vitest';

const registry = await Registry.open({
  catalogs: [new URL('../../bundle/catalog.json', import.meta.url).href],
  modules: [],
  base: import.meta.url,
  allowModules: false,
});

const KAFKA =
  'class: KafkaConnector, kafka { bootstrapServers: "localhost:9092", topic: t, consumerGroupId: g, clientId: c, maxPollIntervalSecs: 300 }';
const FILES = 'class: FileConnector, paths: ["inbox"], state {}, filterOptions { publishMode: Incremental }';

async function warnings(connector: string, indexer: string): Promise<string[]> {
  const { root } = readConfigText(
    `connectors: [{ name: c, pipeline: p, ${connector} }], pipelines: [{ name: p, stages: [] }], ${indexer}`,
  );
  if (root === undefined) throw new Error('the config cannot be read');
  const { config, problems } = await checkConfig(root, registry);
  expect(config).toBeDefined();
  return problems.map(({ severity, path, message, hint }) => `${severity} ${path}: ${message} | ${hint}`);
}

it.each([
  ['files since the last run, lines', FILES, 'jsonl', 'indexer { type: JSONLines }, jsonl { path: out.jsonl }'],
  ['messages since the last run, lines', KAFKA, 'jsonl', 'indexer { type: JSONLines }, jsonl { path: out.jsonl }'],
  ['files since the last run, rows', FILES, 'csv', 'indexer { type: CSV }, csv { path: out.csv, columns: [id] }'],
])('%s: an output that begins anew is warned of', async (_, connector, block, indexer) => {
  expect(await warnings(connector, indexer)).toEqual([
    `warning ${block}: Each run overwrites what the last one wrote, and c gives only what is new since then | Set ${block}.append: true.`,
  ]);
});

it.each([
  ['what is added to', FILES, 'indexer { type: JSONLines }, jsonl { path: out.jsonl, append: true }'],
  ['the standard output', FILES, 'indexer { type: JSONLines }, jsonl { path: "-" }'],
  [
    'a destination that keeps',
    FILES,
    'indexer { type: OpenSearch }, opensearch { url: "http://localhost:9200", index: i }',
  ],
  ['nothing that is sent', FILES, 'indexer { type: JSONLines, sendEnabled: false }, jsonl { path: out.jsonl }'],
  [
    'all files each time',
    'class: FileConnector, paths: ["inbox"], state {}',
    'indexer { type: JSONLines }, jsonl { path: out.jsonl }',
  ],
  [
    'messages from given places',
    `${KAFKA}, offsets { "0": 5 }`,
    'indexer { type: JSONLines }, jsonl { path: out.jsonl }',
  ],
])('nobody is warned of %s', async (_, connector, indexer) => {
  expect(await warnings(connector, indexer)).toEqual([]);
});

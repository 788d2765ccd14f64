import { catalogUrl } from '@headrace/components';
import { checkConfig, Registry, readConfigText } from '@headrace/engine';
import { expect, it } from 'vitest';

const registry = await Registry.open({
  catalogs: [catalogUrl],
  modules: [],
  base: import.meta.url,
  allowModules: false,
});

const JSON_LINES = 'class: JSONConnector, jsonPath: "in.jsonl"';

async function problemsOf(block: string, indexer = '', connector = JSON_LINES): Promise<string[]> {
  const { root } =
    readConfigText(`connectors: [{ name: c, pipeline: p, ${connector} }], pipelines: [{ name: p, stages: [] }]
    indexer { type: OpenSearch, ${indexer} }
    opensearch { url: "http://localhost:9200", ${block} }`);
  if (root === undefined) throw new Error('the config cannot be read');
  const { problems } = await checkConfig(root, registry);
  return problems.map(({ severity, path, line, message }) => `${severity} ${path} ${line}: ${message}`);
}

it('accepts all parameters of create and rebuild', async () => {
  expect(
    await problemsOf(`index: products
      create { settings { number_of_shards: 1 }, mappings { properties { a.type: keyword } }, update: true }
      rebuild { alias: shop, keep: 0, checks {
        documents { min: 1, max: 2, maxFewerPercent: 5, maxMorePercent: 200 }, maxFailed: 0, allowNotices: [custom.short], required { a: 99.5 }
        queries: [{ query { match_all {} }, expected: [a], minNdcg: 0.5 }] } }`),
  ).toEqual([]);
  expect(await problemsOf('index: products, sync { deleteMissing: true, where { term { a: b } } }')).toEqual([]);
});

it.each([
  ['index: "a-{b}", rebuild {}', '', 'opensearch.rebuild', 'rebuild needs one index with a fixed name, was "a-{b}"'],
  ['index: "<a-{now/d}>", create {}', '', 'opensearch.create', 'create needs one index with a fixed name'],
  [
    'index: a, create { mappings {}, mappingsFile: a.json }',
    '',
    'opensearch.create.mappingsFile',
    'exclude each other',
  ],
  ['index: a, rebuild.alias: "A b"', '', 'opensearch.rebuild.alias', '"A b" is not a valid name of an alias'],
  ['index: a, update: true, rebuild {}', '', 'opensearch.update', 'rebuild writes to a new index, which has none'],
  ['index: a, rebuild {}', 'indexOverrideField: f', 'indexer.indexOverrideField', 'all documents to one new index'],
  [
    'index: a, rebuild.checks.documents { min: 5, max: 2 }',
    '',
    'opensearch.rebuild.checks.documents.min',
    'more than max (2)',
  ],
  [
    'index: a, rebuild.checks.allowNotices: [custom.a, bytes.lost]',
    '',
    'opensearch.rebuild.checks.allowNotices[1]',
    'There is no notice bytes.lost',
  ],
  ['index: a, sync.allowNotices: [nothing]', '', 'opensearch.sync.allowNotices[0]', 'There is no notice nothing'],
  [
    'index: a, rebuild.checks.queries: [{ query {}, expected: [x] }]',
    '',
    'opensearch.rebuild.checks.queries[0]',
    'needs minNdcg or minMrr',
  ],
  [
    'index: a, rebuild.checks.queries: [{ query {}, expected: [], minMrr: 1 }]',
    '',
    'opensearch.rebuild.checks.queries[0].expected',
    'names no document',
  ],
  ['index: a, rebuild {}, sync.deleteMissing: true', '', 'opensearch.sync.deleteMissing', 'a rebuild already omits'],
  ['index: "a-{b}", sync.deleteMissing: true', '', 'opensearch.sync.deleteMissing', 'needs one index'],
  [
    'index: a, sync.deleteMissing: true',
    'blacklist: [run_id]',
    'opensearch.sync.deleteMissing',
    'run_id, which is not sent',
  ],
  [
    'index: a, sync.deleteMissing: true',
    'whitelist: [id]',
    'opensearch.sync.deleteMissing',
    'run_id, which is not sent',
  ],
  [
    'index: a, sync.deleteMissing: true',
    'versionType: External, versionField: v',
    'opensearch.sync.deleteMissing',
    'whose version has not changed',
  ],
])('rejects %s %s', async (block, indexer, path, message) => {
  const [problem = '', ...others] = await problemsOf(block, indexer);
  expect([problem.replace(/ [23]: .*/, ''), others]).toEqual([`error ${path}`, []]);
  expect(problem).toContain(message);
});

it.each(['rebuild {}', 'sync.deleteMissing: true'])('warns that a connector reads only new data: %s', async (block) => {
  const connector = 'class: FileConnector, paths: ["inbox"], state {}, filterOptions { publishMode: Incremental }';
  const name = block.slice(0, block.search(/[ .]/));
  expect(await problemsOf(`index: a, ${block}`, '', connector)).toEqual([
    expect.stringContaining(`opensearch.${name} needs all data in each run, but c only reads data that is new since`),
  ]);
});

it('warns of allowed notices that do not mean lost data', async () => {
  expect(await problemsOf('index: a, sync { deleteMissing: true, allowNotices: [bytes.invalid] }')).toEqual([
    'warning opensearch.sync.allowNotices[0] 3: The notice bytes.invalid has the class changed, which is always allowed',
  ]);
});

import { catalogUrl } from '@headrace/components';
import { checkConfig, Registry, readConfigText } from '@headrace/engine';
import { expect, it } from 'vitest';

const registry = await Registry.open({
  catalogs: [catalogUrl],
  modules: [],
  base: import.meta.url,
  allowModules: false,
});

async function warnings(connector: string, pipelines = ''): Promise<string[]> {
  const { root } = readConfigText(`connectors: [{ ${connector} }], pipelines: [${pipelines}], indexer { type: Nop }`);
  const { config, problems } = await checkConfig(root as NonNullable<typeof root>, registry);
  expect(config).toBeDefined();
  return problems.map(({ path, line, message }) => `${path} ${line} ${message}`);
}

it.each([
  'class: SequenceConnector, numDocs: 1',
  'class: CSVConnector, path: in.csv',
  'class: JSONConnector, jsonPath: in.json',
  'class: FileConnector, paths: [in]',
  'class: RSSConnector, rssURL: "http://localhost/feed"',
])('%s: a connector that publishes documents needs a pipeline', async (connector) => {
  expect(await warnings(connector)).toEqual([
    'connectors[0] 1 The connector has no pipeline to publish its documents to: it will fail',
  ]);
});

it.each(['class: SleepConnector, duration: 1', 'class: SolrConnector, solr { url: "http://localhost/solr" }'])(
  '%s: a connector without documents needs no pipeline',
  async (connector) => {
    expect(await warnings(connector)).toEqual([]);
  },
);

it('reports numbers that are rounded', async () => {
  const connector = 'class: SequenceConnector, pipeline: p, numDocs: -3, startWith: 1.5';
  expect(await warnings(connector, '{ name: p, stages: [] }')).toEqual([
    'connectors[0].numDocs 1 numDocs is -3, which is too small: 0 is used',
    'connectors[0].startWith 1 startWith is 1.5, but must be an integer: 1 is used',
  ]);
});

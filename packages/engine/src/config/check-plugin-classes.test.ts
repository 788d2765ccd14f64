import { describe, expect, it } from 'vitest';
import { missingPlugin } from '../component/plugin-classes.ts';
import { checkConfig } from './check-config.ts';
import { openFixtureRegistry } from './fixture-components.test.lib.ts';
import { readConfigText } from './read-config.ts';

const registry = await openFixtureRegistry();

async function problemsOf(text: string): Promise<{ path: string; message: string; hint: string }[]> {
  const { root } = readConfigText(text);
  const { problems } = await checkConfig(root as never, registry);
  return problems.map(({ path, message, hint = '' }) => ({ path, message, hint }));
}

const config = (connector: string, stage: string, indexer = 'type: nothing') => `
connectors: [{ class: "${connector}", name: c, pipeline: p, count: 1 }]
pipelines: [{ name: p, stages: [{ class: "${stage}", field: f }] }]
indexer { ${indexer} }`;

describe('a class of a plugin that is not installed', () => {
  it.each([
    ['com.kmwllc.lucille.tika.stage.TextExtractor', 'TextExtractor', '@headrace/text-extraction'],
    ['JlamaEmbed', 'JlamaEmbed', '@headrace/embeddings'],
    ['com.kmwllc.lucille.stage.ApplyOpenNLPNameFinders', 'ApplyOpenNLPNameFinders', '@headrace/entities'],
  ])('is reported with the package to install: the stage %s', async (name, short, npm) => {
    expect(await problemsOf(config('Numbers', name))).toEqual([
      {
        path: 'pipelines[0].stages[0].class',
        message: `The stage ${short} is in the package ${npm}, which is not installed`,
        hint: expect.stringContaining(`npm install ${npm}`),
      },
    ]);
  });

  it.each(['ParquetConnector', 'com.kmwllc.lucille.parquet.connector.ParquetConnector'])(
    'is reported with the package to install: the connector %s',
    async (name) => {
      expect(await problemsOf(config(name, 'Mark'))).toEqual([
        {
          path: 'connectors[0].class',
          message: 'The connector ParquetConnector is in the package @headrace/parquet, which is not installed',
          hint: expect.stringContaining('npm install @headrace/parquet'),
        },
      ]);
    },
  );

  it.each([
    ['class: PineconeIndexer', 'class', 'Pinecone', 'pinecone'],
    ['class: "com.kmwllc.lucille.pinecone.indexer.PineconeIndexer"', 'class', 'Pinecone', 'pinecone'],
    ['class: "com.kmwllc.lucille.weaviate.indexer.WeaviateIndexer"', 'class', 'Weaviate', 'weaviate'],
    ['type: Weaviate', 'type', 'Weaviate', 'weaviate'],
    ['type: qdrant', 'type', 'Qdrant', 'qdrant'],
  ])(
    'is reported with the package to install, and without a warning about its block: indexer { %s }',
    async (text, key, name, block) => {
      expect(await problemsOf(`${config('Numbers', 'Mark', text)}\n${block} { apiKey: x, index: y }`)).toEqual([
        {
          path: `indexer.${key}`,
          message: `The indexer ${name}Indexer is in the package @headrace/vector-stores, which is not installed`,
          hint: expect.stringContaining('npm install @headrace/vector-stores'),
        },
      ]);
    },
  );
});

it('reports a file handler of a plugin with the package to install', () => {
  expect(missingPlugin('file handler', 'com.kmwllc.lucille.video.VideoFileHandler')).toEqual({
    message: 'The file handler VideoFileHandler is in the package @headrace/video, which is not installed',
    hint: expect.stringContaining('npm install @headrace/video'),
  });
});

it('warns of the block of a missing plugin if another indexer is selected', async () => {
  expect(await problemsOf(`${config('Numbers', 'Mark')}\npinecone { apiKey: x }`)).toEqual([
    { path: 'pinecone', message: expect.stringContaining('does not read pinecone'), hint: 'Remove it.' },
  ]);
});

it('suggests a similar name for a class that belongs to no plugin', async () => {
  expect(await problemsOf(config('Numbers', 'Mrak'))).toMatchObject([
    { message: 'There is no stage Mrak', hint: 'Did you mean Mark?' },
  ]);
});

it('suggests a similar name of a plugin that is not installed', async () => {
  expect(await problemsOf(config('ParquetConector', 'TextExtracter', 'type: Qdrnt'))).toMatchObject([
    { message: 'There is no connector ParquetConector', hint: 'Did you mean ParquetConnector?' },
    { message: 'There is no stage TextExtracter', hint: 'Did you mean TextExtractor?' },
    {
      message: expect.stringContaining("'Qdrnt'"),
      hint: expect.stringMatching(/^Did you mean Qdrant\? Known types: /),
    },
  ]);
});

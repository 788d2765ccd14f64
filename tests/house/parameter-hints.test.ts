import { catalogUrl } from '@headrace/components';
import { checkConfig, Registry, readConfigText } from '@headrace/engine';
import { describe, expect, it } from 'vitest';

const registry = await Registry.open({
  catalogs: [catalogUrl],
  modules: [],
  base: import.meta.url,
  allowModules: false,
});

/** Returns the problems of a config as `path message hint`. */
async function problemsOf(text: string) {
  const { root, problems } = readConfigText(text);
  expect(problems).toEqual([]);
  return (await checkConfig(root as never, registry)).problems;
}

const withStage = (stage: string) =>
  problemsOf(`connectors: [{ class: SequenceConnector, name: c, pipeline: p, numDocs: 1 }]
pipelines: [{ name: p, stages: [${stage}] }], indexer { type: Nop }`);

/** Returns the hint for an unknown key of a stage. */
async function hintFor(className: string, key: string, more = '') {
  const problems = await withStage(`{ class: ${className}, ${key}: x${more} }`);
  return problems.find(({ code }) => code === 'HR_CONFIG_UNKNOWN_PARAMETER')?.hint;
}

const INPUTS = ['source', 'field', 'fields', 'fieldName', 'inputField', 'src'];
const OUTPUTS = ['dest', 'destination', 'outputField', 'output', 'targetField', 'destinationField'];

function stagesWithout(key: string, group: readonly string[]): [string, string[]][] {
  return registry.list('stage').flatMap(({ name, schema }): [string, string[]][] => {
    const keys = Object.keys(schema.properties);
    const own = group.filter((member) => keys.includes(member));
    return keys.includes(key) || own.length === 0 ? [] : [[name, own]];
  });
}

describe('a parameter name of another stage gets the name in this stage as its hint', () => {
  it.each(INPUTS.flatMap((key) => stagesWithout(key, INPUTS).map(([name, own]) => [key, name, own] as const)))(
    '%s of %s',
    async (key, name, own) => {
      const hint = await hintFor(name, key);
      expect(own.map((member) => `Did you mean ${member}?`)).toContain(hint);
    },
  );

  it.each(OUTPUTS.flatMap((key) => stagesWithout(key, OUTPUTS).map(([name, own]) => [key, name, own] as const)))(
    '%s of %s',
    async (key, name, own) => {
      const hint = await hintFor(name, key);
      expect(own.map((member) => `Did you mean ${member}?`)).toContain(hint);
    },
  );

  it.each([
    ['CopyFields', 'mapping', 'fieldMapping'],
    ['ApplyRegex', 'pattern', 'regex'],
    ['SplitFieldValues', 'separator', 'delimiter'],
    ['SplitFieldValues', 'feild', 'inputField'],
    ['Concatenate', 'template', 'formatString'],
    ['OpenAIEmbed', 'model', 'modelName'],
    ['QueryDatabase', 'query', 'sql'],
    ['DictionaryLookup', 'path', 'dictPath'],
    ['SetStaticValues', 'values', 'staticValues'],
  ])('%s: %s is %s', async (name, key, meant) => {
    expect(await hintFor(name, key)).toBe(`Did you mean ${meant}?`);
  });

  it('does not suggest a parameter that is already given', async () => {
    expect(await hintFor('SplitFieldValues', 'field', ', inputField: a, outputField: b')).toMatch(
      /^Known parameters: /,
    );
    expect(await hintFor('ApplyRegex', 'input', ', source: [a]')).toMatch(/^Known parameters: /);
  });

  it('connectors also get hints for unknown parameters', async () => {
    const problems = await problemsOf(`connectors: [
      { class: JSONConnector, name: a, pipeline: p, path: x }, { class: FileConnector, name: b, pipeline: p, folder: x }
      { class: KafkaConnector, name: c, pipeline: p, kafkaTopic { topic: x } }
    ]
    pipelines: [{ name: p, stages: [] }], indexer { type: Nop }`);
    const hints = problems.filter(({ code }) => code === 'HR_CONFIG_UNKNOWN_PARAMETER').map(({ hint }) => hint);
    expect(hints).toEqual([
      'Did you mean jsonPath?',
      'Did you mean paths?',
      'There is no parameter kafkaTopic. Did you mean kafka?',
    ]);
  });
});

describe('the block of an indexer with a wrong name', () => {
  const base = `connectors: [{ class: SequenceConnector, name: c, pipeline: p, numDocs: 1 }]
pipelines: [{ name: p, stages: [] }]\n`;

  it.each([
    ['Kafka', 'kafka { bootstrapServers: "localhost:9092", topic: articles }', 'kafka', 'kafkaTopic'],
    ['Kafka', 'kafkaTopics { bootstrapServers: "localhost:9092", topic: articles }', 'kafkaTopics', 'kafkaTopic'],
    ['OpenSearch', 'elasticsearch { url: "http://localhost:9200", index: a }', 'elasticsearch', 'opensearch'],
    ['CSV', 'CSV { path: out.csv, columns: [id] }', 'CSV', 'csv'],
  ])('%s: %s is one problem, with one hint', async (type, block, given, right) => {
    const problems = await problemsOf(`${base}indexer { type: ${type} }\n${block}`);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      severity: 'error',
      line: 4,
      path: given,
      message: expect.stringContaining(
        `reads its parameters from the block ${right}, but the config only has ${given}`,
      ),
      hint: `Rename ${given} to ${right}.`,
    });
  });

  it('reports the other mistakes in the block', async () => {
    const problems = await problemsOf(
      `${base}indexer { type: Kafka }\nkafka { bootstrapServers: a, topic: b, colour: c }`,
    );
    expect(problems.map(({ path }) => path)).toEqual(['kafka', 'kafka.colour']);
  });

  it('is reported with its right name, also if required parameters are missing', async () => {
    const problems = await problemsOf(`${base}indexer { type: Kafka }\nkafka { topic: articles }`);
    expect(problems.map(({ message }) => message)).toEqual([
      'KafkaIndexer reads its parameters from the block kafkaTopic, but the config only has kafka',
      'Config is missing required property bootstrapServers',
    ]);
  });

  it('reports a block of the engine as a block, not as a wrong name', async () => {
    const problems = await problemsOf(`${base}indexer { type: Kafka }
kafka { bootstrapServers: a, consumerGroupId: b, maxPollIntervalSecs: 1, maxRequestSize: 1000 }`);
    expect(problems.map(({ message }) => message)).toEqual([
      'kafka has an effect only in distributed runs. This run is in one process',
      "No configuration setting found for key 'kafkaTopic'",
    ]);
  });
});

import { pathToFileURL } from 'node:url';
import { catalogUrl } from '@headrace/components';
import { checkConfig, Registry, readConfigText } from '@headrace/engine';
import { describe, expect, it } from 'vitest';

const registry = await Registry.open({
  catalogs: [catalogUrl],
  modules: [],
  base: import.meta.url,
  allowModules: false,
});

const KAFKA =
  'class: KafkaConnector, kafka { bootstrapServers: "localhost:9092", topic: t, consumerGroupId: g, clientId: c, maxPollIntervalSecs: 300 }';
const FILES = 'class: FileConnector, paths: ["inbox"], state {}, filterOptions { publishMode: Incremental }';

async function check(connector: string, indexer: string, stages = '') {
  const { root } = readConfigText(
    `connectors: [{ name: c, pipeline: p, ${connector} }], pipelines: [{ name: p, stages: [${stages}] }]\n${indexer}`,
  );
  if (root === undefined) throw new Error('the config cannot be read');
  return checkConfig(root, registry);
}

async function warnings(connector: string, indexer: string, stages?: string): Promise<string[]> {
  const { config, problems } = await check(connector, indexer, stages);
  expect(config).toBeDefined();
  return problems.map(({ severity, path, message, hint }) => `${severity} ${path}: ${message} | ${hint}`);
}

it.each([
  ['new files, JSON Lines output', FILES, 'jsonl', 'indexer { type: JSONLines }, jsonl { path: out.jsonl }'],
  ['new messages, JSON Lines output', KAFKA, 'jsonl', 'indexer { type: JSONLines }, jsonl { path: out.jsonl }'],
  ['new files, CSV output', FILES, 'csv', 'indexer { type: CSV }, csv { path: out.csv, columns: [id] }'],
])('warns if each run overwrites the output: %s', async (_, connector, block, indexer) => {
  expect(await warnings(connector, indexer)).toEqual([
    `warning ${block}: Each run overwrites the output of the previous run, but c only reads data that is new since that run | Set ${block}.append: true.`,
  ]);
});

it.each([
  ['an output with append', FILES, 'indexer { type: JSONLines }, jsonl { path: out.jsonl, append: true }'],
  ['the standard output', FILES, 'indexer { type: JSONLines }, jsonl { path: "-" }'],
  [
    'an indexer that keeps old documents',
    FILES,
    'indexer { type: OpenSearch }, opensearch { url: "http://localhost:9200", index: i }',
  ],
  ['sendEnabled: false', FILES, 'indexer { type: JSONLines, sendEnabled: false }, jsonl { path: out.jsonl }'],
  [
    'a connector that reads all files in each run',
    'class: FileConnector, paths: ["inbox"], state {}',
    'indexer { type: JSONLines }, jsonl { path: out.jsonl }',
  ],
  [
    'a connector with fixed offsets',
    `${KAFKA}, offsets { "0": 5 }`,
    'indexer { type: JSONLines }, jsonl { path: out.jsonl }',
  ],
])('does not warn about %s', async (_, connector, indexer) => {
  expect(await warnings(connector, indexer)).toEqual([]);
});

const LINES = 'indexer { type: JSONLines }, jsonl { path: "out/a b.jsonl" }';
const XML =
  'class: XMLConnector, xmlRootPath: /a/b, xmlIdPath: /a/b/id, encoding: UTF-8, outputField: x, filePaths: ["in.xml"]';
const CSV_OF = (path: string) => `class: CSVConnector, path: "${path}"`;
const FILES_OF = (...paths: string[]) => `class: FileConnector, paths: ${JSON.stringify(paths)}`;
const url = (path: string) => pathToFileURL(path).href;

describe('an input file that the config would overwrite', () => {
  const PRINT = '{ class: Print, outputFile: in.csv, appendThreadName: false }';

  it.each([
    [
      'a file',
      CSV_OF('./out/../out/a b.jsonl'),
      LINES,
      '',
      'path',
      'The indexer would overwrite ./out/../out/a b.jsonl',
    ],
    ['a URL', CSV_OF(url('out/a b.jsonl')), LINES, '', 'path', 'The indexer would overwrite file:///'],
    ['one of several', FILES_OF('in', 'out/a%20b.jsonl'), LINES, '', 'paths[1]', 'The indexer would overwrite '],
    ['a URL of several', FILES_OF('in', url('out/a b.jsonl')), LINES, '', 'paths[1]', 'The indexer would overwrite '],
    [
      'files of XML',
      `${XML}, urlFiles: ["out/a b.jsonl"]`,
      LINES,
      '',
      'urlFiles[0]',
      'The indexer would overwrite out/a b',
    ],
    ['the output of a stage', CSV_OF('in.csv'), LINES, PRINT, 'path', 'The stage Print would overwrite in.csv'],
    [
      'a database',
      'class: DatabaseConnector, driver: org.sqlite.JDBC, connectionString: "jdbc:sqlite:out/a b.jsonl", jdbcUser: "", jdbcPassword: "", sql: "select 1 as id", idField: id',
      LINES,
      '',
      'connectionString',
      'The indexer would overwrite jdbc:sqlite:out/a b.jsonl',
    ],
  ])('is rejected: %s', async (_, connector, indexer, stages, parameter, message) => {
    const { config, problems } = await check(connector, indexer, stages);
    expect(config).toBeUndefined();
    const output = stages === '' ? 'jsonl.path' : 'pipelines[0].stages[0].outputFile';
    expect(problems).toEqual([
      {
        severity: 'error',
        code: 'HR_CONFIG_INVALID_VALUE',
        path: `connectors[0].${parameter}`,
        line: 1,
        column: expect.any(Number),
        component: 'c',
        message: expect.stringContaining(message),
        hint: `Set ${output} to another file.`,
      },
    ]);
  });

  it.each([
    [
      'sendEnabled: false',
      CSV_OF('in.csv'),
      'indexer { type: JSONLines, sendEnabled: false }, jsonl { path: in.csv }',
      '',
    ],
    ['the standard output', CSV_OF('-'), 'indexer { type: JSONLines }, jsonl { path: "-" }', ''],
    ['a file for each thread', CSV_OF('in.csv'), LINES, '{ class: Print, outputFile: in.csv }'],
    ['a disabled stage', CSV_OF('in.csv'), LINES, `{ enabled: false, ${PRINT.slice(1)}`],
    ['the target folder of moved files', `${CSV_OF('in.csv')}, moveToAfterProcessing: out`, LINES, ''],
    ['another file', CSV_OF('in.csv'), LINES, ''],
  ])('is not reported: %s', async (_, connector, indexer, stages) => {
    expect(await warnings(connector, indexer, stages)).toEqual([]);
  });
});

describe('an output file in a folder that a connector reads', () => {
  const problemsOf = (path: string) => [
    `warning ${path}: c reads the folder of this file, and would read the file as a source | Write the file to another folder, or exclude it in c.`,
  ];

  it.each([
    FILES_OF('.'),
    FILES_OF('in', './out'),
    FILES_OF(url('out')),
    `${FILES_OF('out')}, filterOptions { includes: [".*jsonl"], lastModifiedCutoff: 1h }`,
    `${FILES_OF('out')}, filterOptions { pathsToSkip: ["out/deeper", "."] }`,
  ])('causes a warning: %s', async (connector) => {
    expect(await warnings(connector, LINES)).toEqual(problemsOf('jsonl.path'));
    const stage = '{ class: Print, outputFile: out/print.jsonl, appendThreadName: false }';
    expect(await warnings(connector, 'indexer { type: Nop }', stage)).toEqual(
      problemsOf('pipelines[0].stages[0].outputFile'),
    );
  });

  it.each([
    FILES_OF('in', 'ou'),
    FILES_OF('out/deeper'),
    FILES_OF('s3://out'),
    `${FILES_OF('out')}, filterOptions { excludes: [".*jsonl"] }`,
    `${FILES_OF('out')}, filterOptions { includes: [".*csv"] }`,
    `${FILES_OF('.')}, filterOptions { pathsToSkip: ["out"] }`,
    `${FILES_OF('.')}, fileOptions { moveToAfterProcessing: out }`,
  ])('causes no warning if the connector skips it: %s', async (connector) => {
    expect(await warnings(connector.includes('s3:') ? `${connector}, s3 {}` : connector, LINES)).toEqual([]);
  });
});

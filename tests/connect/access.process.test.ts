import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogUrl } from '@headrace/components';
import { checkConfigAccess, type Problem, readConfigText } from '@headrace/engine';
import { closedPort } from '@headrace/testing/closed-port';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

/**
 * The output of `validate --connect` for every source and destination of the built-in components, if it does not exist.
 */

let folder: string;
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-reach-'));
  await writeFile(join(folder, 'there.csv'), 'id,title\n1,Up\n');
  port = await closedPort();
  // A check ends after ten seconds. On a busy machine, it takes as long to load these libraries for the first time.
  await Promise.all([import('@azure/storage-blob'), import('@google-cloud/storage'), import('@aws-sdk/client-s3')]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function checkAccess(text: string): Promise<Problem[]> {
  const { root, problems } = readConfigText(text);
  if (root === undefined || problems.length > 0) throw new Error(JSON.stringify(problems));
  const base = new URL('./', import.meta.url).href;
  const registry = { catalogs: [catalogUrl], modules: [], base, allowModules: false };
  return checkConfigAccess({ root, registry, trusted: true }, new AbortController().signal);
}

const NOWHERE = 'indexer { type: Nop }';
const withConnector = (connector: string) => `connectors: [{ name: in, pipeline: p, ${connector} }]
pipelines: [{ name: p, stages: [] }]
${NOWHERE}`;
const withStage = (stage: string) => `connectors: [{ class: SequenceConnector, pipeline: p, numDocs: 1 }]
pipelines: [{ name: p, stages: [{ name: it, ${stage} }] }]
${NOWHERE}`;
const withIndexer = (indexer: string) => `connectors: [{ class: SequenceConnector, pipeline: p, numDocs: 1 }]
pipelines: [{ name: p, stages: [] }]
${indexer}`;
const DRIVERS = {
  postgresql: 'org.postgresql.Driver',
  mysql: 'com.mysql.cj.jdbc.Driver',
  sqlserver: 'com.microsoft.sqlserver.jdbc.SQLServerDriver',
};
const database = (kind: keyof typeof DRIVERS) =>
  `driver: ${DRIVERS[kind]}, connectionString: "jdbc:${kind}://127.0.0.1:PORT/d", jdbcUser: u, jdbcPassword: secret-of-mine`;

/** Configs with the path and message of their problem. `PORT` is a closed port and `FOLDER` an empty folder. */
const CLOSED: Readonly<Record<string, readonly [config: string, path: string, message: RegExp]>> = {
  CSVConnector: [withConnector('class: CSVConnector, path: "FOLDER/no.csv"'), 'connectors[0]', /no\.csv.*ENOENT/],
  JSONConnector: [withConnector('class: JSONConnector, jsonPath: "FOLDER/no.json"'), 'connectors[0]', /ENOENT/],
  XMLConnector: [
    withConnector(
      'class: XMLConnector, filePaths: ["FOLDER/there.csv", "FOLDER/no.xml"], xmlRootPath: "/a/b", xmlIdPath: "/a/b/id", encoding: utf-8, outputField: x',
    ),
    'connectors[0].filePaths[1]',
    /no\.xml.*ENOENT/,
  ],
  'FileConnector, local': [
    withConnector('class: FileConnector, paths: ["FOLDER", "FOLDER/no"]'),
    'connectors[0].paths[1]',
    /ENOENT/,
  ],
  'FileConnector, S3': [
    withConnector(
      'class: FileConnector, paths: ["s3://bucket/in/"], s3 { endpoint: "http://127.0.0.1:PORT", region: us-east-1, accessKeyId: a, secretAccessKey: secret-of-mine }',
    ),
    'connectors[0].paths[0]',
    /s3:\/\/bucket\/in\/.*ECONNREFUSED/,
  ],
  'FileConnector, Azure': [
    withConnector(
      'class: FileConnector, paths: ["https://a.blob.core.windows.net/c/in/"], azure { connectionString: "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=c2VjcmV0LW9mLW1pbmU=;BlobEndpoint=http://127.0.0.1:PORT/a;" }',
    ),
    'connectors[0].paths[0]',
    /./,
  ],
  'FileConnector, Google': [
    withConnector(
      'class: FileConnector, paths: ["gs://bucket/in/"], gcp { pathToServiceKey: "", endpoint: "http://127.0.0.1:PORT" }',
    ),
    'connectors[0].paths[0]',
    /./,
  ],
  'DatabaseConnector, PostgreSQL': [
    withConnector(`class: DatabaseConnector, ${database('postgresql')}, sql: "select 1 as id", idField: id`),
    'connectors[0]',
    /ECONNREFUSED/,
  ],
  'DatabaseConnector, MySQL': [
    withConnector(`class: DatabaseConnector, ${database('mysql')}, sql: "select 1 as id", idField: id`),
    'connectors[0]',
    /ECONNREFUSED/,
  ],
  'DatabaseConnector, SQL Server': [
    withConnector(
      `class: DatabaseConnector, ${database('sqlserver').replace('/d"', ';databaseName=d"')}, sql: "select 1 as id", idField: id`,
    ),
    'connectors[0]',
    /ECONNREFUSED|Failed to connect|Could not connect/,
  ],
  'DatabaseConnector, SQLite': [
    withConnector(
      'class: DatabaseConnector, driver: org.sqlite.JDBC, connectionString: "jdbc:sqlite:FOLDER/no.db", jdbcUser: "", jdbcPassword: "", sql: "select 1 as id", idField: id',
    ),
    'connectors[0]',
    /does not exist/,
  ],
  'DatabaseConnector, H2': [
    withConnector(
      'class: DatabaseConnector, driver: org.h2.Driver, connectionString: "jdbc:h2:FOLDER/no", jdbcUser: "", jdbcPassword: "", sql: "select 1 as id", idField: id',
    ),
    'connectors[0]',
    /does not exist/,
  ],
  SolrConnector: [
    withConnector('class: SolrConnector, solr { url: ["http://127.0.0.1:PORT/solr/c"] }'),
    'connectors[0]',
    /refused/,
  ],
  RSSConnector: [
    withConnector('class: RSSConnector, rssURL: "http://127.0.0.1:PORT/feed"'),
    'connectors[0]',
    /refused/,
  ],
  KafkaConnector: [
    withConnector(
      'class: KafkaConnector, kafka { bootstrapServers: "127.0.0.1:PORT", topic: t, consumerGroupId: g, clientId: c, maxPollIntervalSecs: "60" }',
    ),
    'connectors[0]',
    /Kafka at 127\.0\.0\.1/,
  ],
  ElasticsearchLookup: [
    withStage(
      'class: ElasticsearchLookup, elasticsearch { url: "http://127.0.0.1:PORT", index: i }, source: [a], dest: [b]',
    ),
    'pipelines[0].stages[0]',
    /refused/,
  ],
  QueryOpensearch: [
    withStage('class: QueryOpensearch, opensearch { url: "http://127.0.0.1:PORT", index: i }, templateName: t'),
    'pipelines[0].stages[0]',
    /refused/,
  ],
  PromptOllama: [
    withStage('class: PromptOllama, hostURL: "http://127.0.0.1:PORT", modelName: m'),
    'pipelines[0].stages[0]',
    /refused/,
  ],
  QueryDatabase: [
    withStage(
      `class: QueryDatabase, ${database('postgresql')}, sql: "select 1", keyFields: [], inputTypes: [], fieldMapping {}`,
    ),
    'pipelines[0].stages[0]',
    /ECONNREFUSED/,
  ],
  DictionaryLookup: [
    withStage('class: DictionaryLookup, source: [a], dest: [b], dictPath: "FOLDER/no.csv"'),
    'pipelines[0].stages[0]',
    /no\.csv/,
  ],
  ExtractEntities: [
    withStage('class: ExtractEntities, source: [a], dest: [b], dictionaries: ["FOLDER/no.csv"]'),
    'pipelines[0].stages[0]',
    /no\.csv/,
  ],
  OpenSearch: [
    withIndexer('indexer { type: OpenSearch }, opensearch { url: "http://127.0.0.1:PORT", index: i }'),
    'opensearch',
    /refused/,
  ],
  Elasticsearch: [
    withIndexer('indexer { type: Elasticsearch }, elasticsearch { url: "http://127.0.0.1:PORT", index: i }'),
    'elasticsearch',
    /refused/,
  ],
  Solr: [withIndexer('indexer { type: Solr }, solr { url: "http://127.0.0.1:PORT/solr/c" }'), 'solr', /refused/],
  Postgres: [
    withIndexer(
      'indexer { type: Postgres }, postgres { connectionString: "jdbc:postgresql://127.0.0.1:PORT/d", table: t }',
    ),
    'postgres',
    /ECONNREFUSED/,
  ],
  HTTP: [withIndexer('indexer { type: HTTP }, http { url: "http://127.0.0.1:PORT/bulk" }'), 'http', /refused/],
  Kafka: [
    withIndexer('indexer { class: KafkaIndexer }, kafkaTopic { bootstrapServers: "127.0.0.1:PORT", topic: t }'),
    'kafkaTopic',
    /Kafka at 127/,
  ],
  CSV: [
    withIndexer('indexer { type: CSV }, csv { path: "FOLDER/there.csv/out.csv", columns: [id] }'),
    'csv',
    /there\.csv/,
  ],
  JSONLines: [withIndexer('indexer { type: JSONLines }, jsonl { path: "FOLDER" }'), 'jsonl', /folder/],
};

describe('validate --connect without any server or file', () => {
  for (const [name, [config, path, message]] of Object.entries(CLOSED)) {
    it(`reports ${name} and creates nothing`, async () => {
      const problems = await checkAccess(config.replaceAll('PORT', String(port)).replaceAll('FOLDER', folder));
      expect(problems.filter(({ code, severity }) => code !== 'HR_CONFIG_UNREACHABLE' && severity === 'error')).toEqual(
        [],
      );
      const found = problems.filter(({ code }) => code === 'HR_CONFIG_UNREACHABLE');
      expect(found).toEqual([
        expect.objectContaining({
          severity: 'error',
          path,
          message: expect.stringMatching(message),
          hint: expect.anything(),
        }),
      ]);
      expect(found[0]).toMatchObject({
        line: expect.any(Number),
        column: expect.any(Number),
        component: expect.any(String),
      });
      expect(JSON.stringify(problems)).not.toMatch(/secret-of-mine|c2VjcmV0/);
      expect(await readdir(folder)).toEqual(['there.csv']);
    });
  }
});

describe('validate --connect with existing files', () => {
  it('reports nothing for files that can be read and written, and writes none', async () => {
    const config = `connectors: [{ class: CSVConnector, pipeline: p, path: "${folder}/there.csv" }, { class: FileConnector, pipeline: p, paths: ["${folder}"], filterOptions { excludes: [a.csv] } }]
      pipelines: [{ name: p, stages: [] }], indexer { type: CSV }, csv { path: "${folder}/out/deep/a.csv", columns: [id] }`;
    expect(await checkAccess(config)).toEqual([]);
    expect(await readdir(folder)).toEqual(['there.csv']);
  });

  it('reports all missing files, in the order of the config text', async () => {
    const config = `connectors: [{ class: CSVConnector, pipeline: p, path: "${folder}/1" }, { class: CSVConnector, pipeline: p, path: "${folder}/2" }]
      pipelines: [{ name: p, stages: [] }], indexer { type: Solr }, solr { url: "http://127.0.0.1:${port}/solr/c" }`;
    expect((await checkAccess(config)).map(({ path }) => path)).toEqual(['connectors[0]', 'connectors[1]', 'solr']);
  });

  it('checks nothing if the config has errors, and skips an indexer that sends nothing', async () => {
    const config = withIndexer(
      `indexer { type: Solr, sendEnabled: false }, solr { url: "http://127.0.0.1:${port}/solr/c" }`,
    );
    expect(await checkAccess(config)).toEqual([]);
    const wrong = await checkAccess(config.replace('sendEnabled: false', 'sendEnabld: false'));
    expect(wrong.map(({ code }) => code)).toEqual(['HR_CONFIG_UNKNOWN_PARAMETER']);
  });
});

describe('a folder that cannot be written', () => {
  // Even root cannot create a file here.
  const READ_ONLY = '/proc';

  it.runIf(existsSync(READ_ONLY))('is reported for every output of a config', async () => {
    const config = `connectors: [
      { class: CSVConnector, name: a, pipeline: p, path: "${folder}/there.csv", moveToAfterProcessing: "${READ_ONLY}/done" }
      { class: FileConnector, name: b, pipeline: p, paths: ["${folder}"], fileOptions { moveToErrorFolder: "${READ_ONLY}/bad" } }
    ]
    pipelines: [{ name: p, stages: [{ class: Print, outputFile: "${READ_ONLY}/print.txt" }] }]
    indexer { type: CSV }, csv { path: "${READ_ONLY}/deep/out.csv", columns: [id] }`;
    const problems = await checkAccess(config);
    expect(problems.map(({ path }) => path)).toEqual([
      'connectors[0].moveToAfterProcessing',
      'connectors[1].fileOptions.moveToErrorFolder',
      'pipelines[0].stages[0].outputFile',
      'csv',
    ]);
    for (const problem of problems) {
      expect(problem).toMatchObject({ code: 'HR_CONFIG_UNREACHABLE', severity: 'error', hint: expect.any(String) });
      expect(problem.message).toContain('/proc is in the file system proc, which allows no new files');
    }
    const lines = 'indexer { type: JSONLines }, jsonl { path: "/proc/out.jsonl" }';
    expect((await checkAccess(withIndexer(lines))).map(({ message }) => message)).toEqual([
      expect.stringContaining('Cannot write to /proc/out.jsonl'),
    ]);
  });

  it.runIf(process.getuid?.() !== 0)('is reported if write permission is missing', async () => {
    const closed = join(folder, 'closed');
    await mkdir(closed, { mode: 0o555 });
    try {
      const problems = await checkAccess(
        withIndexer(`indexer { type: CSV }, csv { path: "${closed}/out.csv", columns: [id] }`),
      );
      expect(problems).toMatchObject([{ path: 'csv', message: expect.stringContaining('EACCES') }]);
    } finally {
      await rmdir(closed);
    }
  });
});

describe('the header of a CSV file', () => {
  const csv = (more: string, path = `${folder}/header.csv`) =>
    withConnector(`class: CSVConnector, path: "${path}"${more}`);

  beforeEach(() => writeFile(join(folder, 'header.csv'), 'Number,title\n1,A\n'));
  afterEach(() => rm(join(folder, 'header.csv')));

  it('is checked for the idField, with a suggested column', async () => {
    expect(await checkAccess(csv(', idField: Nummber'))).toMatchObject([
      {
        code: 'HR_CONFIG_UNREACHABLE',
        path: 'connectors[0]',
        component: 'in',
        message: expect.stringContaining('header.csv: the header has no column "Nummber" for the id'),
        hint: 'Did you mean Number?',
      },
    ]);
    expect(await checkAccess(csv(', idField: year'))).toMatchObject([
      { message: expect.stringContaining('no column "year"'), hint: 'The columns are: Number, title.' },
    ]);
  });

  it('is read with the settings of the connector, as in a run', async () => {
    expect(await checkAccess(csv(', idField: Number'))).toEqual([]);
    expect(await checkAccess(csv(', idField: NUMBER, lowercaseFields: true'))).toEqual([]);
    expect(await checkAccess(csv(', idField: Number, separatorChar: ";"'))).toHaveLength(1);
    await writeFile(join(folder, 'header.csv'), 'a,,b\n');
    expect(await checkAccess(csv(', emptyColumns: fail'))).toMatchObject([
      { message: expect.stringContaining('column 2 of the header has no name') },
    ]);
  });
});

describe('a server that refuses access', () => {
  it('is reported with a hint', async () => {
    const server = createServer((_request, response) => response.writeHead(401).end()).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const problems = await checkAccess(
        withIndexer(
          `indexer { type: OpenSearch }, opensearch { url: "http://u:hidden-word@127.0.0.1:${port}", index: i }`,
        ),
      );
      expect(problems).toMatchObject([
        { component: 'opensearch', message: expect.stringContaining('401'), hint: expect.stringContaining('password') },
      ]);
      expect(JSON.stringify(problems)).not.toContain('hidden-word');
    } finally {
      server.close();
    }
  });
});

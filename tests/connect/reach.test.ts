import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogUrl } from '@headrace/components';
import { type Problem, reachConfig, readConfigText } from '@headrace/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/* What `validate --connect` says: every source and sink of the built-in components, where nothing is there. */

let folder: string;
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-reach-'));
  await writeFile(join(folder, 'there.csv'), 'id,title\n1,Up\n');
  port = await closedPort();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A port that nothing listens at. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function reach(text: string): Promise<Problem[]> {
  const { root, problems } = readConfigText(text);
  if (root === undefined || problems.length > 0) throw new Error(JSON.stringify(problems));
  const base = new URL('./', import.meta.url).href;
  const registry = { catalogs: [catalogUrl], modules: [], base, allowModules: false };
  return reachConfig({ root, registry, trusted: true }, new AbortController().signal);
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

/** Configs in which `PORT` is a closed port and `FOLDER` an empty one, with the path of the problem. */
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

describe('where nothing is there', () => {
  for (const [name, [config, path, message]] of Object.entries(CLOSED)) {
    it(`${name} says so, and makes nothing`, async () => {
      const problems = await reach(config.replaceAll('PORT', String(port)).replaceAll('FOLDER', folder));
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

describe('where it is there', () => {
  it('says nothing of files that can be read and written, and writes none', async () => {
    const config = `connectors: [{ class: CSVConnector, pipeline: p, path: "${folder}/there.csv" }, { class: FileConnector, pipeline: p, paths: ["${folder}"], filterOptions { excludes: [a.csv] } }]
      pipelines: [{ name: p, stages: [] }], indexer { type: CSV }, csv { path: "${folder}/out/deep/a.csv", columns: [id] }`;
    expect(await reach(config)).toEqual([]);
    expect(await readdir(folder)).toEqual(['there.csv']);
  });

  it('tells several that are missing at once, in the order of the text', async () => {
    const config = `connectors: [{ class: CSVConnector, pipeline: p, path: "${folder}/1" }, { class: CSVConnector, pipeline: p, path: "${folder}/2" }]
      pipelines: [{ name: p, stages: [] }], indexer { type: Solr }, solr { url: "http://127.0.0.1:${port}/solr/c" }`;
    expect((await reach(config)).map(({ path }) => path)).toEqual(['connectors[0]', 'connectors[1]', 'solr']);
  });

  it('looks at nothing where the config has errors, and at no indexer that sends nothing', async () => {
    const config = withIndexer(
      `indexer { type: Solr, sendEnabled: false }, solr { url: "http://127.0.0.1:${port}/solr/c" }`,
    );
    expect(await reach(config)).toEqual([]);
    const wrong = await reach(config.replace('sendEnabled: false', 'sendEnabld: false'));
    expect(wrong.map(({ code }) => code)).toEqual(['HR_CONFIG_UNKNOWN_PARAMETER']);
  });
});

describe('a server that does not let in', () => {
  it('is told with what to check', async () => {
    const server = createServer((_request, response) => response.writeHead(401).end()).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const problems = await reach(
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

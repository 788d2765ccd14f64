import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkConfig, DEFAULT_POLICY, type Policy, Registry, readConfigText, STRICT_POLICY } from '@headrace/engine';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { configOf, RunHarness, registrySource } from './run-harness.ts';

const harness = new RunHarness({ separateLaunchers: true });
const { directory } = harness;
const open = join(directory, 'open');
const SECRET = 'the-secret-of-this-machine';

let connections = 0;
const web = createServer((_, response) => response.end(SECRET)).on('connection', () => connections++);
const database = createTcpServer((socket) => socket.on('error', () => undefined).destroy());
database.on('connection', () => connections++);
let port = 0;
let databasePort = 0;

beforeAll(async () => {
  mkdirSync(join(directory, 'closed'));
  mkdirSync(open);
  for (const name of ['secret.csv', 'secret.json', 'secret.js', 'secret.html', 'secret.txt', 'secret.xml']) {
    writeFileSync(join(directory, 'closed', name), SECRET);
  }
  writeFileSync(join(open, 'in.csv'), 'id,name\n1,a\n');
  writeFileSync(join(open, 'in.csv.gz'), gzipSync('id,name\n1,a\n'));
  symlinkSync(join(directory, 'closed'), join(open, 'way-out'));
  symlinkSync(join(directory, 'closed/secret.csv'), join(open, 'link.csv'));
  symlinkSync(join(directory, 'closed/new'), join(open, 'dangling'));
  await new Promise<void>((done) => web.listen(0, '127.0.0.1', done));
  await new Promise<void>((done) => database.listen(0, '127.0.0.1', done));
  port = (web.address() as AddressInfo).port;
  databasePort = (database.address() as AddressInfo).port;
});
beforeEach(() => {
  connections = 0;
});
afterAll(async () => {
  web.close();
  database.close();
  await harness.close();
});

/** Runs an untrusted config. Returns all its messages and the result. */
async function run(parts: Parameters<typeof configOf>[0], policy: Partial<Policy> = {}) {
  const before = { logged: harness.logged.length, failures: harness.failures.length };
  const result = await harness.run(configOf(parts), {
    registry: { ...registrySource, policy: { ...STRICT_POLICY, components: DEFAULT_POLICY.components, ...policy } },
  });
  const messages = JSON.stringify([
    result,
    harness.logged.slice(before.logged),
    harness.failures.slice(before.failures),
  ]);
  return { result, messages };
}

/** Checks an untrusted config, without threads, files or connections. */
async function check(parts: Parameters<typeof configOf>[0], policy: Partial<Policy> = {}) {
  const registry = await Registry.open({
    ...registrySource,
    policy: { ...STRICT_POLICY, components: DEFAULT_POLICY.components, ...policy },
  });
  const { root } = readConfigText(configOf(parts));
  return (await checkConfig(root as NonNullable<typeof root>, registry, { readFiles: false })).problems;
}

function refusal(message: RegExp) {
  return expect.objectContaining({
    code: 'HR_POLICY_REFUSED',
    message: expect.stringMatching(message),
    line: expect.any(Number),
    hint: expect.stringContaining('`policy`'),
  });
}

const document = (field: string, value: string) =>
  `{class: SetStaticValues, staticValues: {${field}: ${JSON.stringify(value)}}}`;

/**
 * A config that the policy must reject, for each part that uses files or hosts. `{closed}` is a folder with secrets.
 */
const FILES: Record<string, Parameters<typeof configOf>[0]> = {
  CSVConnector: { connector: 'class: CSVConnector, path: "{closed}/secret.csv"' },
  JSONConnector: { connector: 'class: JSONConnector, jsonPath: "{closed}/secret.json"' },
  XMLConnector: {
    connector:
      'class: XMLConnector, filePaths: ["{closed}/secret.xml"], xmlRootPath: "/a", xmlIdPath: "/a/b", encoding: utf-8, outputField: x',
  },
  FileConnector: { connector: 'class: FileConnector, paths: ["{closed}"]' },
  'FileConnector with a file': { connector: 'class: FileConnector, paths: ["{closed}/secret.txt"]' },
  'FileConnector with a URI': { connector: 'class: FileConnector, paths: ["file://{closed}/secret.txt"]' },
  'a state database of FileConnector': {
    connector: 'class: FileConnector, paths: ["{open}"], state { connectionString: "jdbc:sqlite:{closed}/new.db" }',
  },
  'a target folder for processed files': {
    connector: 'class: CSVConnector, path: "{open}/in.csv", moveToAfterProcessing: "{closed}/moved"',
  },
  'DatabaseConnector with SQLite': {
    connector:
      'class: DatabaseConnector, driver: "org.sqlite.JDBC", connectionString: "jdbc:sqlite:{closed}/secret.db", sql: "select 1 as id", idField: id, jdbcUser: "", jdbcPassword: ""',
  },
  'JSON lines': { indexer: 'type: JSONLines', rest: 'jsonl { path: "{closed}/new.jsonl" }' },
  'JSON lines in a new folder': { indexer: 'type: JSONLines', rest: 'jsonl { path: "{closed}/new/new.jsonl" }' },
  'a CSV file': { indexer: 'type: CSV', rest: 'csv { path: "{closed}/new.csv", columns: [id] }' },
  Print: { stages: '{class: Print, outputFile: "{closed}/new.txt", shouldLog: false}' },
  DictionaryLookup: {
    stages: '{class: DictionaryLookup, source: [a], dest: [b], dictPath: "{closed}/secret.txt"}',
  },
  ExtractEntities: {
    stages: '{class: ExtractEntities, source: [a], dest: [b], dictionaries: ["{closed}/secret.txt"]}',
  },
  AddRandomString: {
    stages: '{class: AddRandomString, inputDataPath: "{closed}/secret.txt", fieldName: x, rangeSize: 1}',
  },
  ApplyJavascript: { stages: '{class: ApplyJavascript, scriptPath: "{closed}/secret.js"}' },
  'a condition': {
    stages:
      '{class: SetStaticValues, staticValues: {a: b}, conditions: [{fields: [id], valuesPath: "{closed}/secret.txt"}]}',
  },
  'a certificate of a database': {
    connector:
      'class: DatabaseConnector, driver: "org.postgresql.Driver", connectionString: "jdbc:postgresql://203.0.113.1/db?sslmode=verify-full&sslrootcert={closed}/secret.txt", sql: "select 1", idField: id, jdbcUser: u, jdbcPassword: p',
  },
  'a certificate of a search engine': {
    indexer: 'type: OpenSearch',
    rest: 'opensearch { url: "https://203.0.113.1:9200", index: i, tls { caFile: "{closed}/secret.txt" } }',
  },
  'a path in a document, FetchFileContent': {
    stages: `${document('file_path', '{closed}/secret.txt')}, {class: FetchFileContent}`,
  },
  'a path in a document, ApplyFileHandlers': {
    stages: `${document('file_path', '{closed}/secret.csv')}, {class: ApplyFileHandlers, fileHandlers { csv {} }}`,
  },
  'a path in a document, ApplyJSoup': {
    stages: `${document('p', '{closed}/secret.html')}, {class: ApplyJSoup, filePathField: p, destinationFields {x {type: text, selector: body}}}`,
  },
};

function filled<T extends object>(parts: T, closed: string): T {
  const fill = (text: string) => text.replaceAll('{closed}', closed).replaceAll('{open}', open);
  return Object.fromEntries(Object.entries(parts).map(([key, text]) => [key, fill(text as string)])) as T;
}

describe.each(Object.keys(FILES))('%s', (name) => {
  const parts = FILES[name] as Parameters<typeof configOf>[0];
  const policy = { read: [open], write: [open], privateAddresses: true, scripts: 'all' as const };

  it('is blocked from a file outside through a link, which the config check cannot detect', async () => {
    const { result, messages } = await run(filled(parts, join(open, 'way-out')), policy);
    expect(messages).toMatch(/An uploaded config may not (read|write)/);
    expect(messages).not.toContain(SECRET);
    expect(result.status === 'FAILED' || result.counts.failed > 0 || result.counts.succeeded === 0).toBe(true);
    expect(readdirSync(join(directory, 'closed')).filter((file) => !file.startsWith('secret.'))).toEqual([]);
  });

  it.skipIf(name.includes('a document') || name.includes('certificate of a database'))(
    'is reported by the config check, with the position',
    async () => {
      for (const closed of [join(directory, 'closed'), `${open}/../closed`]) {
        const problems = await check(filled(parts, closed), policy);
        expect(problems, closed).toContainEqual(refusal(/may not (read|write|connect to) .*closed/));
      }
    },
  );
});

describe('implicit files of a config', () => {
  const moves = 'moveToAfterProcessing: "{open}/done"';
  const cases: [string, string, RegExp][] = [
    [
      'a processed CSV file that is moved',
      `class: CSVConnector, path: "{closed}/in.csv", ${moves}`,
      /^connectors\[0\]\.moveToAfterProcessing: .* may not move files out of .*closed\/in\.csv: .* to write$/,
    ],
    [
      'processed files that are moved',
      `class: FileConnector, paths: ["file://{closed}"], fileOptions { ${moves}, moveToErrorFolder: "{open}/bad" }`,
      /^connectors\[0\]\.fileOptions\.moveToErrorFolder: .* may not move files out of .*closed: .* to write$/,
    ],
    [
      'a state file at its default path',
      'class: FileConnector, paths: ["{open}"], state {}',
      /^connectors\[0\]\.state: .* may not keep a state in \.\/state\/\w+: .* to write$/,
    ],
  ];

  it.each(cases)('%s is reported by the config check', async (_, connector, expected) => {
    const policy = { read: [open, join(directory, 'closed')], write: [open] };
    const problems = await check(filled({ connector }, join(directory, 'closed')), policy);
    expect(problems).toContainEqual(refusal(/may not/));
    expect(problems.map(({ path, message }) => `${path}: ${message}`)).toContainEqual(expect.stringMatching(expected));
    // The policy allows the same config if it may write everything.
    expect(await check(filled({ connector }, open), { read: [open], write: ['/'] })).toEqual([]);
  });

  it('files in a cloud are not limited by the file rules', async () => {
    const connector =
      'class: FileConnector, paths: ["s3://bucket/in"], s3 {}, fileOptions { moveToAfterProcessing: "s3://bucket/done" }';
    expect(await check({ connector }, { read: [], write: [] })).toEqual([]);
  });
});

describe('files that the policy allows', () => {
  it('are read and written', async () => {
    const { result } = await run(
      {
        connector: `class: CSVConnector, path: "${open}/in.csv", idField: id`,
        stages: '{class: DeleteFields, fields: [source, filename, csvLineNumber]}',
        indexer: 'type: JSONLines',
        rest: `jsonl { path: "${open}/new/out.jsonl" }`,
      },
      { read: [open], write: [open] },
    );
    expect(result).toMatchObject({ status: 'SUCCEEDED', counts: { succeeded: 1 } });
    expect(readFileSync(join(open, 'new/out.jsonl'), 'utf8')).toContain('"name":"a"');
  });

  it('are listed without links to the outside', async () => {
    const { result, messages } = await run(
      {
        connector: `class: FileConnector, paths: ["${open}"]`,
        indexer: 'type: JSONLines',
        rest: 'jsonl { path: "-" }',
      },
      { read: [open], write: [] },
    );
    expect(messages).not.toContain(SECRET);
    expect(result.problems.map(({ code }) => code)).toContain('HR_POLICY_REFUSED');
  });

  it('are not written through a link to a path outside that does not exist yet', async () => {
    const { messages } = await run(
      { indexer: 'type: JSONLines', rest: `jsonl { path: "${open}/dangling" }` },
      { read: [open], write: [open] },
    );
    expect(messages).toContain('HR_INDEXER_CONNECT');
    expect(readdirSync(join(directory, 'closed'))).not.toContain('new');
  });
});

describe('SQLite', () => {
  it.each(["ATTACH '{closed}/new.db' AS x", "VACUUM INTO '{closed}/new.db'"])(
    'cannot open other files: %s',
    async (sql) => {
      const statement = sql.replace('{closed}', join(directory, 'closed'));
      const { messages } = await run(
        {
          connector: `class: DatabaseConnector, driver: "org.sqlite.JDBC", connectionString: "jdbc:sqlite::memory:", preSQL: ${JSON.stringify(statement)}, sql: "select 1 as id", idField: id, jdbcUser: "", jdbcPassword: ""`,
        },
        { read: [open], write: [open], scripts: 'all' },
      );
      expect(messages).toMatch(/not authorized|authorization denied/);
      expect(readdirSync(join(directory, 'closed'))).not.toContain('new.db');
    },
  );

  it.each(['sandbox', 'none'] as const)(
    'is rejected if scripts are %s, because nothing can interrupt a query',
    async (scripts) => {
      const connector =
        'class: DatabaseConnector, driver: "org.sqlite.JDBC", connectionString: "jdbc:sqlite::memory:", sql: "select 1 as id", idField: id, jdbcUser: "", jdbcPassword: ""';
      const { messages } = await run({ connector }, { scripts });
      expect(messages).toContain('a query runs inside the service and cannot be interrupted');
      const where = { path: 'connectors[0].connectionString', line: 1, column: expect.any(Number), component: 'c' };
      expect(await check({ connector }, { scripts })).toEqual([
        expect.objectContaining({
          code: 'HR_POLICY_REFUSED',
          ...where,
          message: expect.stringContaining('query SQLite'),
        }),
      ]);
      const query =
        '{class: QueryDatabase, driver: "org.sqlite.JDBC", connectionString: "jdbc:h2:mem:x", jdbcUser: "", jdbcPassword: "", sql: "select 1", keyFields: [], inputTypes: [], fieldMapping {}}';
      expect(await check({ stages: query }, { scripts })).toContainEqual(refusal(/may not query SQLite/));
      // A component that stores its state in SQLite sends no statements of the config.
      const files = `class: FileConnector, paths: ["${open}"], state { connectionString: "jdbc:sqlite:${open}/s.db" }`;
      expect(await check({ connector: files }, { scripts, read: [open], write: [open] })).toEqual([]);
    },
  );
});

/** Configs that connect to `{host}`, which is this machine. */
const HOSTS: Record<string, Parameters<typeof configOf>[0]> = {
  RSSConnector: { connector: 'class: RSSConnector, rssURL: "http://{host}:{port}/feed"' },
  FileConnector: {
    connector:
      'class: FileConnector, paths: ["s3://b/"], s3 { endpoint: "http://{host}:{port}", region: x, accessKeyId: a, secretAccessKey: b }',
  },
  'FileConnector with Google': {
    connector:
      'class: FileConnector, paths: ["gs://b/"], gcp { pathToServiceKey: "", endpoint: "http://{host}:{port}" }',
  },
  SolrConnector: { connector: 'class: SolrConnector, solr { url: ["http://{host}:{port}/solr/c"] }' },
  KafkaConnector: {
    connector:
      'class: KafkaConnector, kafka { bootstrapServers: "{host}:{db}", topic: t, consumerGroupId: g, clientId: c, maxPollIntervalSecs: 10 }',
  },
  PostgreSQL: {
    connector:
      'class: DatabaseConnector, driver: "org.postgresql.Driver", connectionString: "jdbc:postgresql://{host}:{db}/d", sql: "select 1", idField: id, jdbcUser: u, jdbcPassword: p',
  },
  MariaDB: {
    connector:
      'class: DatabaseConnector, driver: "org.mariadb.jdbc.Driver", connectionString: "jdbc:mariadb://{host}:{db}/d", sql: "select 1", idField: id, jdbcUser: u, jdbcPassword: p',
  },
  'SQL Server': {
    connector:
      'class: DatabaseConnector, driver: "com.microsoft.sqlserver.jdbc.SQLServerDriver", connectionString: "jdbc:sqlserver://{host}:{db};databaseName=d", sql: "select 1", idField: id, jdbcUser: u, jdbcPassword: p',
  },
  OpenSearch: { indexer: 'type: OpenSearch', rest: 'opensearch { url: "http://{host}:{port}", index: i }' },
  Elasticsearch: { indexer: 'type: Elasticsearch', rest: 'elasticsearch { url: "http://{host}:{port}", index: i }' },
  Solr: { indexer: 'type: Solr', rest: 'solr { url: "http://{host}:{port}/solr/c" }' },
  FetchUri: { stages: `${document('u', 'http://{host}:{port}/')}, {class: FetchUri, source: u, dest: x}` },
  PromptOllama: {
    stages: '{class: PromptOllama, hostURL: "http://{host}:{port}", modelName: m, updateMode: overwrite}',
  },
  OpenAIEmbed: {
    stages: `${document('text', 'x')}, {class: OpenAIEmbed, source: text, embedDocument: true, embedChildren: false, apiKey: k, baseUrl: "http://{host}:{port}/v1"}`,
  },
};

describe.each(Object.keys(HOSTS))('%s', (name) => {
  const at = (host: string) =>
    Object.fromEntries(
      Object.entries(HOSTS[name] as object).map(([key, text]) => [
        key,
        text.replaceAll('{host}', host).replaceAll('{port}', String(port)).replaceAll('{db}', String(databasePort)),
      ]),
    );

  it('cannot connect to this machine by any of its names', async () => {
    const { messages } = await run(at('localhost'));
    expect(messages).not.toContain(SECRET);
    expect(connections).toBe(0);
    // FetchUri writes its errors into the document. The SQL Server driver does not report the reason.
    if (!/FetchUri|SQL Server/.test(name)) expect(messages).toMatch(/may not connect to/);
  });

  it.skipIf(name === 'FetchUri')('is reported by the config check, with the position', async () => {
    for (const host of ['127.0.0.1', '[::1]', '0x7f.1', '169.254.169.254']) {
      expect(await check(at(host)), host).toContainEqual(refusal(/may not connect to .*(private|cloud)/));
    }
  });
});

it('a rejected connection is reported with its host only', async () => {
  const { connector = '' } = HOSTS['SQL Server'] ?? {};
  const problems = await check({ connector: connector.replace('{host}:{db}', 'u:pw@127.0.0.1:1433') });
  expect(problems.map(({ message }) => message)).toEqual([
    'An uploaded config may not connect to 127.0.0.1: 127.0.0.1 is a private address',
  ]);
});

it('an output file that is a link is reported as an output file', async () => {
  const stages = `{class: Print, outputFile: "${open}/way-out/x.txt", shouldLog: false}`;
  const { messages } = await run({ stages }, { read: [], write: [open] });
  expect(messages).toMatch(/may not write .*way-out/);
  expect(messages).not.toContain('may not read');
});

describe('components', () => {
  it.each<[string, Partial<Policy>, string]>([
    ['{class: EmbeddedPython, script: "1"}', { scripts: 'none' }, 'no scripts'],
    ['{class: ExternalPython, scriptPath: "x.py"}', { scripts: 'none' }, 'no scripts'],
    ['{class: ApplyJavascript, script: "1"}', { scripts: 'none' }, 'no scripts'],
    ['{class: "com.kmwllc.lucille.stage.ApplyJavascript", script: "1"}', { scripts: 'none' }, 'no scripts'],
    ['{class: Print}', { components: { allow: ['built-in', 'CountConnector'], deny: ['Print'] } }, 'components.deny'],
    ['{class: Print}', { components: { allow: ['CountConnector', 'NopIndexer'], deny: [] } }, 'components.allow'],
    ['', { components: STRICT_POLICY.components }, 'components.allow of the policy does not contain CountConnector'],
    ['', { components: { allow: ['*'], deny: ['NopIndexer'] } }, 'components.deny'],
  ])('%s is rejected under %j', async (stages, policy, why) => {
    const { result } = await run({ stages }, policy);
    expect(result.status).toBe('FAILED');
    expect(result.problems).toContainEqual(refusal(new RegExp(why)));
  });
});

describe.each(['{class: EmbeddedPython, script: "1"}', '{class: ExternalPython, scriptPath: "x.py"}'])(
  'Python of an upload: %s',
  (stages) => {
    it('is rejected if the system offers no boundary, with the reason and the remedy', async () => {
      const boundary = { kind: 'none', reason: 'bubblewrap (bwrap) is not installed; unshare failed: no' } as const;
      const refused = expect.objectContaining({
        code: 'HR_POLICY_NO_BOUNDARY',
        message: expect.stringContaining('bubblewrap (bwrap) is not installed; unshare failed: no'),
        line: expect.any(Number),
        hint: expect.stringMatching(/install bubblewrap.*user namespaces.*`policy\.scripts: all`/),
      });
      expect(await check({ stages }, { boundary })).toContainEqual(refused);
      const { result } = await run({ stages }, { boundary });
      expect(result.status).toBe('FAILED');
      expect(result.problems).toContainEqual(refused);
    });

    it('is rejected if no search for a boundary was made', async () => {
      expect(await check({ stages })).toContainEqual(expect.objectContaining({ code: 'HR_POLICY_NO_BOUNDARY' }));
    });

    it('is accepted if there is a boundary', async () => {
      const boundary = { kind: 'bubblewrap', path: '/usr/bin/bwrap' } as const;
      const codes = (await check({ stages }, { boundary })).map(({ code }) => code);
      expect(codes).not.toContain('HR_POLICY_NO_BOUNDARY');
      expect(codes).not.toContain('HR_POLICY_REFUSED');
    });
  },
);

it('a trusted config has no restrictions', async () => {
  const path = join(directory, 'closed/secret.data.csv');
  writeFileSync(path, 'id\n1\n');
  const config = configOf({ connector: `class: CSVConnector, path: "${path}", idField: id` });
  const result = await harness.run(config, { trusted: true });
  expect(result.problems).toEqual([]);
  expect(result.counts.succeeded).toBe(1);
});

it('rejected hosts of documents are logged once per host, not once per document', async () => {
  const before = harness.logged.length;
  const url = '{class: Concatenate, dest: url, formatString: "http://127.0.0.{id}:9/"}';
  const { result } = await run({
    connector: 'class: SequenceConnector, numDocs: 6, startWith: 1',
    stages: `{class: ReplacePatterns, source: [id], dest: [n], regex: ["[3-6]"], replacement: "2"}, ${url.replace('{id}', '{n}')}, {class: FetchUri, source: url, dest: page}`,
    rest: 'worker { threads: 2 }',
  });
  expect(result.counts).toMatchObject({ succeeded: 6 });
  const messages = harness.logged.slice(before).filter(({ logger }) => logger === 'policy');
  expect(messages.map(({ level, message }) => `${level} ${message}`).sort()).toEqual([
    expect.stringMatching(/^warn An uploaded config may not connect to 127\.0\.0\.1: /),
    expect.stringMatching(/^warn An uploaded config may not connect to 127\.0\.0\.2: /),
  ]);
});

it('a preview enforces the policy', async () => {
  const parts = filled({ connector: 'class: CSVConnector, path: "{closed}/secret.csv"' }, `${open}/way-out`);
  const registry = {
    ...registrySource,
    policy: { ...STRICT_POLICY, components: DEFAULT_POLICY.components, read: [open] },
  };
  expect(JSON.stringify(await harness.preview(configOf(parts), { registry }))).toContain('HR_POLICY_REFUSED');
});

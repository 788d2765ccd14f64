import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { catalogUrl } from '@headrace/components';
import { readConfigFile } from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';
import { describeWithServer, type RealServer } from '@headrace/testing/real-server';
import { expect, it } from 'vitest';
import { Database } from '../../database/database.ts';
import { BulkEngine } from './bulk-engine.ts';
import { outcome } from './engine-runs.ts';
import { SolrEngine } from './solr-engine.ts';
import { TopicEngine } from './topic-engine.ts';

const examples = fileURLToPath(new URL('../../../../../examples/', import.meta.url));
const AIRPORTS = 3376;
/** On a busy machine, a search engine answers the first requests after its start slowly. */
const PATIENCE_MS = 180_000;

/** Runs an example of an indexer with these environment variables. */
async function runExample(name: string, env: Record<string, string>): Promise<void> {
  const { root, problems } = readConfigFile(`${examples}indexers/${name}.conf`, {
    env: { HEADRACE_DATA: `${examples}data`, ...env },
  });
  if (root === undefined) throw new Error(JSON.stringify(problems));
  const threads = new RunLauncher({ heapMb: 256, keepWarm: false });
  try {
    const registry = { catalogs: [catalogUrl], modules: [], base: import.meta.url, allowModules: false };
    const result = await threads.start({ runId: 'example', root, registry }).done;
    expect(outcome(result)).toEqual({ status: 'SUCCEEDED', succeeded: AIRPORTS, failed: {} });
  } finally {
    await threads.close();
  }
}

const THIGPEN = {
  ...{ id: '00M', name: 'Thigpen', city: 'Bay Springs', state: 'MS', country: 'USA' },
  ...{ latitude: '31.95376472', longitude: '-89.23450472' },
};

for (const type of ['OpenSearch', 'Elasticsearch'] as const) {
  const name = type === 'OpenSearch' ? 'opensearch' : 'elasticsearch';
  await describeWithServer(name, (server: RealServer) => {
    it(
      `the example ${name}.conf fills an index`,
      async () => {
        await runExample(name, { [`${name.toUpperCase()}_URL`]: server.url });
        const engine = new BulkEngine(type, () => server.url);
        const contents = await engine.contents('airports');
        expect(Object.keys(contents)).toHaveLength(AIRPORTS);
        expect(contents['00M']).toEqual(THIGPEN);
      },
      PATIENCE_MS,
    );
  });
}

await describeWithServer('solr', (server) => {
  it(
    'the example solr.conf fills a core',
    async () => {
      const engine = new SolrEngine(false, () => server.url);
      const core = await engine.create();
      await runExample('solr', { SOLR_URL: server.url });
      expect(Object.keys(await engine.contents(core))).toHaveLength(AIRPORTS);
    },
    PATIENCE_MS,
  );
});

await describeWithServer('kafka', (server) => {
  it(
    'the example kafka.conf fills a topic',
    async () => {
      const engine = new TopicEngine(server);
      await engine.create(3, {}, 'airports');
      await runExample('kafka', { KAFKA_BROKERS: server.url });
      const contents = await engine.contents('airports');
      expect(Object.keys(contents)).toHaveLength(AIRPORTS);
      expect(contents['00M']).toEqual(THIGPEN);
    },
    PATIENCE_MS,
  );
});

await describeWithServer('postgres', (server) => {
  it(
    'the example postgres.conf fills a table that was created with its SQL',
    async () => {
      const quiet = { debug() {}, info() {}, warn() {}, error() {} };
      const settings = { connectionString: `jdbc:${server.url}`, jdbcUser: '', jdbcPassword: '' };
      const database = await Database.open(settings, quiet);
      const session = await database.connect();
      try {
        const text = readFileSync(`${examples}indexers/postgres.conf`, 'utf8');
        const [statement = ''] = /CREATE TABLE[\s\S]*?\n# {3}\)/.exec(text) ?? [];
        await session.execute(`drop table if exists airports; ${statement.replaceAll('\n#', '\n')}`);
        await runExample('postgres', { POSTGRES_JDBC_URL: `jdbc:${server.url}` });
        const query = database.driver.prepare('select count(*)::int, min(id) from airports where latitude is not null');
        expect((await session.query(query, [])).rows).toEqual([[AIRPORTS, '00M']]);
      } finally {
        await session.close();
      }
    },
    PATIENCE_MS,
  );
});

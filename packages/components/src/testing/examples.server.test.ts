import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { catalogUrl } from '@headrace/components';
import { readConfigFile } from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';
import { describeWithServer, type RealServer } from '@headrace/testing/real-server';
import { afterAll, expect, it } from 'vitest';
import { Database } from '../database/database.ts';
import { BulkEngine } from './indexers/bulk-engine.ts';
import { outcome } from './indexers/engine-runs.ts';
import { SolrEngine } from './indexers/solr-engine.ts';
import { TopicEngine } from './indexers/topic-engine.ts';

const examples = fileURLToPath(new URL('../../../../examples/', import.meta.url));
const AIRPORTS = 3376;
/** On a busy machine, a search engine answers the first requests after its start slowly. */
const PATIENCE_MS = 180_000;

const out = mkdtempSync(join(tmpdir(), 'headrace-examples-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));

/** Runs an example until it ends, with these environment variables. */
async function runExample(name: string, env: Record<string, string>, succeeded = AIRPORTS): Promise<void> {
  const { root, problems } = readConfigFile(`${examples}${name}.conf`, {
    env: { HEADRACE_DATA: `${examples}data`, HEADRACE_OUT: out, ...env },
  });
  if (root === undefined) throw new Error(JSON.stringify(problems));
  const threads = new RunLauncher({ heapMb: 256, keepWarm: false });
  try {
    const registry = { catalogs: [catalogUrl], modules: [], base: import.meta.url, allowModules: false };
    const result = await threads.start({ runId: 'example', root, registry }).done;
    expect(outcome(result)).toEqual({ status: 'SUCCEEDED', succeeded, failed: {} });
  } finally {
    await threads.close();
  }
}

function written(name: string): Record<string, unknown>[] {
  const text = readFileSync(join(out, `${name}.jsonl`), 'utf8').trim();
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line));
}

const THIGPEN = {
  ...{ id: '00M', name: 'Thigpen', city: 'Bay Springs', state: 'MS', country: 'USA' },
  ...{ latitude: '31.95376472', longitude: '-89.23450472' },
};

for (const type of ['OpenSearch', 'Elasticsearch'] as const) {
  const name = type === 'OpenSearch' ? 'opensearch' : 'elasticsearch';
  await describeWithServer(name, (server: RealServer) => {
    it(
      `the example indexers/${name}.conf fills an index`,
      async () => {
        await runExample(`indexers/${name}`, { [`${name.toUpperCase()}_URL`]: server.url });
        const engine = new BulkEngine(type, () => server.url);
        const contents = await engine.contents('airports');
        expect(Object.keys(contents)).toHaveLength(AIRPORTS);
        expect(contents['00M']).toEqual(THIGPEN);
      },
      PATIENCE_MS,
    );
  });
}

await describeWithServer('opensearch', (server) => {
  it(
    'the example indexers/rebuild.conf replaces the index of an alias',
    async () => {
      const engine = new BulkEngine('OpenSearch', () => server.url);
      for (let run = 0; run < 2; run++) {
        await runExample('indexers/rebuild', { OPENSEARCH_URL: server.url });
        const contents = await engine.contents('airports-live');
        expect(Object.keys(contents)).toHaveLength(AIRPORTS);
        expect(contents['00M']).toEqual(THIGPEN);
      }
      const indices = (await engine.ask('GET', '/airports-live-*')) as object;
      expect(Object.keys(indices)).toHaveLength(2);
    },
    PATIENCE_MS,
  );
});

await describeWithServer('opensearch', (server) => {
  it(
    'the example indexers/incremental.conf sends nothing in its second run',
    async () => {
      const engine = new BulkEngine('OpenSearch', () => server.url);
      for (let run = 0; run < 2; run++) await runExample('indexers/incremental', { OPENSEARCH_URL: server.url });
      expect(Object.keys(await engine.contents('airports-incremental'))).toHaveLength(AIRPORTS);
      const stats = await engine.ask('GET', '/airports-incremental/_stats/indexing');
      expect(stats).toMatchObject({ _all: { primaries: { indexing: { index_total: AIRPORTS } } } });
    },
    PATIENCE_MS,
  );
});

await describeWithServer('opensearch', (server) => {
  it(
    'the example indexers/data-stream.conf adds each event once',
    async () => {
      const engine = new BulkEngine('OpenSearch', () => server.url);
      for (let run = 0; run < 2; run++) await runExample('indexers/data-stream', { OPENSEARCH_URL: server.url }, 4);
      const events = await engine.contents('headrace-events');
      expect(Object.keys(events).sort()).toEqual(['e1', 'e2', 'e3', 'e4']);
      expect(events.e1).toMatchObject({ '@timestamp': '2026-05-06T07:08:09Z', level: 'info' });
    },
    PATIENCE_MS,
  );
});

await describeWithServer('solr', (server) => {
  it(
    'the example indexers/solr.conf fills a core, which connectors/solr.conf reads',
    async () => {
      const core = 'quickstart';
      const engine = new SolrEngine(false, { url: server.url, database: core });
      await engine.create();
      await runExample('indexers/solr', { SOLR_URL: server.url });
      expect(Object.keys(await engine.contents(core))).toHaveLength(AIRPORTS);
      await runExample('connectors/solr', { SOLR_URL: server.url });
      const airports = written('solr');
      expect(airports).toHaveLength(AIRPORTS);
      expect(airports[0]).toMatchObject({ id: '00M' });
    },
    PATIENCE_MS,
  );
});

await describeWithServer(
  'solr',
  (server) => {
    it(
      'the example indexers/rebuild-solr.conf replaces the collection of an alias',
      async () => {
        const collections = () => fetch(`${server.url}/admin/collections?action=LIST&wt=json`);
        for (let run = 0; run < 2; run++) {
          await runExample('indexers/rebuild-solr', { SOLR_URL: server.url });
          const found = await fetch(`${server.url}/airports-live/select?q=name:thigpen&fl=*&wt=json`);
          const { response } = (await found.json()) as { response: { docs: object[] } };
          expect(response.docs).toEqual([expect.objectContaining({ id: '00M', city: 'Bay Springs', state: 'MS' })]);
        }
        const names = ((await (await collections()).json()) as { collections: string[] }).collections;
        expect(names.filter((name) => name.startsWith('airports-live-'))).toHaveLength(2);
      },
      PATIENCE_MS,
    );
  },
  { SOLR_MODE: 'cloud' },
);

await describeWithServer('kafka', (server) => {
  it(
    'the example indexers/kafka.conf fills a topic, which connectors/kafka.conf reads once',
    async () => {
      const engine = new TopicEngine(server);
      await engine.create(3, {}, 'airports');
      await runExample('indexers/kafka', { KAFKA_BROKERS: server.url });
      const contents = await engine.contents('airports');
      expect(Object.keys(contents)).toHaveLength(AIRPORTS);
      expect(contents['00M']).toEqual(THIGPEN);
      await runExample('connectors/kafka', { KAFKA_BROKERS: server.url });
      const airports = written('kafka');
      expect(airports).toHaveLength(AIRPORTS);
      expect(airports.find(({ id }) => id === '00M')).toMatchObject({ title: 'Thigpen (Bay Springs)' });
      await runExample('connectors/kafka', { KAFKA_BROKERS: server.url }, 0);
      expect(written('kafka')).toEqual(airports);
    },
    PATIENCE_MS,
  );
});

await describeWithServer('postgres', (server) => {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const settings = () => ({ connectionString: `jdbc:${server.url}`, jdbcUser: '', jdbcPassword: '' });

  it(
    'the example indexers/rebuild-postgres.conf replaces a table',
    async () => {
      const database = await Database.open(settings(), quiet);
      const session = await database.connect();
      const rows = async (sql: string) => (await session.query(database.driver.prepare(sql), [])).rows;
      try {
        for (let run = 0; run < 2; run++) {
          await runExample('indexers/rebuild-postgres', { POSTGRES_JDBC_URL: `jdbc:${server.url}` });
          expect(await rows('select count(*)::int, min(id) from airports_live')).toEqual([[AIRPORTS, '00M']]);
        }
        const old = "select count(*)::int from pg_class where relname like 'airports!_live!_!_%!_old' escape '!'";
        expect(await rows(old)).toEqual([[1]]);
      } finally {
        await session.close();
      }
    },
    PATIENCE_MS,
  );

  it(
    'the example indexers/postgres.conf fills a table that was created with its SQL',
    async () => {
      const database = await Database.open(settings(), quiet);
      const session = await database.connect();
      try {
        const text = readFileSync(`${examples}indexers/postgres.conf`, 'utf8');
        const [statement = ''] = /CREATE TABLE[\s\S]*?\n# {3}\)/.exec(text) ?? [];
        await session.execute(`drop table if exists airports; ${statement.replaceAll('\n#', '\n')}`);
        await runExample('indexers/postgres', { POSTGRES_JDBC_URL: `jdbc:${server.url}` });
        const query = database.driver.prepare('select count(*)::int, min(id) from airports where latitude is not null');
        expect((await session.query(query, [])).rows).toEqual([[AIRPORTS, '00M']]);
      } finally {
        await session.close();
      }
    },
    PATIENCE_MS,
  );
});

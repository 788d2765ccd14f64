import { type Problem, reachConfig, readConfigText } from '@headrace/engine';
import { beforeAll, expect, it } from 'vitest';
import { describeWithServer } from './real-server.ts';

const catalogUrl = new URL('../../bundle/catalog.json', import.meta.url).href;

/* What `validate --connect` says of servers that are there, and of what is missing in them. */

async function reach(text: string): Promise<Problem[]> {
  const { root, problems } = readConfigText(text);
  if (root === undefined || problems.length > 0) throw new Error(JSON.stringify(problems));
  const base = new URL('./', import.meta.url).href;
  const registry = { catalogs: [catalogUrl], modules: [], base, allowModules: false };
  return reachConfig({ root, registry, trusted: true }, new AbortController().signal);
}

const config = (connector: string, indexer: string) => `connectors: [{ name: in, pipeline: p, ${connector} }]
pipelines: [{ name: p, stages: [] }]
${indexer}`;

await describeWithServer('postgres', (server) => {
  const both = (table: string) =>
    config(
      `class: DatabaseConnector, driver: org.postgresql.Driver, connectionString: "jdbc:${server.url}", jdbcUser: "", jdbcPassword: "", sql: "select id from ${table}", idField: id`,
      `indexer { type: Postgres }, postgres { connectionString: "jdbc:${server.url}", table: "${table}" }`,
    );
  const run = async (sql: string) => {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      return (await client.query(sql)).rows as { n: number }[];
    } finally {
      await client.end();
    }
  };

  beforeAll(() => run('create table reached (id text primary key, v int)'));

  it('says nothing of a table that is there, and changes nothing', async () => {
    expect(await reach(both('reached'))).toEqual([]);
    expect(await run('select count(*)::int as n from reached')).toEqual([{ n: 0 }]);
  });

  it('tells of a table that is not, where it is read and where it is written', async () => {
    expect(await reach(both('no_such_table'))).toMatchObject([
      {
        code: 'HR_CONFIG_UNREACHABLE',
        path: 'connectors[0].sql',
        component: 'in',
        message: expect.stringContaining('no_such_table'),
      },
      {
        code: 'HR_CONFIG_UNREACHABLE',
        path: 'postgres',
        component: 'postgres',
        message: expect.stringContaining('no_such_table'),
      },
    ]);
  });

  it('explains a query, and does not run it', async () => {
    const writing = both('reached').replace(
      'select id from reached',
      "with w as (insert into reached values ('x', 1) returning id) select id from w",
    );
    expect(await reach(writing)).toEqual([]);
    expect(
      await reach(both('reached').replace('select id from reached', "select 1; insert into reached values ('y', 1)")),
    ).toEqual([]);
    expect(await run('select count(*)::int as n from reached')).toEqual([{ n: 0 }]);
  });
});

await describeWithServer('kafka', (server) => {
  const brokers = () => server.url.replace(/^\w+:\/\//, '');
  const reading = (topic: string) =>
    config(
      `class: KafkaConnector, kafka { bootstrapServers: "${brokers()}", topic: ${topic}, consumerGroupId: g, clientId: c, maxPollIntervalSecs: "60" }`,
      'indexer { type: Nop }',
    );

  it('tells of a topic that is not there, and does not make it', async () => {
    const { Admin } = await import('@platformatic/kafka');
    const admin = new Admin({ clientId: 'test', bootstrapBrokers: [brokers()] });
    try {
      await admin.createTopics({ topics: ['reached'], partitions: 1, replicas: 1 });
      expect(await reach(reading('reached'))).toEqual([]);
      expect(await reach(reading('not-reached'))).toMatchObject([
        { code: 'HR_CONFIG_UNREACHABLE', component: 'in', message: expect.stringMatching(/topic|partition/i) },
      ]);
      expect(await admin.listTopics()).not.toContain('not-reached');
    } finally {
      await admin.close();
    }
  });
});

await describeWithServer('s3', (server) => {
  it('tells of a bucket that is not there', async () => {
    const paths = (bucket: string) =>
      config(
        `class: FileConnector, paths: ["s3://${bucket}/in/"], s3 { endpoint: "${server.url}", region: us-east-1, accessKeyId: a, secretAccessKey: b }`,
        'indexer { type: Nop }',
      );
    expect(await reach(paths('no-such-bucket'))).toMatchObject([
      {
        code: 'HR_CONFIG_UNREACHABLE',
        path: 'connectors[0].paths[0]',
        message: expect.stringContaining('s3://no-such-bucket/in/'),
      },
    ]);
  });
});

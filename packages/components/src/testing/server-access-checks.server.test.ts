import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { catalogUrl } from '@headrace/components';
import { checkConfigAccess, type Problem, readConfigText } from '@headrace/engine';
import { describeWithServer } from '@headrace/testing/real-server';
import { beforeAll, expect, it } from 'vitest';

/** Tests what `validate --connect` reports for running servers with missing tables, topics or buckets. */

async function checkAccess(text: string): Promise<Problem[]> {
  const { root, problems } = readConfigText(text);
  if (root === undefined || problems.length > 0) throw new Error(JSON.stringify(problems));
  const base = new URL('./', import.meta.url).href;
  const registry = { catalogs: [catalogUrl], modules: [], base, allowModules: false };
  return checkConfigAccess({ root, registry, trusted: true }, new AbortController().signal);
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

  it('reports nothing for an existing table, and changes nothing', async () => {
    expect(await checkAccess(both('reached'))).toEqual([]);
    expect(await run('select count(*)::int as n from reached')).toEqual([{ n: 0 }]);
  });

  it('reports a missing table, for reading and for writing', async () => {
    expect(await checkAccess(both('no_such_table'))).toMatchObject([
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

  it('prepares a query without running it', async () => {
    const of = (sql: string) => checkAccess(both('reached').replace('select id from reached', sql));
    expect(await of("with w as (insert into reached values ('x', 1) returning id) select id from w")).toEqual([]);
    expect(await of("insert into reached values ('x', 1) returning id")).toEqual([]);
    const mistakes = [
      ["select 1; insert into reached values ('y', 1)", /multiple commands/],
      ["insert into reached values ('y', 1)", /sql is not a query/],
      ['insert into no_such_table values (1) returning id', /no_such_table/],
      ['selct id from reached', /syntax error/],
      ['select no_such_column from reached', /no_such_column/],
    ] as const;
    for (const [sql, message] of mistakes) {
      expect(await of(sql)).toMatchObject([{ path: 'connectors[0].sql', message: expect.stringMatching(message) }]);
    }
    expect(await run('select count(*)::int as n from reached')).toEqual([{ n: 0 }]);
  });

  it('reports missing rights', async () => {
    await run(
      "drop role if exists reached_without_rights; create role reached_without_rights login password 'secret-1'",
    );
    const text = both('reached')
      .replace('jdbcUser: ""', 'jdbcUser: reached_without_rights')
      .replace('jdbcPassword: ""', 'jdbcPassword: secret-1');
    expect((await checkAccess(text))[0]).toMatchObject({
      path: 'connectors[0].sql',
      message: expect.stringContaining('permission denied'),
    });
  });
});

await describeWithServer('mariadb', (server) => {
  it('prepares a query without running it', async () => {
    const { default: mysql } = await import('mysql2/promise');
    const session = await mysql.createConnection({ uri: server.url.replace(/^mariadb:/, 'mysql:') });
    try {
      await session.query('create or replace table reached (id varchar(9), v int)');
      await session.query(
        "create or replace function reached_and_written() returns int begin insert into reached values ('z', 1); return 1; end",
      );
      const of = (sql: string) =>
        checkAccess(
          config(
            `class: DatabaseConnector, driver: org.mariadb.jdbc.Driver, connectionString: "jdbc:${server.url}", jdbcUser: "", jdbcPassword: "", idField: id, sql: ${JSON.stringify(sql)}`,
            'indexer { type: Nop }',
          ),
        );
      const good = [
        "select id from reached where id <> 'Grüße \\'\"'",
        'select * from (select reached_and_written() as id) as x',
        "insert into reached values ('y', 1)",
      ];
      for (const sql of good) expect(await of(sql)).toEqual([]);
      const mistakes = [
        ['select id from no_such_table', /no_such_table/],
        ['select no_such_column from reached', /no_such_column/],
        ['selct id from reached', /syntax/],
        ["select 1; insert into reached values ('y', 1)", /syntax/],
      ] as const;
      for (const [sql, message] of mistakes) {
        expect(await of(sql)).toMatchObject([{ path: 'connectors[0].sql', message: expect.stringMatching(message) }]);
      }
      expect((await session.query('select count(*) as n from reached'))[0]).toEqual([{ n: 0 }]);
    } finally {
      await session.end();
    }
  });
});

it('prepares a query in SQLite without running it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-reach-'));
  try {
    const file = join(folder, 'a.db');
    const database = new DatabaseSync(file);
    database.exec('create table reached (id text)');
    const of = (sql: string) =>
      checkAccess(
        config(
          `class: DatabaseConnector, driver: org.sqlite.JDBC, connectionString: "jdbc:sqlite:${file}", jdbcUser: "", jdbcPassword: "", idField: id, sql: ${JSON.stringify(sql)}`,
          'indexer { type: Nop }',
        ),
      );
    expect(await of("insert into reached values ('x') returning id")).toEqual([]);
    const mistakes = [
      ['select id from no_such_table', /no_such_table/],
      ['selct id from reached', /syntax error/],
      ["insert into reached values ('x')", /not a query/],
      ["insert into no_such_table values ('x') returning id", /no_such_table/],
    ] as const;
    for (const [sql, message] of mistakes) {
      expect(await of(sql)).toMatchObject([{ path: 'connectors[0].sql', message: expect.stringMatching(message) }]);
    }
    expect(database.prepare('select count(*) as n from reached').get()).toEqual({ n: 0 });
    database.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

await describeWithServer('kafka', (server) => {
  const brokers = () => server.url.replace(/^\w+:\/\//, '');
  const reading = (topic: string) =>
    config(
      `class: KafkaConnector, kafka { bootstrapServers: "${brokers()}", topic: ${topic}, consumerGroupId: g, clientId: c, maxPollIntervalSecs: "60" }`,
      'indexer { type: Nop }',
    );

  it('reports a missing topic, and does not create it', async () => {
    const { Admin } = await import('@platformatic/kafka');
    const admin = new Admin({ clientId: 'test', bootstrapBrokers: [brokers()] });
    try {
      await admin.createTopics({ topics: ['reached'], partitions: 1, replicas: 1 });
      expect(await checkAccess(reading('reached'))).toEqual([]);
      expect(await checkAccess(reading('not-reached'))).toMatchObject([
        { code: 'HR_CONFIG_UNREACHABLE', component: 'in', message: expect.stringMatching(/topic|partition/i) },
      ]);
      expect(await admin.listTopics()).not.toContain('not-reached');
    } finally {
      await admin.close();
    }
  });
});

await describeWithServer('s3', (server) => {
  it('reports a missing bucket', async () => {
    const paths = (bucket: string) =>
      config(
        `class: FileConnector, paths: ["s3://${bucket}/in/"], s3 { endpoint: "${server.url}", region: us-east-1, accessKeyId: a, secretAccessKey: b }`,
        'indexer { type: Nop }',
      );
    expect(await checkAccess(paths('no-such-bucket'))).toMatchObject([
      {
        code: 'HR_CONFIG_UNREACHABLE',
        path: 'connectors[0].paths[0]',
        message: expect.stringContaining('s3://no-such-bucket/in/'),
      },
    ]);
  });
});

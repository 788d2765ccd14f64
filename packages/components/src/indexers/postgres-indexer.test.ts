import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { IndexerSettings } from '@headrace/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database, type DatabaseConnection } from '../database/database.ts';
import { prepareSql } from '../database/placeholders.ts';
import {
  byId,
  EngineRuns,
  type EngineUnderTest,
  type Fields,
  numbered,
  outcome,
  QUICK,
} from '../testing/indexers/engine-runs.ts';
import { describeWithServer } from '../testing/real-server.ts';
import { PostgresIndexer } from './postgres-indexer.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const PLAIN = { placeholder: undefined, backslashes: false, postgres: true, brackets: false, hashComments: false };

await describeWithServer('postgres', (server) => {
  let session: DatabaseConnection;
  let tables = 0;

  const open = async () => {
    const settings = { connectionString: `jdbc:${server.url}`, jdbcUser: '', jdbcPassword: '' };
    session = await (await Database.open(settings, QUIET)).connect();
  };

  /** The rows of a query, as JSON has them, without what is NULL. */
  async function rows(sql: string): Promise<Fields[]> {
    const query = prepareSql(`select json_strip_nulls(to_json(q))::text from (${sql}) as q`, PLAIN);
    return (await session.query(query, [])).rows.map(([text]) => JSON.parse(text as string) as Fields);
  }

  async function createTable(columns: string): Promise<string> {
    const name = `hr_index.t${++tables}`;
    await session.execute(`create table ${name} (${columns})`);
    return name;
  }

  const engine: EngineUnderTest = {
    config: (url, table, settings, more) => `indexer { type: "Postgres", ${settings} }
      postgres { connectionString: "jdbc:${url}", table: "${table}", ${more} }`,
    create: () => createTable('id text primary key, n_i int, t_s text, del_s text'),
    contents: async (table) => byId(await rows(`select * from ${table}`)),
  };
  const runs = new EngineRuns(engine);

  beforeAll(async () => {
    await open();
    await session.execute('drop schema if exists hr_index cascade; create schema hr_index');
  });
  afterAll(async () => {
    await session.close();
    await runs.close();
  });

  it('writes documents, all of a batch with one statement, with all kinds of names', async () => {
    const table = await engine.create();
    const documents: Fields[] = [
      { id: 'a/b c?&"é', n_i: 1, t_s: 'tab\t"q" \'s\' \\ 日😀' },
      { id: ' x ' },
      ...numbered(250),
    ];
    const result = await runs.send(server.url, table, documents);
    expect(outcome(result)).toEqual({ status: 'SUCCEEDED', succeeded: 252, failed: {} });
    expect(await engine.contents(table)).toEqual(byId(documents));
  });

  it('lets the types of the columns decide', async () => {
    const table =
      await createTable(`id int primary key, i8 int8, n numeric, f float8, b boolean, u uuid, d date, z timestamptz,
      txt text, j json, jb jsonb, ts text[], ns int[], js jsonb[], by bytea, "A ""q"" 'x' \\b" text, r int4range`);
    const uuid = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
    const document = {
      id: '7',
      i8: 9007199254740,
      n: 1.5,
      f: '2.5',
      b: 'true',
      u: uuid,
      d: '2024-01-02',
      z: '2024-01-02T03:04:05.678Z',
      txt: { a: [1] },
      j: { b: 1, a: null },
      jb: [1, 'x'],
      ts: ['x,y', null, '"', 'a'],
      ns: 5,
      js: [{ k: 1 }, 2],
      by: 'AP8=',
      'A "q" \'x\' \\b': 'odd',
      r: [1, 4],
      nowhere: 1,
    };
    expect(outcome(await runs.send(server.url, table, [document, { id: '8', ts: [], ns: null }]))).toMatchObject({
      succeeded: 2,
    });
    const found = await rows(`select *, extract(epoch from z)::float8 as epoch from ${table} order by id`);
    const { z: _, ...fields } = found[0] as Fields;
    expect(fields).toEqual({
      ...{ id: 7, i8: 9007199254740, n: 1.5, f: 2.5, b: true, u: uuid, d: '2024-01-02', epoch: 1704164645.678 },
      ...{ txt: '{"a":[1]}', j: { b: 1 }, jb: [1, 'x'], ts: ['x,y', null, '"', 'a'], ns: [5], js: [{ k: 1 }, 2] },
      ...{ by: '\\x00ff', 'A "q" \'x\' \\b': 'odd', r: '[1,5)' },
    });
    expect(found[1]).toEqual({ id: 8, ts: [] });
  });

  it('hands embeddings to the type of the column as pgvector takes them', async () => {
    // The extension is not everywhere: this type keeps the text that it gets.
    await session.execute(`
      create type hr_index.vector;
      create function hr_index.vector_in(cstring) returns hr_index.vector language internal immutable strict as 'textin';
      create function hr_index.vector_out(hr_index.vector) returns cstring language internal immutable strict as 'textout';
      create type hr_index.vector (input = hr_index.vector_in, output = hr_index.vector_out, like = text)`);
    const table = await createTable('id text primary key, embedding hr_index.vector');
    await runs.send(server.url, table, [{ id: '1', embedding: [0.25, -1, 1e-7] }]);
    expect(await rows(`select embedding::text from ${table}`)).toEqual([{ embedding: '[0.25,-1,1.0E-7]' }]);
  });

  it('replaces rows, and leaves defaults alone unless told to write them', async () => {
    const columns = `id text primary key, a text, created text default 'now', number serial, twice text generated always as (a || a) stored`;
    const table = await createTable(columns);
    const send = (document: Fields, more = '') => runs.send(server.url, table, [document], '', more);
    await send({ id: '1', a: 'x', created: 'never', number: 9, twice: 'z' });
    expect(await rows(`select * from ${table}`)).toEqual([{ id: '1', a: 'x', created: 'now', number: 1, twice: 'xx' }]);
    await send({ id: '1', created: 'then' }, 'columns: [created]');
    expect(await rows(`select * from ${table}`)).toEqual([
      { id: '1', a: 'x', created: 'then', number: 1, twice: 'xx' },
    ]);
    await send({ id: '1' });
    expect(await rows(`select id, a, created from ${table}`)).toEqual([{ id: '1', created: 'then' }]);
  });

  it('keeps whole documents in a column, under the id column of the table', async () => {
    const table = await createTable('key text primary key, a int, rest jsonb');
    const more = 'idColumn: key, documentColumn: rest';
    await runs.send(
      server.url,
      table,
      [{ id: '1', a: 1, b: { c: [1] }, key: 'not the id' }],
      'blacklist: [run_id]',
      more,
    );
    expect(await rows(`select * from ${table}`)).toEqual([{ key: '1', a: 1, rest: { key: '1', a: 1, b: { c: [1] } } }]);
  });

  it('tells of each document that does not fit, and writes the others', async () => {
    const table = await engine.create();
    const documents = numbered(30);
    const sent = documents.map((document, i) =>
      [3, 4, 17].includes(i) ? { ...document, n_i: 'no number' } : document,
    );
    sent[29] = { id: 'd29', t_s: 'a\u0000b' };
    const result = await runs.send(server.url, table, sent);
    const bad = expect.stringContaining('invalid input syntax for type integer: "no number"');
    expect(outcome(result)).toEqual({
      status: 'SUCCEEDED',
      succeeded: 26,
      failed: { d3: bad, d4: bad, d17: bad, d29: expect.stringContaining('unsupported Unicode escape sequence') },
    });
    expect(Object.keys(await engine.contents(table))).toHaveLength(26);
  });

  it('keeps the order of versions and of deletions', async () => {
    const table = await engine.create();
    const documents: Fields[] = [
      { id: '1', n_i: 1 },
      { id: '1', n_i: 11 },
      { id: '2', n_i: 2 },
      { id: '3', n_i: 3 },
      { id: '2', del_s: 'yes' },
      { id: '3', del_s: 'yes' },
      { id: '3', n_i: 33 },
      { id: 'unknown', del_s: 'yes' },
      { id: '4', del_s: 'no' },
    ];
    const settings = 'deletionMarkerField: del_s, deletionMarkerFieldValue: "yes"';
    expect(outcome(await runs.send(server.url, table, documents, settings))).toMatchObject({
      succeeded: 9,
      failed: {},
    });
    const left = [
      { id: '1', n_i: 11 },
      { id: '3', n_i: 33 },
      { id: '4', del_s: 'no' },
    ];
    expect(await engine.contents(table)).toEqual(byId(left));
  });

  it('deletes by a column and a value', async () => {
    const table = await createTable('id text primary key, n int, ts text[]');
    const settings =
      'deletionMarkerField: del, deletionMarkerFieldValue: "true", deleteByFieldField: f, deleteByFieldValue: v';
    const documents = [
      { id: '1', n: 1 },
      { id: '2', n: 2 },
      { id: '3', ts: ['a', 'b'] },
      { id: 'x', del: true, f: 'n', v: 1 },
      { id: 'y', del: true, f: 'ts', v: 'b' },
      { id: 'z', del: true, f: 'nowhere', v: 'b' },
      { id: '4', n: 1 },
    ];
    const result = await runs.send(server.url, table, documents, settings);
    const failed = { z: expect.stringContaining(`the table ${table} has no column nowhere to delete by`) };
    expect(outcome(result)).toEqual({ status: 'SUCCEEDED', succeeded: 6, failed });
    expect(Object.keys(await engine.contents(table))).toEqual(['2', '4']);
  });

  it('writes only the fields that it is to, under the id that it is to', async () => {
    const table = await engine.create();
    const documents = [
      { id: '1', oid_s: 'A', n_i: 1, t_s: 'x', del_s: 'y' },
      { id: '2', n_i: 2, t_s: 'z' },
    ];
    await runs.send(server.url, table, documents, 'idOverrideField: oid_s, whitelist: [n_i, t_s], blacklist: [t_s]');
    const left = [
      { id: 'A', n_i: 1 },
      { id: '2', n_i: 2 },
    ];
    expect(await engine.contents(table)).toEqual(byId(left));
  });

  it('sends again what was under way on a lost connection, and keeps the order of versions', async () => {
    const proxy = await CuttingProxy.start(server.url);
    const table = await engine.create();
    const documents = Array.from({ length: 400 }, (_, i) => ({ id: `d${i % 23}`, n_i: i }));
    proxy.cutEvery = 20_000;
    const result = await runs.send(proxy.url, table, documents, `batchSize: 7, ${QUICK}`);
    expect(outcome(result)).toEqual({ status: 'SUCCEEDED', succeeded: 400, failed: {} });
    expect(proxy.cuts).toBeGreaterThan(0);
    expect(await engine.contents(table)).toEqual(byId(documents));
    await proxy.close();
  });

  it('gives up after the last retry, and says why', async () => {
    const proxy = await CuttingProxy.start(server.url);
    const table = await engine.create();
    proxy.refuseAfter = 6000;
    const settings = 'batchSize: 5, maxRetries: 2, retryWaitDurationMs: 5';
    const { counts, failures } = await runs.send(proxy.url, table, numbered(400), settings);
    expect(counts.failed).toBeGreaterThan(0);
    expect(failures[0]?.failure.message).toMatch(/connection/i);
    expect(Object.keys(await engine.contents(table)).length).toBeGreaterThanOrEqual(counts.succeeded);
    await proxy.close();
  });

  it.each([
    ['a table', 'hr_index.nowhere', '', 'there is no table hr_index.nowhere'],
    ['a column', '', 'columns: [x]', 'has no column x'],
    ['the id', '', 'idColumn: t_s', 'the column t_s of .* is not unique'],
  ])('does not begin without %s', async (_, given, more, message) => {
    const table = given === '' ? await engine.create() : given;
    const result = await runs.send(server.url, table, numbered(1), '', more);
    expect(result.status).toBe('FAILED');
    expect(result.message).toMatch(new RegExp(`Indexer could not connect[\\s\\S]*${message}`));
  });

  it('goes on when the server is restarted during a run', async () => {
    const table = await engine.create();
    const documents = numbered(3000);
    const settings = 'batchSize: 2, maxRetries: 2000, retryWaitDurationMs: 100, retryMaxWaitDurationMs: 500';
    const sending = runs.send(server.url, table, documents, settings);
    // When some are in: before the first connection there would be nothing to go on with.
    while (Object.keys(await engine.contents(table)).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await session.close();
    await server.stop();
    await server.start();
    expect(outcome(await sending)).toEqual({ status: 'SUCCEEDED', succeeded: 3000, failed: {} });
    await open();
    expect(await engine.contents(table)).toEqual(byId(documents));
  }, 180_000);
});

/** Passes on bytes to a server, and cuts connections. */
class CuttingProxy {
  /** After how many bytes of a connection, both ways, it is cut. */
  cutEvery = Number.POSITIVE_INFINITY;
  /** After how many bytes in all nothing is let through any more. */
  refuseAfter = Number.POSITIVE_INFINITY;
  cuts = 0;
  private passed = 0;
  private readonly target: URL;
  private readonly server = createServer((socket) => this.pass(socket));

  private constructor(url: string) {
    this.target = new URL(url);
  }

  static async start(url: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(url);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get url(): string {
    const url = new URL(this.target);
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    await closed;
  }

  private pass(client: Socket): void {
    const upstream = connect(Number(this.target.port), this.target.hostname);
    let bytes = 0;
    const forward = (from: Socket, to: Socket) => {
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
      from.on('data', (data) => {
        bytes += data.length;
        this.passed += data.length;
        if (bytes < this.cutEvery && this.passed < this.refuseAfter) {
          to.write(data);
          return;
        }
        this.cuts++;
        client.destroy();
        upstream.destroy();
      });
    };
    forward(client, upstream);
    forward(upstream, client);
  }
}

describe('the check of PostgresIndexer', () => {
  const problems = (params: object, settings: object = {}) =>
    [
      ...PostgresIndexer.check(
        { connectionString: 'jdbc:postgresql://h/db', table: 't', ...params },
        settings as IndexerSettings,
      ),
    ].map(({ message, severity = 'error' }) => `${severity}: ${message}`);

  it('finds what would fail later', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ connectionString: 'jdbc:mysql://h/db' })).toEqual([
      'error: connectionString must be the URL of a PostgreSQL',
    ]);
    expect(problems({ connectionString: 'postgres://h/db' })).toEqual(['error: the connection string is no JDBC URL']);
    expect(problems({ table: ' ', idColumn: '' })).toEqual([
      'error: table must not be empty',
      'error: idColumn must not be empty',
    ]);
    expect(problems({}, { indexOverrideField: 'i', routingField: 'r' })).toEqual([
      "error: Config setting 'indexer.indexOverrideField' is not supported by PostgresIndexer",
      "warning: Config setting 'indexer.routingField' has no effect with PostgresIndexer: a table has no such thing",
    ]);
  });
});

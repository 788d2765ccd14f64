import { type IndexerContext, type IndexerSettings, indexerSettings, withDefaults } from '@headrace/engine';
import { prepareSql } from '@headrace/languages/java/sql';
import { describeWithOwnServer } from '@headrace/testing/real-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database, type DatabaseConnection } from '../database/database.ts';
import { PostgresEncoder, type PostgresEncoderOptions } from '../postgres-index/postgres-encoder.ts';
import { encodedBatch } from '../testing/encoded-batch.ts';
import {
  byId,
  DELETES,
  EngineRuns,
  type EngineUnderTest,
  type Fields,
  numbered,
  outcome,
  QUICK,
} from '../testing/indexers/engine-runs.ts';
import { describeFamilies } from '../testing/indexers/family-conformance.ts';
import { describeLostConnections } from '../testing/indexers/tcp-conformance.ts';
import { describeWriting } from '../testing/indexers/writing-conformance.ts';
import { PostgresIndexer } from './postgres-indexer.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
/** The server has the extension pgvector. */
const PGVECTOR = { POSTGRES_PGVECTOR: '1' };
const PLAIN = { placeholder: undefined, backslashes: false, postgres: true, brackets: false, hashComments: false };

await describeWithOwnServer(
  'postgres',
  (server) => {
    let tables = 0;

    /** Runs work on a separate connection: a shared one would not survive a restart of the server. */
    async function connected<T>(work: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
      const settings = { connectionString: `jdbc:${server.url}`, jdbcUser: '', jdbcPassword: '' };
      const connection = await (await Database.open(settings, QUIET)).connect();
      try {
        return await work(connection);
      } finally {
        await connection.close();
      }
    }

    const execute = (sql: string) => connected((connection) => connection.execute(sql));

    /** Returns the rows of a query as JSON, without NULL values. */
    async function rows(sql: string): Promise<Fields[]> {
      const query = prepareSql(`select json_strip_nulls(to_json(q))::text from (${sql}) as q`, PLAIN);
      const found = await connected((connection) => connection.query(query, []));
      return found.rows.map(([text]) => JSON.parse(text as string) as Fields);
    }

    async function createTable(columns: string): Promise<string> {
      const name = `hr_index.t${++tables}`;
      await execute(`create table ${name} (${columns})`);
      return name;
    }

    const engine: EngineUnderTest = {
      config: (url, table, settings, more) => `indexer { type: "Postgres", ${settings} }
      postgres { connectionString: "jdbc:${url}", table: "${table}", ${more} }`,
      create: () =>
        createTable(
          'id text primary key, n_i int, d_d float8, b_b boolean, s_s text, t_s text, del_s text, ss_ss text[], parent_s text',
        ),
      contents: async (table) => byId(await rows(`select * from ${table}`)),
    };
    const runs = new EngineRuns(engine);

    beforeAll(() => execute('create schema hr_index; create extension vector'));
    afterAll(() => runs.close());
    describeWriting(engine, runs, () => server.url);
    describeLostConnections(engine, runs, server);
    describeFamilies(engine, () => server.url, false);

    it('converts values to the types of the columns', async () => {
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

    it('writes embeddings to columns of pgvector, and fails only documents whose vector has a wrong length', async () => {
      const table = await createTable('id text primary key, v vector(3), h halfvec(3)');
      await execute(`create index on ${table} using hnsw (v vector_cosine_ops)`);
      const documents = [
        { id: '1', v: [0.25, -1, 1e-7], h: [1, 2, 3.5] },
        { id: '2', v: [1, 0, 0], h: [0, 0, 1] },
        { id: 'short', v: [1, 2] },
        { id: 'words', v: ['a', 'b', 'c'] },
        { id: 'half', h: [1, 2, 3, 4] },
        { id: 'none' },
      ];
      const result = await runs.send(server.url, table, documents, 'batchSize: 6');
      expect(outcome(result)).toEqual({
        status: 'SUCCEEDED',
        succeeded: 3,
        failed: {
          short: expect.stringMatching(
            /expected 3 dimensions, not 2 \(the field v has 2 numbers instead of 3: use the model .*, or a column for 2 dimensions\)$/,
          ),
          words: expect.stringContaining('invalid input syntax for type vector'),
          half: expect.stringContaining('the field h has 4 numbers instead of 3'),
        },
      });
      const found = await rows(`select id, v::text, h::text from ${table} order by v <=> '[1,0.1,0]'`);
      expect(found).toEqual([
        { id: '2', v: '[1,0,0]', h: '[0,0,1]' },
        { id: '1', v: '[0.25,-1,1e-07]', h: '[1,2,3.5]' },
        { id: 'none' },
      ]);
      await runs.send(
        server.url,
        table,
        [
          { id: '1', del_s: 'yes' },
          { id: '2', v: [0, 1, 0] },
        ],
        DELETES,
      );
      expect(await rows(`select id, v::text from ${table} where v is not null`)).toEqual([{ id: '2', v: '[0,1,0]' }]);
    });

    it('replaces rows, and keeps defaults unless columns names these columns', async () => {
      const columns = `id text primary key, a text, created text default 'now', number serial, twice text generated always as (a || a) stored`;
      const table = await createTable(columns);
      const send = (document: Fields, more = '') => runs.send(server.url, table, [document], '', more);
      await send({ id: '1', a: 'x', created: 'never', number: 9, twice: 'z' });
      const row = { id: '1', a: 'x', created: 'never', number: 9, twice: 'xx' };
      expect(await rows(`select * from ${table}`)).toEqual([row]);
      await send({ id: '1', created: 'then' }, 'columns: [created]');
      expect(await rows(`select * from ${table}`)).toEqual([{ ...row, created: 'then' }]);
      await send({ id: '1' });
      expect(await rows(`select id, a, created, number from ${table}`)).toEqual([
        { id: '1', created: 'then', number: 9 },
      ]);
    });

    it('keeps the default of columns without a field, in the order of the versions', async () => {
      const table = await createTable(
        `id text primary key, v int default 7, ts text[] default '{}', number int generated by default as identity,
       own int generated always as identity`,
      );
      const documents = [{ id: '1', v: 99 }, { id: '2' }, { id: '3', v: null, ts: ['x'], number: 50, own: 60 }];
      const versions = [{ id: '4', v: 1 }, { id: '4' }, { id: '5' }, { id: '5', v: 2 }, { id: '5', v: 3 }];
      expect(outcome(await runs.send(server.url, table, [...documents, ...versions])).succeeded).toBe(8);
      expect(await rows(`select id, v, ts, number from ${table} order by id`)).toEqual([
        { id: '1', v: 99, ts: [], number: expect.any(Number) },
        { id: '2', v: 7, ts: [], number: expect.any(Number) },
        { id: '3', ts: ['x'], number: 50 },
        { id: '4', v: 1, ts: [], number: expect.any(Number) },
        { id: '5', v: 3, ts: [], number: expect.any(Number) },
      ]);
      expect(await rows(`select 1 as one from ${table} where own = 60`)).toEqual([]);
    });

    it('names the field whose value is rejected', async () => {
      const table = await createTable('id text primary key, n int, d date, body text');
      const documents = [
        { id: 'good', n: 1 },
        { id: 'bad', n: 'abc', body: 'x' },
        { id: 'nul', n: 1, body: 'a\u0000b' },
        { id: 'two', n: 'x', d: 'x' },
      ];
      expect(outcome(await runs.send(server.url, table, documents))).toMatchObject({
        succeeded: 1,
        failed: {
          bad: expect.stringMatching(/type integer: "abc" \(the field n has this value\)$/),
          nul: expect.stringMatching(/\(the field body contains a NUL character, which cannot be stored\)$/),
          two: expect.stringMatching(/type \w+: "x"$/),
        },
      });
    });

    it('stores whole documents in documentColumn, with the id in idColumn', async () => {
      const table = await createTable('key text primary key, a int, rest jsonb');
      const more = 'idColumn: key, documentColumn: rest';
      await runs.send(
        server.url,
        table,
        [{ id: '1', a: 1, b: { c: [1] }, key: 'not the id' }],
        'blacklist: [run_id]',
        more,
      );
      expect(await rows(`select * from ${table}`)).toEqual([
        { key: '1', a: 1, rest: { key: '1', a: 1, b: { c: [1] } } },
      ]);
    });

    it('reports each document with an invalid value, and writes the others', async () => {
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
      expect(await engine.contents(table)).toEqual(byId(documents.filter((_, i) => ![3, 4, 17, 29].includes(i))));
    });

    it.each([
      ['is out of memory', '53200'],
      ['has a full disk', '53100'],
      ['has ended a transaction that met another', '40001'],
      ['has ended a transaction in a deadlock', '40P01'],
      ['gets no lock in time', '55P03'],
      ['can only be read just now', '25006'],
    ])('retries a server that %s', async (_, code) => {
      const table = await engine.create();
      // A sequence keeps its value after a rollback, so it counts the attempts.
      await execute(`create sequence ${table}_tries;
      create function ${table}_busy() returns trigger language plpgsql as $$ begin
        if nextval('${table}_tries') <= 3 then raise exception 'busy' using errcode = '${code}'; end if;
        return null;
      end $$;
      create trigger busy before insert on ${table} for each statement execute function ${table}_busy()`);
      const result = await runs.send(server.url, table, numbered(10), `batchSize: 5, ${QUICK}`);
      expect(outcome(result)).toEqual({ status: 'SUCCEEDED', succeeded: 10, failed: {} });
      expect(await engine.contents(table)).toEqual(byId(numbered(10)));
      expect(await rows(`select last_value from ${table}_tries`)).toEqual([{ last_value: 5 }]);
    });

    it.each([
      ['22000', undefined],
      ['42501', true],
      ['58030', true],
      ['XX000', true],
    ])('decides for a batch that fails with %s whether the documents may be the cause', async (code, undelivered) => {
      const table = await engine.create();
      await execute(`create function ${table}_bad() returns trigger language plpgsql as $$ begin
        if new.n_i > 0 then raise exception 'no' using errcode = '${code}'; end if;
        return new;
      end $$;
      create trigger bad before insert on ${table} for each row execute function ${table}_bad()`);
      const context = { runId: 'r', log: QUIET, settings: withDefaults(indexerSettings) } as unknown as IndexerContext;
      const indexer = new PostgresIndexer(
        withDefaults(PostgresIndexer.parameters, { connectionString: `jdbc:${server.url}`, table }),
        context,
      );
      await indexer.connect();
      try {
        const encoder = new PostgresEncoder(indexer.encoder().options as PostgresEncoderOptions);
        const send = (documents: { id: string; n_i: number }[]) =>
          indexer.send(encodedBatch(encoder, documents), new AbortController().signal);
        const [one, two, good] = [
          { id: '1', n_i: 1 },
          { id: '2', n_i: 2 },
          { id: '3', n_i: 0 },
        ] as const;
        expect((await send([one, two])).map((failure) => failure.undelivered)).toEqual([undelivered, undelivered]);
        // If another document succeeds, the failed document is the cause.
        expect((await send([one, good])).map((failure) => failure.undelivered)).toEqual([undefined]);
      } finally {
        await indexer.close();
      }
      expect(await engine.contents(table)).toEqual({ 3: { id: '3', n_i: 0 } });
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
      expect(await engine.contents(table)).toEqual({ 2: { id: '2', n: 2 }, 4: { id: '4', n: 1 } });
    });

    it.each([
      ['a table', 'hr_index.nowhere', '', 'there is no table hr_index.nowhere'],
      ['a column', '', 'columns: [x]', 'has no column x'],
      ['the id', '', 'idColumn: t_s', 'the column t_s of .* is not unique'],
    ])('fails at the start without %s', async (_, given, more, message) => {
      const table = given === '' ? await engine.create() : given;
      const result = await runs.send(server.url, table, numbered(1), '', more);
      expect(result.status).toBe('FAILED');
      expect(result.message).toMatch(new RegExp(`Indexer could not connect[\\s\\S]*${message}`));
    });
  },
  PGVECTOR,
);

describe('the check of PostgresIndexer', () => {
  const problems = (params: object, settings: object = {}) =>
    [
      ...PostgresIndexer.check(
        withDefaults(PostgresIndexer.parameters, { connectionString: 'jdbc:postgresql://h/db', table: 't', ...params }),
        settings as IndexerSettings,
      ),
    ].map(({ message, severity = 'error' }) => `${severity}: ${message}`);

  it('reports invalid parameters', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ connectionString: 'jdbc:mysql://h/db' })).toEqual([
      'error: connectionString must be the URL of a PostgreSQL server',
    ]);
    expect(problems({ connectionString: 'postgres://h/db' })).toEqual([
      'error: the connection string is not a JDBC URL',
    ]);
    expect(problems({ table: ' ', idColumn: '' })).toEqual([
      'error: table must not be empty',
      'error: idColumn must not be empty',
    ]);
    expect(problems({}, { indexOverrideField: 'i', routingField: 'r' })).toEqual([
      "error: Config setting 'indexer.indexOverrideField' is not supported by PostgresIndexer",
      "warning: Config setting 'indexer.routingField' has no effect with PostgresIndexer: a table has no such setting",
    ]);
  });
});

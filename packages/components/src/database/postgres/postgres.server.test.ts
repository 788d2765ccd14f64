import { defaultMemoryMb, readJson } from '@headrace/engine';
import { limitMemory, runStage } from '@headrace/engine/testing';
import { describeWithOwnServer } from '@headrace/testing/real-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../../file-formats/testing/collecting-publisher.ts';
import { QueryDatabase } from '../../stages/query-database.ts';
import { ConnectionPool } from '../connection-pool.ts';
import { Database, type DatabaseConnection } from '../database.ts';
import { type ConnectorSettings, runConnector } from '../testing/run-connector.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

await describeWithOwnServer('postgres', (server) => {
  const url = (parameters = '') => `jdbc:${server.url}${parameters}`;
  const settings = (parameters = '') => ({ connectionString: url(parameters), jdbcUser: '', jdbcPassword: '' });
  const read = (sql: string, more: Partial<ConnectorSettings> = {}, publisher?: CollectingPublisher) =>
    runConnector({ connectionString: url(), sql, ...more }, publisher === undefined ? {} : { publisher });
  let session: DatabaseConnection;
  let database: Database;

  beforeAll(async () => {
    database = await Database.open(settings(), QUIET);
    session = await database.connect();
    await session.execute(`
      create schema if not exists hr_test;
      drop table if exists hr_test.things, hr_test.parts;
      drop type if exists hr_test.mood;
      create type hr_test.mood as enum ('sad', 'happy');
      create table hr_test.things (id int primary key, name text, mood hr_test.mood);
      insert into hr_test.things values (1, 'one', 'happy'), (2, null, 'sad'), (3, 'drei', null);
      create table hr_test.parts (thing int, part text, id int);
      insert into hr_test.parts values (0, 'orphan', 9), (1, 'a', 7), (1, 'b', 8), (3, 'c', 9), (null, 'n', 1);
    `);
    return () => session.close();
  });

  /** Returns the fields of a query with one row, as JSON. */
  async function row(columns: string, parameters = ''): Promise<Record<string, unknown>> {
    const { json } = await read(`select 1 as id, ${columns}`, { connectionString: url(parameters) });
    return JSON.parse(json[0] as string);
  }

  it('takes memory for a large row before it reads it, and fails a row that is too large', async () => {
    const rows = (bytes: number) => `select id, repeat('x', ${bytes}) as text from generate_series(1, 3) id`;
    // 8 MiB for one row.
    limitMemory(16);
    try {
      expect((await read(rows(5_000_000))).json).toHaveLength(3);
      await expect(read(rows(12_000_000))).rejects.toMatchObject({ code: 'HR_MEMORY_LIMIT' });
      const whole = session.query({ text: rows(12_000_000), parameters: 0 }, []);
      await expect(whole).rejects.toMatchObject({ code: 'HR_MEMORY_LIMIT' });
    } finally {
      limitMemory(defaultMemoryMb());
      session = await database.connect();
    }
  });

  describe('reading values of Postgres', () => {
    it.each([
      ['integers', '1::int2 as a, -2::int4 as b, 3::int8 as c, 4::oid as d', '"a":1,"b":-2,"c":3,"d":4'],
      [
        'integers of 64 bits',
        '9007199254740993 as a, (-9223372036854775808)::int8 as b, 999999999999999 as c',
        '"a":9007199254740993,"b":-9223372036854775808,"c":999999999999999',
      ],
      [
        'decimals and doubles',
        "1.50::numeric(10,2) as a, 12345678901234567890 as b, 2::float8 as c, 0.1::float4 as d, 'NaN'::numeric as e, 1e300::float8 as f",
        '"a":1.5,"b":1.2345678901234567E19,"c":2.0,"d":0.1,"e":"NaN","f":1.0E300',
      ],
      ['booleans', "true as a, false as b, B'1'::bit(1) as c, B'101' as d", '"a":true,"b":false,"c":true,"d":"101"'],
      [
        'texts',
        `'x'::text as a, 'y'::varchar(9) as b, 'z'::char(3) as c, 'Grüße 🎉 "q" \\'::text as d, '' as e, 'n'::name as f`,
        String.raw`"a":"x","b":"y","c":"z  ","d":"Grüße 🎉 \"q\" \\","e":"","f":"n"`,
      ],
      [
        'not valid times',
        "timestamptz '2024-01-02 03:04:05.678901+02' as a, timestamp '2024-01-02 03:04:05' as b, date '2024-01-02' as c",
        `"a":"2024-01-02T01:04:05.678Z","b":${local(2024, 1, 2, 3, 4, 5)},"c":${local(2024, 1, 2)}`,
      ],
      ['bytes', String.raw`'\x00ff'::bytea as a, ''::bytea as b`, '"a":"AP8=","b":""'],
      [
        'json',
        `'{"b":[1,2.0,null],"a":{"x":9007199254740993}}'::json as a, '[]'::jsonb as b, 'null'::json as c`,
        '"a":{"b":[1,2.0,null],"a":{"x":9007199254740993}},"b":[]',
      ],
      [
        'arrays',
        `array[1,null,3] as a, array['x,y','"'] as b, '{}'::int[] as c, array[[1,2],[3,4]] as d, array[1.0,2.5] as e, array[true] as f, array['{"k":1}'::jsonb] as g`,
        String.raw`"a":[1,null,3],"b":["x,y","\""],"c":[],"d":[[1,2],[3,4]],"e":[1.0,2.5],"f":[true],"g":[{"k":1}]`,
      ],
      [
        'enums and other types',
        `'happy'::hr_test.mood as a, array['sad']::hr_test.mood[] as b, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid as c, time '01:02:03' as d, interval '1 day' as e, '10.0.0.1'::inet as f, '<a/>'::xml as g, 1234.5::money as h`,
        '"a":"happy","b":["sad"],"c":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11","d":"01:02:03","e":"1 day","f":"10.0.0.1","g":"<a/>","h":1234.5',
      ],
    ])('reads %s', async (_, columns, expected) => {
      const { json } = await read(`select 1 as id, ${columns}`);
      expect(json).toEqual([`{"id":"1",${expected}}`]);
      // A query with otherSQLs, and a small query, use other code to read rows.
      const joined = await read(`select 1 as id, ${columns}`, {
        otherSQLs: ['select 5 as p where false'],
        otherJoinFields: ['p'],
      });
      expect(joined.json).toEqual(json);
    });

    it('keeps the day of dates and all digits of decimals, and otherwise counts what is rounded', async () => {
      const sql =
        "select 1 as id, date '2024-03-31' as due, array[date '0044-03-15 BC'] as days, 1234567890123456789012345678.1234567890::numeric(38,10) as amount, 0.10 as small";
      const exact = { dates: 'plain', decimals: 'exact' };
      const expected =
        '{"id":"1","due":"2024-03-31","days":["-0043-03-15"],"amount":"1234567890123456789012345678.1234567890","small":0.1}';
      expect((await read(sql, exact)).json).toEqual([expected]);
      const others = { otherSQLs: ['select 5 as p where false'], otherJoinFields: ['p'] };
      expect((await read(sql, { ...exact, ...others })).json).toEqual([expected]);
      for (const more of [{}, others]) {
        const { collector } = await read(sql.replace(/ array.*? as days,/, ''), more);
        const notice = collector.list().find(({ code }) => code === 'number.rounded');
        expect(notice).toMatchObject({
          examples: [{ field: 'amount', value: '1234567890123456789012345678.1234567890' }],
        });
      }
    });

    it('counts rows whose id repeats', async () => {
      const sql = 'select null::int as n, (i % 3)::text as id from generate_series(1, 10) as i';
      const { collector } = await read(sql);
      expect(collector.list()).toMatchObject([{ code: 'ids.repeated', count: 7 }]);
      expect(collector.list()[0]?.examples[0]).toEqual({ document: '1' });
    });

    it('reads the same values in a lookup', async () => {
      const sql = `select 9007199254740993 as a, 1.0::numeric as b, true as c, date '2024-01-02' as d, array[1,2] as e, '{"k":[]}'::json as f, '\\x01'::bytea as g, 'happy'::hr_test.mood as h where ?::int = 1`;
      const [{ documents = [], error } = {}] = await lookup(sql, ['Integer'], 'a b c d e f g h'.split(' '), [
        { id: '1', k: 1 },
      ]);
      expect(error).toBeUndefined();
      expect(readJson(documents[0] as string)).toEqual(
        readJson(
          `{"id":"1","k":1,"a":9007199254740993,"b":1.0,"c":true,"d":${local(2024, 1, 2)},"e":[1,2],"f":{"k":[]},"g":"AQ==","h":"happy"}`,
        ),
      );
    });

    it('omits values that are not valid times and logs a warning', async () => {
      const { json, warnings } = await read("select 1 as id, 'infinity'::timestamp as t, 2 as n");
      expect(json).toEqual(['{"id":"1","n":2}']);
      expect(warnings.join()).toMatch(/values such as infinity are not valid times/);
    });

    it('creates no field for NULL', async () => {
      const { json } = await read('select * from hr_test.things order by id');
      expect(json).toEqual([
        '{"id":"1","name":"one","mood":"happy"}',
        '{"id":"2","mood":"sad"}',
        '{"id":"3","name":"drei"}',
      ]);
    });

    it('reads very long texts', async () => {
      const { documents } = await read("select 1 as id, repeat('ü€', 3000000) as t, repeat('x', 100) as u");
      expect(documents[0]?.get('t')).toBe('ü€'.repeat(3_000_000));
      expect(documents[0]?.get('u')).toBe('x'.repeat(100));
    });
  });

  describe('a JDBC URL of Postgres', () => {
    it('sets schema, application and options of the session', async () => {
      const { json } = await read('select id from things where id = 1', {
        connectionString: url('?currentSchema=hr_test,public&ApplicationName=mine&options=-c%20work_mem%3D5MB'),
        sql: "select id, current_setting('application_name') as app, current_setting('work_mem') as mem from things where id = 1",
      });
      expect(json).toEqual(['{"id":"1","app":"mine","mem":"5MB"}']);
    });

    it('connects to the next host if one is down', async () => {
      const { host } = new URL(server.url);
      const { json } = await read('select 1 as id', {
        connectionString: `jdbc:postgresql://127.0.0.1:1,${host}/headrace?user=headrace`,
      });
      expect(json).toEqual(['{"id":"1"}']);
    });

    it('connects without TLS if the server does not support it, unless TLS is required', async () => {
      expect(await row('1 as n', '?sslmode=prefer')).toEqual({ id: '1', n: 1 });
      expect(await row('1 as n', '?sslmode=disable')).toEqual({ id: '1', n: 1 });
      await expect(row('1 as n', '?sslmode=require')).rejects.toMatchObject({
        message: expect.stringMatching(/does not support SSL/),
        hint: expect.stringContaining('sslmode=disable'),
      });
    });
  });

  describe('reading a large result', () => {
    const LARGE = "select i as id, repeat('x', 100) as pad from generate_series(1, 300000) i";

    it('publishes every row once, in order', async () => {
      const { documents, chunks } = await read(LARGE);
      expect(documents.length).toBe(300_000);
      expect(documents.every((document, i) => document.id === String(i + 1))).toBe(true);
      expect(chunks).toBeLessThan(300);
    });

    it('pauses the server while no rows are read', async () => {
      let waits: string[] = [];
      const publisher = new SlowPublisher(async () => {
        if (waits.length > 0) return;
        const prepared = database.driver.prepare(
          "select wait_event from pg_stat_activity where query like '%generate_series%' and pid <> pg_backend_pid()",
        );
        const waitsOfServer = async () => (await session.query(prepared, [])).rows.map(([wait]) => String(wait));
        const twice = async () => {
          // A server also waits for moments while its rows are read.
          waits = [...(await waitsOfServer()), ...(await waitsOfServer())];
          return waits;
        };
        await expect.poll(twice).toEqual(['ClientWrite', 'ClientWrite']);
      });
      const { documents } = await read(LARGE.replace('300000', '400000'), {}, publisher);
      expect(waits).toEqual(['ClientWrite', 'ClientWrite']);
      expect(documents.length).toBe(400_000);
    });

    it('reports the number of rows if the connection is lost', async () => {
      const publisher = new SlowPublisher(() =>
        session.execute(
          "select pg_terminate_backend(pid) from pg_stat_activity where query like '%generate_series%' and pid <> pg_backend_pid()",
        ),
      );
      const error = await read(LARGE.replace('300000', '5000000'), {}, publisher).catch((thrown) => thrown);
      expect(error).toMatchObject({
        code: 'HR_SOURCE_UNREADABLE',
        hint: expect.stringMatching(/ended the connection/),
      });
      const [, rows] = /\((\d+) rows were read\)/.exec(error.message) ?? [];
      expect(Number(rows)).toBe(publisher.documents.length);
      expect(Number(rows)).toBeGreaterThan(0);
    });

    it('cancels the query in the server when the run is stopped', async () => {
      const publisher = new CollectingPublisher();
      const reading = read('select 1 as id, pg_sleep(60) as hr_stopped', {}, publisher).catch((error) => error);
      const running = database.driver.prepare(
        "select pid from pg_stat_activity where query like '%hr_stopped%' and state = 'active' and pid <> pg_backend_pid()",
      );
      const count = async () => (await session.query(running, [])).rows.length;
      await expect.poll(count).toBe(1);
      publisher.abort();
      await expect.poll(count).toBe(0);
      expect((await reading).message).toMatch(/canceling statement|Connection terminated/);
    });
  });

  it('attaches the rows of otherSQLs as children', async () => {
    const { json, warnings } = await read('select id, name from hr_test.things order by id', {
      otherSQLs: ['select thing, part, id from hr_test.parts order by thing, part', 'select 2::int8 as "T", 1.5 as v'],
      otherJoinFields: ['THING', 't'],
    });
    expect(json).toEqual([
      '{"id":"1","name":"one","___children":[{"id":"0","thing":1,"part":"a"},{"id":"1","thing":1,"part":"b"}]}',
      '{"id":"2","___children":[{"id":"0","t":2,"v":1.5}]}',
      '{"id":"3","name":"drei","___children":[{"id":"0","thing":3,"part":"c"}]}',
    ]);
    expect(warnings.join()).toMatch(/otherSQLs\[0\]: column id is omitted/);
  });

  it('runs statements before and after, on the same connection', async () => {
    await read("select id, 'x' as x from hr_temp", {
      preSQL: 'create temp table hr_temp as select 1 as id',
      postSQL: 'create table hr_test.after as select * from hr_temp',
    });
    const { json } = await read('select * from hr_test.after', { postSQL: 'drop table hr_test.after' });
    expect(json).toEqual(['{"id":"1"}']);
  });

  it('continues if preSQL or postSQL fails, and logs a warning', async () => {
    const { json, warnings } = await read('select 1 as id', { preSQL: 'drop table nowhere', postSQL: 'nonsense' });
    expect(json).toEqual(['{"id":"1"}']);
    expect(warnings.join('\n')).toMatch(/preSQL failed.*nowhere(?:.|\n)*postSQL failed.*syntax error/);
  });

  describe('an error of the database', () => {
    it.each([
      [
        'an unknown table',
        'select id from nowhere',
        /relation "nowhere" does not exist at character 16/,
        /currentSchema/,
      ],
      ['a syntax error', 'selec 1', /syntax error at or near "selec"/, undefined],
      [
        'a statement that is not a query',
        "update hr_test.things set name = 'x' where false",
        /returns no rows/,
        undefined,
      ],
      ['a missing id column', 'select 1 as a, 2 as b', /no column id, the idField/, /columns are a, b/],
      ['a column of a reserved name', 'select 1 as id, 2 as run_id', /"run_id" is reserved/, /AS other_name/],
      [
        'an error in the middle of the result',
        'select i as id, 1/(100000-i) as x from generate_series(1, 200000) i',
        /division by zero \(\d+ rows were read\)/,
        undefined,
      ],
    ])('reports %s', async (_, sql, message, hint) => {
      const error = await read(sql).catch((thrown) => thrown);
      expect(error.message).toMatch(message);
      if (hint !== undefined) expect(error.hint).toMatch(hint);
    });

    it('reports a server that is silent for longer than socketTimeout', async () => {
      const silent = { connectionString: url('?socketTimeout=1') };
      await expect(read('select 1 as id, pg_sleep(30)', silent)).rejects.toThrow(
        /silent for longer than socketTimeout/,
      );
      const [outcome] = await lookup(
        'select ?::int as r, pg_sleep(30)',
        ['Integer'],
        ['r'],
        [{ id: '1', k: 1 }],
        silent,
      );
      expect(outcome?.error).toMatch(/timeout/);
    });

    it('reports an unknown database', async () => {
      const error = await read('select 1', { connectionString: url().replace(/headrace$/, 'nowhere') }).catch((e) => e);
      expect(error.message).toMatch(/database "nowhere" does not exist/);
    });

    it('reports a wrong password after one attempt, without showing it', async () => {
      await session.execute(`
        do $$ begin create role hr_pw login password 'right'; exception when duplicate_object then null; end $$;
        do $$ begin
          execute format('copy (select * from (values (%L), (%L)) v) to %L', 'host all hr_pw all scram-sha-256', 'host all all all trust', current_setting('hba_file'));
        end $$;
        select pg_reload_conf();
      `);
      const { host } = new URL(server.url);
      const as = (password: string) =>
        runConnector({
          connectionString: `jdbc:postgresql://${host}/headrace`,
          jdbcUser: 'hr_pw',
          jdbcPassword: password,
          connectionRetryPause: 60_000,
          sql: 'select 1 as id',
        });
      // The server reads its rules again at some time. Until then it accepts every password.
      await expect
        .poll(() =>
          as('Wr0ng-Secret').then(
            () => 'accepted',
            () => 'refused',
          ),
        )
        .toBe('refused');
      expect((await as('right')).json).toEqual(['{"id":"1"}']);
      const error = await as('Wr0ng-Secret').catch((thrown) => thrown);
      expect(error).toMatchObject({ code: 'HR_SOURCE_UNREADABLE', hint: 'Check jdbcUser and jdbcPassword.' });
      expect(error.message).toMatch(/password authentication failed/);
      expect(JSON.stringify([error.message, error.stack, error.hint, error.cause])).not.toContain('Wr0ng-Secret');
      await expect(as('')).rejects.toThrow(/requires a password for hr_pw, and jdbcPassword is empty/);
    });

    it('reports an unknown host after the configured retries', async () => {
      const publisher = new CollectingPublisher();
      const error = await runConnector(
        {
          connectionString: 'jdbc:postgresql://nowhere.invalid/d',
          sql: 'select 1',
          connectionRetries: 2,
        },
        { publisher },
      ).catch((thrown) => thrown);
      expect(error.message).toMatch(/^postgresql:\/\/nowhere\.invalid:5432\/d: .*ENOTFOUND|EAI_AGAIN/);
      expect(publisher.warnings.filter((line) => /Trying again/.test(line)).length).toBe(2);
    });
  });

  function lookup(
    sql: string,
    inputTypes: string[],
    columns: string[],
    documents: Record<string, unknown>[],
    more: Record<string, unknown> = {},
  ) {
    return runStage(
      QueryDatabase,
      {
        driver: 'org.postgresql.Driver',
        ...settings(),
        sql,
        keyFields: inputTypes.map((_, i) => 'klmn'[i]),
        inputTypes,
        fieldMapping: Object.fromEntries(columns.map((column) => [column, column])),
        connectionRetryPause: 1,
        ...more,
      },
      documents,
    );
  }

  describe('QueryDatabase', () => {
    it('binds values by their types', async () => {
      const sql = "select ?::text || '/' || ?::int8 || '/' || ?::float8 || '/' || ?::bool as r, '?' as s -- ?";
      const [outcome] = await lookup(
        sql,
        ['String', 'Long', 'Double', 'Boolean'],
        ['r', 's'],
        [{ id: '1', k: ["it's ?", 2], l: '9007199254740993', m: 1.5, n: 'true' }],
      );
      expect(outcome?.error).toBeUndefined();
      expect(JSON.parse(outcome?.documents[0] as string)).toMatchObject({
        r: "it's ?/9007199254740993/1.5/true",
        s: '?',
      });
    });

    it('runs several queries in parallel and replaces lost connections', async () => {
      const pool = new ConnectionPool(await Database.open({ ...settings(), connectionRetryPause: 1 }, QUIET), 3);
      await pool.open();
      const sql = database.driver.prepare('select pg_backend_pid() as pid, ?::int as n, pg_sleep(0.02) as hr_pool');
      const ask = async (n: number) => (await pool.query(sql, [BigInt(n)])).rows[0] as number[];
      const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => ask(n)));
      expect(answers.map(([, n]) => n)).toEqual(Array.from({ length: 12 }, (_, n) => n));
      expect(new Set(answers.map(([pid]) => pid)).size).toBe(3);
      await session.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where query like '%hr_pool%' and pid <> pg_backend_pid()",
      );
      const after = await Promise.all(Array.from({ length: 6 }, (_, n) => ask(n)));
      expect(after.map(([, n]) => n)).toEqual([0, 1, 2, 3, 4, 5]);
      await pool.close();
    });

    it('fails only the document whose query fails', async () => {
      const outcomes = await lookup(
        'select 1/?::int as r',
        ['Integer'],
        ['r'],
        [{ id: '1', k: 1 }, { id: '2', k: 0 }, { id: '3' }, { id: '4', k: 1 }],
      );
      expect(outcomes.map(({ error }) => error?.replace(/^.*headrace: /, ''))).toEqual([
        undefined,
        'division by zero',
        'Field "k", a key of the query, is missing',
        undefined,
      ]);
    });

    it('refuses a statement with a wrong number of values at the start', async () => {
      await expect(lookup('select ? + ?', ['Integer'], ['r'], [])).rejects.toThrow(/takes 2 values.*names 1/);
    });
  });
});

/** A publisher that runs a function before it accepts a chunk. */
class SlowPublisher extends CollectingPublisher {
  readonly #before: () => Promise<void>;

  constructor(before: () => Promise<void>) {
    super();
    this.#before = before;
  }

  override async publishChunk(chunk: Parameters<CollectingPublisher['publishChunk']>[0]): Promise<void> {
    await this.#before();
    await super.publishChunk(chunk);
  }
}

/** Returns a local time as the JSON of its instant. */
function local(year: number, month: number, day: number, hour = 0, minute = 0, second = 0): string {
  const instant = new Date(year, month - 1, day, hour, minute, second).toISOString();
  return JSON.stringify(instant.replace('.000Z', 'Z'));
}

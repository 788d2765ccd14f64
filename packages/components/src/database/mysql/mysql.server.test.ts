import { runStage } from '@headrace/engine/testing';
import { describeWithOwnServer } from '@headrace/testing/real-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../../file-formats/testing/collecting-publisher.ts';
import { QueryDatabase } from '../../stages/query-database.ts';
import { Database, type DatabaseConnection } from '../database.ts';
import { type ConnectorSettings, runConnector } from '../testing/run-connector.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

await describeWithOwnServer('mariadb', (server) => {
  const url = (parameters = '') => `jdbc:${server.url}${parameters}`;
  const settings = () => ({ connectionString: url(), jdbcUser: '', jdbcPassword: '' });
  const read = (sql: string, more: Partial<ConnectorSettings> = {}, publisher?: CollectingPublisher) =>
    runConnector({ connectionString: url(), sql, ...more }, publisher === undefined ? {} : { publisher });
  let database: Database;
  let session: DatabaseConnection;

  beforeAll(async () => {
    database = await Database.open(settings(), QUIET);
    session = await database.connect();
    for (const statement of [
      'drop table if exists hr_types, hr_parts',
      `create table hr_types (
        id int primary key, flag tinyint(1), tiny tinyint, small smallint, medium mediumint, large bigint,
        huge bigint unsigned, price decimal(20,2), ratio double, short_ratio float, one_bit bit(1), bits bit(10),
        born date, seen datetime(6), changed timestamp(3) null, at time, made year, fixed char(4), name varchar(50),
        body longtext, mood enum('sad','happy'), tags set('a','b'), data json, raw varbinary(9), blobby longblob
      ) character set utf8mb4`,
      `insert into hr_types values (1, 1, -5, 300, 70000, 9007199254740993, 18446744073709551615, 12.50, 2, 1.1, b'1',
        b'1000000001', '2024-01-02', '2024-01-02 03:04:05.678901', '2024-07-02 03:04:05.5', '01:02:03', 2024, 'ab', 'Grüße 🎉',
        repeat('x', 100), 'happy', 'a,b', '{"k": [1, 2.0]}', x'00ff', x'')`,
      "insert into hr_types (id, flag, seen, name) values (2, 0, null, ''), (3, null, '2024-01-02', null)",
      'create table hr_parts (thing bigint, part text)',
      "insert into hr_parts values (0, 'x'), (1, 'a'), (1, 'b'), (3, 'c'), (null, 'n')",
    ]) {
      await session.execute(statement);
    }
    return () => session.close();
  });

  const FIRST =
    '"flag":true,"tiny":-5,"small":300,"medium":70000,"large":9007199254740993,"huge":18446744073709551615,' +
    '"price":12.5,"ratio":2.0,"short_ratio":1.1,"one_bit":true,"bits":"AgE=",' +
    `"born":${local(2024, 1, 2)},"seen":${local(2024, 1, 2, 3, 4, 5, 678)},"changed":${local(2024, 7, 2, 3, 4, 5, 500)},` +
    `"at":"01:02:03","made":${local(2024, 1, 1)},"fixed":"ab","name":"Grüße 🎉","body":"${'x'.repeat(100)}",` +
    String.raw`"mood":"happy","tags":"a,b","data":"{\"k\": [1, 2.0]}","raw":"AP8=","blobby":""`;

  it('reads values of each column type and no field for NULL', async () => {
    const { json } = await read('select * from hr_types order by id');
    expect(json).toEqual([
      `{"id":"1",${FIRST}}`,
      '{"id":"2","flag":false,"name":""}',
      `{"id":"3","seen":${local(2024, 1, 2)}}`,
    ]);
  });

  it('reads the same values in a lookup', async () => {
    const columns = [...FIRST.matchAll(/"(\w+)":/g)].map(([, name]) => name as string).filter((name) => name !== 'k');
    const [outcome] = await lookup('select * from hr_types where id = ?', ['Integer'], columns, [{ id: '9', k: 1 }]);
    expect(outcome?.error).toBeUndefined();
    expect(outcome?.documents).toEqual([`{"id":"9","k":1,${FIRST}}`]);
  });

  it('reads TINYINT(1), YEAR and times by the parameters of the URL', async () => {
    const parameters = '?tinyInt1isBit=false&yearIsDateType=false&connectionTimeZone=Asia/Tokyo&useCursorFetch=true';
    const { json } = await read('select id, flag, made, seen, born from hr_types where id = 1', {
      connectionString: url(parameters),
    });
    expect(json).toEqual([
      '{"id":"1","flag":1,"made":2024,"seen":"2024-01-01T18:04:05.678Z","born":"2024-01-01T15:00:00Z"}',
    ]);
  });

  it('keeps the day of dates and all digits of decimals, and otherwise counts what changes', async () => {
    const sql =
      "select 1 as id, cast('2024-03-31' as date) as due, cast('1234567890123456789012345678.1234567890' as decimal(38,10)) as amount, 0.10 as small";
    const connectionString = url('?connectionTimeZone=Europe/Berlin');
    const { json } = await read(sql, { connectionString, dates: 'plain', decimals: 'exact' });
    expect(json).toEqual([
      '{"id":"1","due":"2024-03-31","amount":"1234567890123456789012345678.1234567890","small":0.1}',
    ]);
    const changed = await read(sql, { connectionString });
    expect(changed.json).toEqual([
      '{"id":"1","due":"2024-03-30T23:00:00Z","amount":1.2345678901234569E27,"small":0.1}',
    ]);
    expect(changed.collector.list()).toMatchObject([
      { code: 'date.shifted', count: 1, examples: [{ field: 'due', value: '2024-03-31' }] },
      { code: 'number.rounded', count: 1, examples: [{ field: 'amount' }] },
    ]);
  });

  it('omits values that are not valid times and logs a warning', async () => {
    const { json, warnings } = await read("select 1 as id, cast('0000-00-00' as date) as d", {
      connectionString: url("?sessionVariables=sql_mode=''"),
    });
    expect(json).toEqual(['{"id":"1"}']);
    expect(warnings.join()).toMatch(/0000-00-00/);
  });

  it('uses binary columns as ids in hex', async () => {
    expect((await read("select x'00ff' as id")).json).toEqual(['{"id":"00ff"}']);
  });

  it('attaches the rows of otherSQLs as children', async () => {
    const { json } = await read('select id, name from hr_types order by id', {
      otherSQLs: ['select thing, part from hr_parts order by thing, part'],
      otherJoinFields: ['thing'],
    });
    expect(json).toEqual([
      '{"id":"1","name":"Grüße 🎉","___children":[{"id":"0","thing":1,"part":"a"},{"id":"1","thing":1,"part":"b"}]}',
      '{"id":"2","name":""}',
      '{"id":"3","___children":[{"id":"0","thing":3,"part":"c"}]}',
    ]);
  });

  describe('reading a large result', () => {
    const large = (rows: number) => `select seq as id, repeat('x', 100) as pad from seq_1_to_${rows}`;

    it('publishes every row once, in order', async () => {
      const { documents } = await read(large(200_000));
      expect(documents.length).toBe(200_000);
      expect(documents.every((document, i) => document.id === String(i + 1))).toBe(true);
    });

    it('pauses the server while no rows are read, and reports the number of rows if the connection is lost', async () => {
      const publisher = new PausingPublisher(1000, async () => {
        await new Promise((resolve) => setTimeout(resolve, 500));
        const running = database.driver.prepare(
          "select id from information_schema.processlist where info like '%seq_1_to_3000000%' and id <> connection_id()",
        );
        const [[id] = []] = (await session.query(running, [])).rows;
        await session.execute(`kill ${id}`);
      });
      const error = await read(large(3_000_000), {}, publisher).catch((thrown) => thrown);
      expect(error).toMatchObject({ code: 'HR_SOURCE_UNREADABLE' });
      const [, rows] = /\((\d+) rows were read\)/.exec(error.message) ?? [];
      expect(Number(rows)).toBe(publisher.documents.length);
      // This is far fewer than all rows, so the server had to wait.
      expect(Number(rows)).toBeLessThan(300_000);
    });

    it.each([
      ['', 86_400],
      ['?netTimeoutForStreamingResults=600', 600],
      ['?netTimeoutForStreamingResults=0', 7],
      ['?sessionVariables=net_write_timeout=90', 90],
    ])('sets how long the server waits for a slow pipeline: %s', async (parameters, seconds) => {
      await session.execute('set global net_write_timeout = 7');
      try {
        const { json } = await read('select 1 as id, @@net_write_timeout as t', { connectionString: url(parameters) });
        expect(json).toEqual([`{"id":"1","t":${seconds}}`]);
      } finally {
        await session.execute('set global net_write_timeout = default');
      }
    });

    it('reads all rows although the pipeline pauses for longer than net_write_timeout of the server', async () => {
      await session.execute('set global net_write_timeout = 1');
      try {
        const pause = new PausingPublisher(1000, () => new Promise((resolve) => setTimeout(resolve, 3000)));
        const { documents } = await read(large(300_000), {}, pause);
        expect(documents).toHaveLength(300_000);
      } finally {
        await session.execute('set global net_write_timeout = default');
      }
    });

    it('cancels the query in the server when the run is stopped', async () => {
      const publisher = new CollectingPublisher();
      const reading = read('select 1 as id, sleep(60) as hr_stopped', {}, publisher).catch((thrown) => thrown);
      const running = database.driver.prepare(
        "select id from information_schema.processlist where info like '%hr_stopped%' and id <> connection_id()",
      );
      const count = async () => (await session.query(running, [])).rows.length;
      await expect.poll(count).toBe(1);
      publisher.abort();
      await expect.poll(count).toBe(0);
      await reading;
    });
  });

  describe('an error of the database', () => {
    it.each([
      ['an unknown table', 'select id from nowhere', /nowhere' doesn't exist/, /name of the table/],
      ['a syntax error', 'selec 1', /You have an error in your SQL syntax/, undefined],
      ['a statement that is not a query', "update hr_types set name = 'x' where id < 0", /returns no rows/, undefined],
      ['a missing id column', 'select 1 as a', /no column id, the idField/, /columns are a/],
    ])('reports %s', async (_, sql, message, hint) => {
      const error = await read(sql).catch((thrown) => thrown);
      expect(error.message).toMatch(message);
      if (hint !== undefined) expect(error.hint).toMatch(hint);
    });

    it('reports a server that is silent for longer than socketTimeout', async () => {
      await expect(read('select 1 as id, sleep(30)', { connectionString: url('?socketTimeout=500') })).rejects.toThrow(
        /silent for longer than socketTimeout/,
      );
    });

    it('reports a wrong password after one attempt, without showing it', async () => {
      await session.execute("create or replace user hr_pw identified by 'right'");
      await session.execute('grant all on *.* to hr_pw');
      const { host, pathname } = new URL(server.url);
      const as = (password: string) =>
        runConnector({
          connectionString: `jdbc:mariadb://${host}${pathname}`,
          jdbcUser: 'hr_pw',
          jdbcPassword: password,
          connectionRetryPause: 60_000,
          sql: 'select 1 as id',
        });
      expect((await as('right')).json).toEqual(['{"id":"1"}']);
      const error = await as('Wr0ng-Secret').catch((thrown) => thrown);
      expect(error).toMatchObject({ code: 'HR_SOURCE_UNREADABLE', hint: 'Check jdbcUser and jdbcPassword.' });
      expect(error.message).toMatch(/Access denied for user 'hr_pw'/);
      expect(JSON.stringify([error.message, error.stack, error.hint, error.cause])).not.toContain('Wr0ng-Secret');
    });

    it('reports an unknown database and an unknown host', async () => {
      const elsewhere = url().replace(/\/headrace$/, '/nowhere');
      await expect(read('select 1', { connectionString: elsewhere })).rejects.toThrow(/Unknown database 'nowhere'/);
      await expect(read('select 1', { connectionString: 'jdbc:mysql://nowhere.invalid/d' })).rejects.toThrow(
        /^mysql:\/\/nowhere\.invalid:3306\/d: .*(ENOTFOUND|EAI_AGAIN)/,
      );
    });
  });

  function lookup(sql: string, inputTypes: string[], columns: string[], documents: Record<string, unknown>[]) {
    return runStage(
      QueryDatabase,
      {
        driver: 'org.mariadb.jdbc.Driver',
        ...settings(),
        sql,
        keyFields: inputTypes.map((_, i) => 'klmn'[i]),
        inputTypes,
        fieldMapping: Object.fromEntries(columns.map((column) => [column, column])),
        connectionRetryPause: 1,
      },
      documents,
    );
  }

  it('binds values by their types', async () => {
    const sql = "select concat_ws('/', ?, ?, ?, ?) as r, '?' as s -- ?\n # ?";
    const [outcome] = await lookup(
      sql,
      ['String', 'Long', 'Double', 'Boolean'],
      ['r', 's'],
      [{ id: '1', k: "it's ?", l: '9007199254740993', m: 1.5, n: true }],
    );
    expect(outcome?.error).toBeUndefined();
    expect(JSON.parse(outcome?.documents[0] as string)).toMatchObject({ r: "it's ?/9007199254740993/1.5/1", s: '?' });
  });

  it('compares bound numbers with numbers', async () => {
    const outcomes = await lookup(
      'select name from hr_types where large = ?',
      ['Long'],
      ['name'],
      [
        { id: '1', k: '9007199254740993' },
        { id: '2', k: '9007199254740992' },
      ],
    );
    expect(outcomes.map(({ documents }) => documents[0]?.includes('Grüße'))).toEqual([true, false]);
  });
});

/** A publisher that runs a function once, before it accepts a certain document. */
class PausingPublisher extends CollectingPublisher {
  readonly #at: number;
  readonly #work: () => Promise<void>;

  constructor(at: number, work: () => Promise<void>) {
    super();
    this.#at = at;
    this.#work = work;
  }

  override publish(document: Parameters<CollectingPublisher['publish']>[0]): undefined {
    super.publish(document);
    // The connector awaits the returned promise.
    if (this.documents.length === this.#at) return this.#work() as unknown as undefined;
  }
}

/** Returns a local time as the JSON of its instant. */
function local(...[year, month, ...rest]: [number, number, ...number[]]): string {
  const [day = 1, hour = 0, minute = 0, second = 0, millis = 0] = rest;
  const instant = new Date(year, month - 1, day, hour, minute, second, millis).toISOString();
  return JSON.stringify(instant.replace('.000Z', 'Z'));
}

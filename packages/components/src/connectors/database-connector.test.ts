import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { withDefaults } from '@headrace/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { type ConnectorSettings, runConnector } from '../database/testing/run-connector.ts';
import { CollectingPublisher } from '../file-formats/testing/collecting-publisher.ts';
import { DatabaseConnector } from './database-connector.ts';

const root = mkdtempSync(join(tmpdir(), 'headrace-sqlite-'));
afterAll(() => rmSync(root, { recursive: true }));
let files = 0;

/** Creates a SQLite file with these statements. Returns its path. */
function fileWith(...statements: string[]): string {
  const file = join(root, `${files++}.db`);
  const database = new DatabaseSync(file);
  for (const statement of statements) database.exec(statement);
  database.close();
  return file;
}

const MEMORY = 'jdbc:sqlite::memory:';
const read = (sql: string, more: Partial<ConnectorSettings> = {}, options = {}) =>
  runConnector({ connectionString: MEMORY, sql, ...more }, options);
const jsonOf = async (sql: string, more: Partial<ConnectorSettings> = {}) => (await read(sql, more)).json;

/** Runs a test in a zone of the process. */
async function inZone(zone: string, test: () => Promise<void>): Promise<void> {
  const before = process.env.TZ;
  process.env.TZ = zone;
  try {
    await test();
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}

describe('DatabaseConnector', () => {
  it('creates fields from column labels in lower case, except for the id column', async () => {
    expect(await jsonOf(`select 'a' as ID, 7 as "My Col", 8 as Plain`)).toEqual(['{"id":"a","my col":7,"plain":8}']);
    expect(await jsonOf("select 'k1' as Code, 5 as Num", { idField: 'cODE' })).toEqual([
      '{"id":"k1","code":"k1","num":5}',
    ]);
  });

  it('creates a list from columns with the same label, without NULL', async () => {
    const sql = "select 1 as id, 'x' as a, 'y' as A, null as b, 'z' as B, null as c, null as C";
    expect(await jsonOf(sql)).toEqual(['{"id":"1","a":["x","y"],"b":"z"}']);
  });

  it('ignores the columns of ignoreColumns, also reserved names', async () => {
    expect(await jsonOf("select 'k' as pk, 'v' as id, 1 as x", { idField: 'pk', ignoreColumns: ['ID', 'X'] })).toEqual([
      '{"id":"k","pk":"k"}',
    ]);
    await expect(read("select 'k' as pk, 'v' as id", { idField: 'pk' })).rejects.toThrow(/"id" is reserved/);
  });

  it('omits the fields of NULL in each row, with any number of columns', async () => {
    for (const width of [3, 29, 30, 31, 40]) {
      const columns = (skip: number) =>
        Array.from({ length: width }, (_, i) => `${i === skip ? 'null' : i} as c${i}`).join(', ');
      const rows = [-1, 0, width - 1, 1].map((skip, i) => `select ${i} as id, ${columns(skip)}`);
      const { documents } = await read(rows.join(' union all '));
      expect(documents.map((document) => document.fieldNames.length)).toEqual([width + 1, width, width, width]);
      expect(documents.map((document) => document.get(`c${width - 1}`))).toEqual([
        width - 1,
        width - 1,
        undefined,
        width - 1,
      ]);
      expect(documents.map((document) => document.get('c0'))).toEqual([0, undefined, 0, 0]);
    }
  });

  it('rejects a row without an id, and continues', async () => {
    const { json, rejected } = await read("select null as id, 1 as n union all select '', 2 union all select 'c', 3");
    expect(json).toEqual(['{"id":"c","n":3}']);
    expect(rejected).toEqual([
      { place: 'sqlite::memory: row 1', message: 'the id column id is NULL' },
      { place: 'sqlite::memory: row 2', message: 'the id column id is empty' },
    ]);
  });

  it('adds the prefix to every id', async () => {
    const { json } = await read('select 5 as id', {}, { docIdPrefix: 'row-' });
    expect(json).toEqual(['{"id":"row-5"}']);
  });

  it('converts SQLite values by their type and by the declared type of their column', async () => {
    const file = fileWith(
      'create table t (id integer primary key, flag boolean, day date, at timestamp, price decimal(9,2), n bigint, r real, b blob, any)',
      "insert into t values (1, 1, '2024-01-02', 1704164645678, 12, 9007199254740993, 2.0, x'00ff', 'x')",
      "insert into t values (2, 0, 'soon', null, 1.5, -1, 3.14159265358979, x'', 1.0)",
    );
    const { json, warnings } = await read('select * from t order by id', { connectionString: `jdbc:sqlite:${file}` });
    const midnight = new Date(2024, 0, 2).toISOString().replace('.000Z', 'Z');
    expect(json).toEqual([
      `{"id":"1","flag":true,"day":"${midnight}","at":"2024-01-02T03:04:05.678Z","price":12.0,"n":9007199254740993,"r":2.0,"b":"AP8=","any":"x"}`,
      '{"id":"2","flag":false,"price":1.5,"n":-1,"r":3.14159265358979,"b":"","any":1.0}',
    ]);
    expect(warnings.join()).toMatch(/such as soon/);
  });

  describe('dates and decimals', () => {
    const file = () =>
      fileWith(
        'create table t (id integer primary key, due date, amount decimal(38,2), whole numeric)',
        "insert into t values (1, '2024-03-31', 12.5, 9007199254740993), (2, '2024-07-01', 0.1, 12)",
      );
    const sql = 'select * from t order by id';

    it('are written as the reference does by default, and changed values are notices', async () => {
      await inZone('Europe/Berlin', async () => {
        const { json, collector } = await read(sql, { connectionString: `jdbc:sqlite:${file()}` });
        expect(json).toEqual([
          '{"id":"1","due":"2024-03-30T23:00:00Z","amount":12.5,"whole":9.007199254740992E15}',
          '{"id":"2","due":"2024-06-30T22:00:00Z","amount":0.1,"whole":12.0}',
        ]);
        expect(collector.list()).toMatchObject([
          {
            code: 'date.shifted',
            count: 2,
            examples: [{ field: 'due', value: '2024-03-31', hint: 'It became 2024-03-30T23:00:00Z' }, {}],
          },
          { code: 'number.rounded', count: 1, examples: [{ field: 'whole', value: '9007199254740993' }] },
        ]);
      });
    });

    it('that do not change are no notices', async () => {
      await inZone('America/New_York', async () => {
        const { json, collector } = await read(`${sql} desc limit 1`, { connectionString: `jdbc:sqlite:${file()}` });
        expect(json).toEqual(['{"id":"2","due":"2024-07-01T04:00:00Z","amount":0.1,"whole":12.0}']);
        expect(collector.list()).toEqual([]);
      });
    });

    it('keep their day and all digits', async () => {
      const settings = { connectionString: `jdbc:sqlite:${file()}`, dates: 'plain' };
      expect(await jsonOf(sql, { ...settings, decimals: 'exact' })).toEqual([
        '{"id":"1","due":"2024-03-31","amount":12.5,"whole":9007199254740993}',
        '{"id":"2","due":"2024-07-01","amount":0.1,"whole":12.0}',
      ]);
      expect(await jsonOf(sql, { ...settings, decimals: 'string' })).toEqual([
        '{"id":"1","due":"2024-03-31","amount":"12.5","whole":"9007199254740993"}',
        '{"id":"2","due":"2024-07-01","amount":"0.1","whole":"12"}',
      ]);
    });
  });

  it('counts rows whose id repeats, as those of a join', async () => {
    const sql = 'select 1 as id, 2 as n union all select 1, 3 union all select 2, 4 union all select 1, 5';
    const { documents, collector } = await read(sql);
    expect(documents).toHaveLength(4);
    expect(collector.list()).toMatchObject([{ code: 'ids.repeated', count: 2, examples: [{ document: '1' }, {}] }]);
  });

  it('streams a table of many rows in order', async () => {
    const sql = 'with recursive n(id) as (select 1 union all select id + 1 from n where id < 50000) select id from n';
    const { documents } = await read(sql);
    expect(documents.length).toBe(50_000);
    expect(documents.at(-1)?.id).toBe('50000');
  });

  it('uses SQLite instead of H2, with a warning', async () => {
    const { json, warnings } = await read('select 1 as id, cast(9007199254740993 as bigint) as b', {
      connectionString: 'jdbc:h2:mem:',
    });
    expect(json).toEqual(['{"id":"1","b":9007199254740993}']);
    expect(warnings.join()).toMatch(/SQLite is used in its place/);
  });

  describe('preSQL and postSQL', () => {
    it('preSQL and postSQL run on the same connection, postSQL after all documents have finished', async () => {
      const file = fileWith('create table log (line text)');
      await read('select * from t', {
        connectionString: `jdbc:sqlite:${file}`,
        preSQL: 'create temp table t as select 1 as id',
        postSQL: "insert into log select 'done ' || id from t",
      });
      expect(await jsonOf('select line as id from log', { connectionString: `jdbc:sqlite:${file}` })).toEqual([
        '{"id":"done 1"}',
      ]);
    });

    it('failOnSQLError decides whether failures of preSQL and postSQL fail the connector', async () => {
      const failing = 'update nowhere set a = 1';
      const { json, warnings } = await read('select 1 as id', { preSQL: failing, postSQL: failing });
      expect(json).toEqual(['{"id":"1"}']);
      expect(warnings).toEqual([
        expect.stringMatching(/^preSQL failed, the connector continues: .*nowhere/),
        expect.stringMatching(/^postSQL failed, the connector continues: .*nowhere/),
      ]);
      for (const name of ['preSQL', 'postSQL']) {
        await expect(read('select 1 as id', { [name]: failing, failOnSQLError: true })).rejects.toMatchObject({
          code: 'HR_CONNECTOR_FAILED',
          message: expect.stringMatching(`^${name}: .*nowhere`),
        });
      }
    });

    it('preSQL and postSQL do not run in a preview, and postSQL does not run after a failure', async () => {
      const file = fileWith('create table log (line text)');
      const settings = { connectionString: `jdbc:sqlite:${file}`, postSQL: "insert into log values ('x')" };
      await expect(read('select nothing', settings)).rejects.toThrow(/syntax error/);
      const { warnings } = await read('select 1 as id', { ...settings, preSQL: 'delete from log' }, { preview: true });
      expect(warnings).toEqual(['preSQL does not run in a preview', 'postSQL does not run in a preview']);
      expect(await jsonOf('select line as id from log', settings)).toEqual([]);
    });
  });

  describe('the children of rows', () => {
    const parents = 'select 1 as id union all select 2 union all select 4 order by 1';
    const joined = async (children: string, sql = parents) =>
      (await read(sql, { otherSQLs: [children], otherJoinFields: ['p'] })).documents.map((document) =>
        [document.id, ...document.children().map((child) => `${child.id}:${child.text('v')}`)].join(' '),
      );

    it('children are found between rows of other parents', async () => {
      const sql =
        "select 0 as p, 'x' as v union all select 1, 'a' union all select 1, 'b' union all select 3, 'y' union all select 3, 'z' union all select 4, 'c' order by 1, 2";
      expect(await joined(sql)).toEqual(['1 0:a 1:b', '2', '4 0:c']);
    });

    it('children may be missing, have a NULL key, or have keys above 2^53', async () => {
      expect(await joined('select 1 as p where 0')).toEqual(['1', '2', '4']);
      expect(await joined("select null as p, 'n' as v union all select 2.0, 'd' order by 1")).toEqual([
        '1',
        '2 0:d',
        '4',
      ]);
      const long = 'select 9007199254740992 as id union all select 9007199254740993 order by 1';
      expect(await joined("select 9007199254740993 as p, 'l' as v", long)).toEqual([
        '9007199254740992',
        '9007199254740993 0:l',
      ]);
    });

    it('children belong to every row with their key', async () => {
      expect(await joined("select 1 as p, 'a' as v", 'select 1 as id union all select 1')).toEqual(['1 0:a', '1 0:a']);
    });

    it('children may have texts as keys', async () => {
      const sql = "select 'a' as p, 1 as v union all select 'b', 2 order by 1";
      expect(await joined(sql, "select 'a' as id union all select 'b' order by 1")).toEqual(['a 0:1', 'b 0:2']);
    });

    it('children may have keys with characters above U+FFFF, which databases sort last', async () => {
      const sql = "select '😀' as p, 2 as v union all select 'Ａ', 1 order by 1";
      expect(await joined(sql, "select '😀' as id union all select 'Ａ' order by 1")).toEqual(['Ａ 0:1', '😀 0:2']);
    });

    it('children fail the connector if the sort order would lose rows', async () => {
      await expect(joined('select 2 as p union all select 1')).rejects.toThrow(
        /otherSQLs\[0\] are not in ascending order/,
      );
      await expect(joined('select 1 as p', 'select 2 as id union all select 1')).rejects.toThrow(
        /rows of sql are not in ascending order/,
      );
      await expect(joined("select '1' as p")).rejects.toThrow(/different types/);
      await expect(joined('select 1 as q')).rejects.toThrow(/otherSQLs\[0\]: the result has no column p/);
    });
  });

  it('stops when the run is aborted', async () => {
    const publisher = new CollectingPublisher();
    const publish = publisher.publish.bind(publisher);
    publisher.publish = (document) => {
      if (publisher.documents.length === 10) publisher.abort();
      return publish(document);
    };
    const sql = 'with recursive n(id) as (select 1 union all select id + 1 from n) select id from n';
    await read(sql, {}, { publisher }).catch(() => undefined);
    expect(publisher.documents.length).toBe(11);
  });

  it('reports a database file that does not exist, with its path', async () => {
    await expect(read('select 1', { connectionString: 'jdbc:sqlite:/nowhere/a.db' })).rejects.toMatchObject({
      code: 'HR_SOURCE_UNREADABLE',
      message: 'sqlite:/nowhere/a.db: the file does not exist',
    });
  });

  it.each([
    ['jdbc:postgresql://h/d?sslmod=verify-full', 'sslmod', 'Did you mean sslmode?'],
    ['jdbc:postgresql://h/d?sslmode=verify-full&sslrootcert=/ca.pem&reWriteBatchedInserts=true', undefined, ''],
    ['jdbc:mariadb://h/d?sslMode=verify-full&serverSslCert=/ca.pem', undefined, ''],
    ['jdbc:mysql://h/d?useSSL=true&verifyServerCertificat=true', 'verifyservercertificat', 'verifyServerCertificate?'],
    ['jdbc:mysql://h/d?tlsVersions=TLSv1.3', 'tlsversions', 'Known are sslMode, useSSL, '],
    ['jdbc:sqlserver://h;databaseName=d;encrypted=true', 'encrypted', 'Did you mean encrypt?'],
    ['jdbc:sqlserver://h;encrypt=true;trustServerCertificate=false;hostNameInCertificate=h', undefined, ''],
    ['jdbc:jtds:sqlserver://h/d;ssl=require', undefined, ''],
  ])('warns about a misspelled security parameter in %s', (connectionString, name, hint) => {
    const params = { driver: 'org.postgresql.Driver', connectionString, sql: 'select 1', idField: 'id' };
    const found = [...DatabaseConnector.check(withDefaults(DatabaseConnector.parameters, params as never))];
    expect(found).toEqual(
      name === undefined
        ? []
        : [
            {
              parameter: 'connectionString',
              severity: 'warning',
              message: expect.stringContaining(`The parameter ${name} in the JDBC URL is not known`),
              hint: expect.stringContaining(hint),
            },
          ],
    );
  });

  it('checks its parameters without a connection', () => {
    const good = { driver: 'org.sqlite.JDBC', connectionString: MEMORY, sql: 'select 1', idField: 'id' };
    const problems = (more: object) =>
      [...DatabaseConnector.check(withDefaults(DatabaseConnector.parameters, { ...good, ...more } as never))].map(
        ({ parameter }) => parameter,
      );
    expect(problems({})).toEqual([]);
    expect(problems({ otherSQLs: ['a', 'b'], otherJoinFields: ['x'] })).toEqual(['otherJoinFields']);
    expect(problems({ otherSQLs: ['a'] })).toEqual(['otherJoinFields']);
    expect(problems({ sql: ' ', idField: '' })).toEqual(['sql', 'idField']);
    expect(problems({ driver: 'x.Y', connectionString: 'jdbc:oracle:thin:@h:1:X' })).toEqual([
      'driver',
      'connectionString',
    ]);
  });
});

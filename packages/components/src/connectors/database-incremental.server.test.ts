import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { HeadraceError, silentNotices, withDefaults } from '@headrace/engine';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterAll, describe, expect, it } from 'vitest';
import { Database } from '../database/database.ts';
import { type ConnectorSettings, runConnector } from '../database/testing/run-connector.ts';
import { CollectingPublisher } from '../formats/testing/collecting-publisher.ts';
import { DatabaseConnector } from './database-connector.ts';

const root = mkdtempSync(join(tmpdir(), 'headrace-incremental-'));
afterAll(() => rmSync(root, { recursive: true }));
let states = 0;

/** Runs the connector repeatedly with the same state, and returns the ids that each run reads. */
class Runs {
  readonly #settings: ConnectorSettings;

  constructor(settings: Omit<ConnectorSettings, 'state'>) {
    const state = { connectionString: `jdbc:sqlite:${join(root, `state-${states++}.db`)}` };
    this.#settings = { state, ...settings } as unknown as ConnectorSettings;
  }

  async ids(options: Parameters<typeof runConnector>[1] = {}): Promise<string[]> {
    return (await runConnector(this.#settings, options)).documents.map(({ id }) => id);
  }
}

/** The publisher of a run whose documents could not be delivered. */
class Undelivering extends CollectingPublisher {
  override settled(): Promise<void> {
    return Promise.reject(new HeadraceError('HR_INDEXER_UNDELIVERED', 'away'));
  }
}

function sqliteFile(...statements: string[]): { file: string; change: (sql: string) => void } {
  const file = join(root, `data-${states++}.db`);
  const change = (sql: string) => {
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  };
  for (const statement of statements) change(statement);
  return { file, change };
}

describe('DatabaseConnector with incremental', () => {
  const start = () => {
    const { file, change } = sqliteFile(
      'CREATE TABLE t (id INTEGER, at TEXT)',
      "INSERT INTO t VALUES (3, '2024-03'), (1, '2024-01'), (2, '2024-02'), (9, NULL)",
    );
    const runs = new Runs({
      connectionString: `jdbc:sqlite:${file}`,
      sql: 'SELECT id, at AS Changed FROM t WHERE at >= ? -- every row; and no more',
      incremental: { column: 'CHANGED', initial: '2024' },
    });
    return { runs, change };
  };

  it('reads new rows and the rows with the remembered value in the next run', async () => {
    const { runs, change } = start();
    expect(await runs.ids()).toEqual(['3', '1', '2']);
    expect(await runs.ids()).toEqual(['3']);
    change("INSERT INTO t VALUES (4, '2024-03'), (5, '2024-04'), (6, '2024-01')");
    expect(await runs.ids()).toEqual(['3', '4', '5']);
    change("DELETE FROM t WHERE at >= '2024-03'");
    expect(await runs.ids()).toEqual([]);
    change("INSERT INTO t VALUES (7, '2024-04')");
    expect(await runs.ids()).toEqual(['7']);
  });

  it('remembers nothing of a failed, undelivered or preview run', async () => {
    const { runs } = start();
    expect(await runs.ids({ publisher: new Undelivering() })).toEqual(['3', '1', '2']);
    expect(await runs.ids({ preview: true })).toEqual(['3', '1', '2']);
    const failing = new CollectingPublisher();
    failing.publish = (document) => {
      if (document.id === '2') throw new Error('the run fails here');
    };
    await expect(runs.ids({ publisher: failing })).rejects.toThrow('the run fails here');
    expect(await runs.ids()).toEqual(['3', '1', '2']);
    expect(await runs.ids()).toEqual(['3']);
    expect(await runs.ids({ preview: true })).toEqual(['3', '1', '2']);
  });

  it('remembers integers above 2^53 exactly, and binds every ?', async () => {
    const { file, change } = sqliteFile(
      'CREATE TABLE t (id INTEGER)',
      'INSERT INTO t VALUES (9007199254740992), (9007199254740993)',
    );
    const runs = new Runs({
      connectionString: `jdbc:sqlite:${file}`,
      sql: 'SELECT id FROM t WHERE id >= ? AND id >= ? ORDER BY id;',
      incremental: { column: 'id', initial: 0 as never },
    });
    expect(await runs.ids()).toEqual(['9007199254740992', '9007199254740993']);
    change('INSERT INTO t VALUES (9007199254740994)');
    expect(await runs.ids()).toEqual(['9007199254740993', '9007199254740994']);
  });

  it('starts again if another column is named', async () => {
    const { file } = sqliteFile('CREATE TABLE t (id INTEGER, n INTEGER)', 'INSERT INTO t VALUES (1, 50), (2, 60)');
    const settings = {
      connectionString: `jdbc:sqlite:${file}`,
      state: { connectionString: `jdbc:sqlite:${join(root, `state-${states++}.db`)}` },
    };
    const byN = { ...settings, sql: 'SELECT * FROM t WHERE n >= ?', incremental: { column: 'n', initial: '0' } };
    const byId = { ...settings, sql: 'SELECT * FROM t WHERE id >= ?', incremental: { column: 'id', initial: '0' } };
    expect((await runConnector(byN)).documents).toHaveLength(2);
    expect((await runConnector(byN)).documents).toHaveLength(1);
    expect((await runConnector(byId)).documents).toHaveLength(2);
    expect((await runConnector(byId)).documents).toHaveLength(1);
  });

  it('reports a missing column, a column of bytes, and a query without ?', async () => {
    const run = (sql: string, column = 'n') =>
      new Runs({ connectionString: 'jdbc:sqlite::memory:', sql, incremental: { column, initial: '0' } }).ids();
    await expect(run('SELECT 1 AS id, 2 AS m WHERE 1 > ?')).rejects.toThrow(/no column n, which incremental.column/);
    await expect(run("SELECT 1 AS id, x'00' AS n WHERE 1 > ?")).rejects.toThrow(/has neither numbers nor dates/);
    await expect(run("SELECT 1 AS id, '?' AS n")).rejects.toThrow(/sql has no \?/);
  });

  it('checks the parameter incremental', () => {
    const problemsOf = (more: Record<string, unknown>) =>
      [
        ...DatabaseConnector.check(
          withDefaults(DatabaseConnector.parameters, {
            driver: 'org.postgresql.Driver',
            connectionString: 'jdbc:postgresql://h/d',
            jdbcUser: 'u',
            jdbcPassword: 'p',
            sql: 'SELECT id FROM t WHERE id >= ?',
            idField: 'id',
            ...more,
          } as never),
        ),
      ].map(({ severity = 'error', parameter, message }) => `${severity} ${parameter}: ${message}`);
    const incremental = { column: 'id', initial: '0' };
    expect(problemsOf({ incremental })).toEqual([]);
    expect(problemsOf({ incremental, sql: 'SELECT id FROM t' })).toEqual([
      'error sql: sql has no ? for the value that incremental remembers',
    ]);
    expect(problemsOf({ incremental, sql: 'SELECT id FROM t WHERE id > ? LIMIT 5' })).toEqual([
      'warning sql: Later rows with exactly the remembered value are missed',
      'warning sql: sql limits its rows without ORDER BY: rows beyond the limit are never read',
    ]);
    expect(problemsOf({ state: {} })).toEqual(['warning state: state has no effect without incremental']);
    expect(problemsOf({ incremental, state: { connectionString: 'jdbc:sqlserver://h' } })).toEqual([
      'error state.connectionString: state.connectionString: state cannot be kept in SQL Server',
    ]);
    const server = { driver: 'com.microsoft.sqlserver.jdbc.SQLServerDriver', connectionString: 'jdbc:sqlserver://h' };
    expect(problemsOf({ ...server, incremental })).toEqual([
      'error incremental: incremental is not supported for SQL Server',
    ]);
  });
});

/** Values of columns in SQL, in ascending order. Each run reads the last old value and the added ones. */
const COLUMNS = {
  postgres: [
    ['bigint', '0', '9007199254740992', '9007199254740993', '9007199254740994'],
    ['numeric', '0', '0.1', '12345678901234567890.000000001', '12345678901234567890.000000002'],
    ['timestamp', '1970-01-01', "'2024-05-06 07:08:09.000001'", "'2024-05-06 07:08:09.000002'", "'2024-05-07'"],
    [
      'timestamptz',
      '1970-01-01',
      "'2024-10-27 00:30:00.5Z'",
      "'2024-10-27 01:30:00.5Z'",
      "'2024-10-27 01:30:00.500001Z'",
    ],
    ['date', '1970-01-01', "'2024-05-06'", "'2024-05-07'", "'2024-05-08'"],
    ['text', '', "'a'", "'b?'", "'c'"],
  ],
  mariadb: [
    ['bigint', '0', '9007199254740992', '9007199254740993', '9007199254740994'],
    ['bigint', '-10', '-5', '-4', '3'],
    ['bigint unsigned', '0', '9223372036854775807', '18446744073709551614', '18446744073709551615'],
    ['decimal(40,10)', '0', '0.1', '12345678901234567890.0000000001', '12345678901234567890.0000000002'],
    ['datetime(6)', '1970-01-01', "'2024-05-06 07:08:09.000001'", "'2024-05-06 07:08:09.000002'", "'2024-05-07'"],
    ['timestamp(6)', '1971-01-01', "'2024-05-06 07:08:09.000001'", "'2024-05-06 07:08:09.000002'", "'2024-05-07'"],
    ['date', '1970-01-01', "'2024-05-06'", "'2024-05-07'", "'2024-05-08'"],
    ['varchar(20)', '', "'00123'", "'B?'", "'c'"],
  ],
} as const;

await describeWithServer('postgres', (server) => {
  it('fails for an infinite time, because no later row would be new', async () => {
    const runs = new Runs({
      connectionString: `jdbc:${server.url}`,
      sql: "SELECT 1 AS id, 'infinity'::timestamp AS at WHERE now() >= ?",
      incremental: { column: 'at', initial: '1970-01-01' },
    });
    await expect(runs.ids()).rejects.toThrow('The highest value of the column at is infinity');
  });
});

for (const name of ['postgres', 'mariadb'] as const) {
  await describeWithServer(name, (server) => {
    const settings = () =>
      name === 'postgres'
        ? { connectionString: `jdbc:${server.url}`, jdbcUser: '', jdbcPassword: '' }
        : { connectionString: `jdbc:${server.url.replace(/^mysql/, 'mariadb')}`, jdbcUser: '', jdbcPassword: '' };
    const log = new CollectingPublisher().log;
    const execute = async (...statements: string[]) => {
      const connection = await (await Database.open(settings(), log)).connect();
      for (const statement of statements) await connection.execute(statement);
      await connection.close();
    };

    it('validate --connect prepares a query with placeholders, and finds mistakes in it', async () => {
      const problems: unknown[] = [];
      const reach = async (sql: string) => {
        const params = { driver: 'd', idField: 'id', sql, incremental: { column: 'id', initial: '0' }, ...settings() };
        const context = {
          name: `reach-${states}`,
          docIdPrefix: '',
          runId: 'r',
          log,
          notices: silentNotices,
          preview: false,
        };
        const connector = new DatabaseConnector(withDefaults(DatabaseConnector.parameters, params as never), {
          ...context,
          signal: new AbortController().signal,
        });
        await connector.reach((problem) => problems.push(problem));
        await connector.close();
      };
      await reach('SELECT 1 AS id WHERE 1 >= ?');
      expect(problems).toEqual([]);
      await reach('SELECT 1 AS id FROM no_such_table WHERE 1 >= ?');
      expect(problems).toMatchObject([{ parameter: 'sql', message: expect.stringContaining('no_such_table') }]);
    });

    it.each(COLUMNS[name].map((column) => [...column]))(
      'continues a column of %s from %s',
      async (type, initial, ...values) => {
        const table = `inc_${crypto.randomUUID().slice(0, 8)}`;
        await execute(`CREATE TABLE ${table} (id int, v ${type})`, `INSERT INTO ${table} VALUES (100, NULL)`);
        const runs = new Runs({
          ...settings(),
          sql: `SELECT id, v AS "at" FROM ${table} WHERE v >= ? ORDER BY id`.replaceAll(
            '"',
            name === 'mariadb' ? '`' : '"',
          ),
          incremental: { column: 'AT', initial: initial as string },
          state: { ...settings(), tableName: `${table}_state` },
        } as never);
        expect(await runs.ids()).toEqual([]);
        for (const [i, value] of values.entries()) {
          await execute(`INSERT INTO ${table} VALUES (${i}, ${value})`);
          const last = i === 0 ? [] : [String(i - 1)];
          expect(await runs.ids()).toEqual([...last, String(i)]);
        }
      },
    );
  });
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  assertStageContract,
  makeStage,
  type RefusedParameters,
  runStage,
  stageContext,
} from '@headrace/engine/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QueryDatabase } from './query-database.ts';

const root = mkdtempSync(join(tmpdir(), 'headrace-query-'));
const file = join(root, 'a.db');
beforeAll(() => {
  const database = new DatabaseSync(file);
  database.exec('create table city (zip integer, name text, lat real, note text)');
  database.exec("insert into city values (1, 'Ulm', 48.4, null), (2, 'Bonn', 50.7, 'b'), (2, 'Beuel', 50.7, null)");
  database.close();
});
afterAll(() => rmSync(root, { recursive: true }));

const params = {
  driver: 'org.sqlite.JDBC',
  connectionString: `jdbc:sqlite:${file}`,
  jdbcUser: '',
  jdbcPassword: '',
  sql: 'select name as NAME, lat, note from city where zip = ? order by rowid',
  keyFields: ['zip'],
  inputTypes: ['Integer'],
  fieldMapping: { name: 'city', lat: 'latitude', note: 'note' },
};

async function lookup(document: Record<string, unknown>, more: object = {}): Promise<unknown> {
  const [{ documents, error } = { documents: [] as string[], error: undefined }] = await runStage(
    QueryDatabase,
    { ...params, ...more },
    [{ id: '1', ...document }],
  );
  return error ?? JSON.parse(documents[0] as string);
}

describe('QueryDatabase', () => {
  it('satisfies the stage contract', () =>
    assertStageContract(QueryDatabase, { params, document: { id: '1', zip: 2 } }));

  it('adds the columns of each row to the fields, except NULL', async () => {
    expect(await lookup({ zip: 1 })).toEqual({ id: '1', zip: 1, city: 'Ulm', latitude: 48.4 });
    expect(await lookup({ zip: '2', city: 'old' })).toEqual({
      id: '1',
      zip: '2',
      city: ['old', 'Bonn', 'Beuel'],
      latitude: [50.7, 50.7],
      note: 'b',
    });
    expect(await lookup({ zip: 3 })).toEqual({ id: '1', zip: 3 });
  });

  it('binds the first value of a list, and null as NULL', async () => {
    expect(await lookup({ zip: [1, 2] })).toMatchObject({ city: 'Ulm' });
    expect(await lookup({ zip: null })).toEqual({ id: '1', zip: null });
    expect(await lookup({ zip: null }, { sql: 'select 1 as name, 2 as lat, 3 as note where ? is null' })).toMatchObject(
      { city: 1 },
    );
  });

  it('fails a document without a key field', async () => {
    expect(await lookup({})).toMatch(/Field "zip", a key of the query, is missing/);
    expect(await lookup({ zip: [] })).toMatch(/missing/);
  });

  it.each([
    ['String', 'a', '"a"'],
    ['String', 1.0, '"1"'],
    ['Integer', '12x', '0'],
    ['Integer', '12', '12'],
    ['Integer', 3.9, '3'],
    ['Integer', -3.9, '-3'],
    ['Integer', true, '1'],
    ['Long', '9007199254740993', '9007199254740993'],
    ['Double', '1.5', '1.5'],
    ['Double', 'x', '0.0'],
    ['Boolean', 'true', '1'],
    ['Boolean', 'yes', '0'],
    ['Boolean', 2, '1'],
    ['Boolean', 0, '0'],
  ])('binds as %s the value %j, which the database reads as %s', async (type, value, expected) => {
    const [outcome] = await runStage(
      QueryDatabase,
      {
        ...params,
        sql: 'select json_quote(?) as name',
        keyFields: ['k'],
        inputTypes: [type],
        fieldMapping: { name: 'bound' },
      },
      [{ id: '1', k: value }],
    );
    const { bound } = JSON.parse(outcome?.documents[0] as string);
    expect(type === 'Double' ? Number(bound) : bound).toBe(type === 'Double' ? Number(expected) : expected);
  });

  it('binds a date as its day in the zone of the process', async () => {
    const noon = new Date(2024, 0, 2, 12);
    const date = { sql: 'select ? as name', inputTypes: ['Date'], fieldMapping: { name: 'bound' } };
    expect(await lookup({ zip: noon.toISOString() }, date)).toMatchObject({ bound: '2024-01-02' });
    expect(await lookup({ zip: 'tomorrow' }, date)).toMatch(/Field "zip" is not an instant/);
  });

  it('reports a missing column with the existing columns', async () => {
    expect(await lookup({ zip: 1 }, { fieldMapping: { town: 'city' } })).toMatch(/no column town/);
  });

  it('refuses invalid parameters before the start', () => {
    const refused = (more: object) => {
      try {
        makeStage(QueryDatabase, { ...params, ...more });
        return [];
      } catch (error) {
        return (error as RefusedParameters).problems.map(({ path }) => path);
      }
    };
    expect(refused({})).toEqual([]);
    expect(refused({ inputTypes: ['Text'] })).toEqual(['inputTypes[0]']);
    expect(refused({ inputTypes: [] })).toEqual(['inputTypes']);
    expect(refused({ sql: '' })).toEqual(['sql']);
    expect(refused({ fieldMapping: { a: 'run_id', b: '' } })).toEqual(['fieldMapping.a', 'fieldMapping.b']);
    expect(refused({ connectionString: 'jdbc:oracle:thin:@h:1:X' })).toEqual(['connectionString']);
  });

  it('does not start if the statement has a wrong number of values or the file is missing', async () => {
    await expect(runStage(QueryDatabase, { ...params, sql: 'select 1' }, [])).rejects.toThrow(
      /takes 0 values.*names 1/,
    );
    const elsewhere = { ...params, connectionString: 'jdbc:sqlite:/nowhere.db', connectionRetryPause: 1 };
    await expect(runStage(QueryDatabase, elsewhere, [])).rejects.toThrow(/does not exist/);
  });

  it('fails if the statement is not a query', async () => {
    expect(await lookup({ zip: 1 }, { sql: "update city set note = 'x' where zip = ?" })).toMatch(/returns no rows/);
    expect(await lookup({ zip: 1 })).toMatchObject({ city: 'Ulm' });
  });

  it('warns that SQLite is used for H2', async () => {
    const context = stageContext();
    const h2 = { ...params, connectionString: 'jdbc:h2:mem:x', sql: 'select ? as name', fieldMapping: { name: 'n' } };
    await runStage(QueryDatabase, h2, [{ id: '1', zip: 1 }], context);
    expect(context.logged.join()).toMatch(/SQLite is used/);
  });
});

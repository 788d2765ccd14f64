import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { withDefaults } from 'headrace/engine';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ParquetConnector } from '../parquet-connector.ts';
import { readDocuments } from '../testing/read-documents.ts';

/** Returns a file with a row whose id is given, and columns whose text is the name of the file. */
function fileOf(id: string, columns: readonly string[] = []): Buffer {
  return Buffer.from(
    parquetWriteBuffer({
      columnData: [
        { name: 'id', type: 'STRING', data: [id] },
        ...columns.map((name) => ({ name, type: 'STRING' as const, data: ['file'] })),
      ],
    }),
  );
}

/** Writes a file in each folder. Its id is the number of the folder. */
function lakeOf(...paths: string[]): string {
  const lake = mkdtempSync(join(tmpdir(), 'headrace-lake-'));
  onTestFinished(() => rmSync(lake, { recursive: true }));
  for (const [i, path] of paths.entries()) put(join(lake, path), fileOf(String(i)));
  return lake;
}

function put(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

type Params = Parameters<typeof readDocuments>[0];

async function read(path: string, params: Params = {}) {
  const found = await readDocuments({ paths: [path.replaceAll('%', '%25').replaceAll(' ', '%20')], ...params });
  return { ...found, json: found.json.toSorted() };
}

describe('ParquetConnector with folders of partitions', () => {
  it('reads columns from the names of folders, typed by all their values', async () => {
    const lake = lakeOf(
      'dt=2026-01-01/month=01/region=EU/zip=01234/a.parquet',
      'dt=2026-01-01/month=12/region=a%2Fb%3A%C3%BC%zz/zip=12345/a.parquet',
      'dt=__HIVE_DEFAULT_PARTITION__/month=2/region=1/zip=/a.parquet',
    );
    expect((await read(lake)).json).toEqual([
      '{"id":"0","dt":"2026-01-01","month":1,"region":"EU","zip":"01234"}',
      '{"id":"1","dt":"2026-01-01","month":12,"region":"a/b:ü%zz","zip":"12345"}',
      '{"id":"2","month":2,"region":"1","zip":""}',
    ]);
  });

  it('reports numbers that lose zeros at their start, unless they can be months or days', async () => {
    const lake = lakeOf('zip=01234/month=01/a.parquet', 'zip=99999/month=12/a.parquet');
    const { json, notices } = await read(lake);
    expect(json).toEqual(['{"id":"0","zip":1234,"month":1}', '{"id":"1","zip":99999,"month":12}']);
    const hint = 'Set partitionTypes { zip: text }.';
    const file = `file://${lake}/zip=01234/month=01/a.parquet`;
    expect(notices).toEqual([['partition.zeros', { file, field: 'zip', value: '01234', hint }]]);
    const asText = await read(lake, { partitionTypes: new Map([['zip', 'text']]) });
    expect([asText.json[0], asText.notices]).toEqual(['{"id":"0","zip":"01234","month":1}', []]);
  });

  it('uses the types of the config, and reports values that have another one', async () => {
    const lake = lakeOf('n=01/x=1.5/at=2026-01-01 10%3A00%3A00/ok=true/a.parquet', 'n=2/x=2/ok=false/a.parquet');
    const types = { n: 'text', x: 'number', at: 'timestamp', ok: 'boolean' } as const;
    expect((await read(lake, { partitionTypes: new Map(Object.entries(types)) })).json).toEqual([
      '{"id":"0","n":"01","x":1.5,"at":"2026-01-01T10:00:00","ok":true}',
      '{"id":"1","n":"2","x":2.0,"ok":false}',
    ]);
    await expect(read(lake, { partitionTypes: new Map([['x', 'integer']]) })).rejects.toThrow(
      'the partition column x: "1.5" must be a whole number',
    );
  });

  it('reads no columns from folders if the config says so', async () => {
    const lake = lakeOf('dt=1/a.parquet');
    expect((await read(lake, { partitions: false })).json).toEqual(['{"id":"0"}']);
  });

  it('prefers the column of the folder to that of the file, and adds it after the others', async () => {
    const lake = lakeOf();
    put(join(lake, 'dt=2026-01-01/a.parquet'), fileOf('x', ['dt', 'other']));
    expect((await read(lake)).json).toEqual(['{"id":"x","other":"file","dt":"2026-01-01"}']);
    expect((await read(lake, { filter: new Map([['dt', 'file']]) }).catch(String)) as unknown).toContain(
      'must be a date',
    );
    expect((await read(lake, { columns: ['dt'], idField: 'other' })).json).toEqual(['{"id":"file","dt":"2026-01-01"}']);
    expect((await read(lake, { columns: [], idField: 'dt' })).json).toEqual(['{"id":"2026-01-01"}']);
  });

  it('lists only folders that pass the filter', async () => {
    const lake = lakeOf('dt=2026-01-01/c=DE/a.parquet', 'dt=2026-01-01/c=FR/a.parquet', 'dt=2026-01-02/c=DE/a.parquet');
    put(join(lake, 'dt=__HIVE_DEFAULT_PARTITION__/c=DE/a.parquet'), fileOf('3'));
    // These folders have no Parquet file.
    for (const path of ['dt=2025-12-31', 'dt=2026-01-01/c=IT']) {
      mkdirSync(join(lake, path));
      writeFileSync(join(lake, path, 'bad.parquet'), 'no Parquet');
    }
    const ids = async (filter: [string, unknown][]) => {
      const { json, rejected } = await read(lake, { columns: [], filter: new Map(filter) });
      return [json.map((text) => JSON.parse(text).id), rejected.length];
    };
    expect(
      await ids([
        ['dt', new Map([['gte', '2026-01-01']])],
        ['c', 'DE'],
      ]),
    ).toEqual([['0', '2'], 0]);
    expect(
      await ids([
        ['dt', new Map([['ne', '2025-12-31']])],
        ['c', new Map([['in', ['FR', 'DE']]])],
      ]),
    ).toEqual([['0', '1', '2', '3'], 0]);
    expect(
      await ids([
        ['id', '2'],
        ['c', new Map([['lt', 'F']])],
      ]),
    ).toEqual([['2'], 1]);
    // Because of the filter, there are no documents.
    expect(await ids([['dt', '1999-12-31']])).toEqual([[], 0]);
  });

  it('reads the columns of the folders that the config names', async () => {
    const lake = lakeOf('a=1/dt=2026-01-01/b=2/x.parquet');
    const json = ['{"id":"0","a":1,"dt":"2026-01-01","b":2}'];
    expect((await read(join(lake, 'a=1'))).json).toEqual(json);
    expect((await read(join(lake, 'a=1/dt=2026-01-01/b=2/x.parquet'))).json).toEqual(json);
    expect((await read(join(lake, 'a=*/dt=2026-*/b=2/*.parquet'))).json).toEqual(json);
    expect((await read(join(lake, 'a=1/**/*.parquet'))).json).toEqual(json);
    const before = process.cwd();
    process.chdir(join(lake, 'a=1'));
    onTestFinished(() => process.chdir(before));
    expect((await read('dt=2026-01-01')).json).toEqual(['{"id":"0","dt":"2026-01-01","b":2}']);
    expect((await read('.')).json).toEqual(['{"id":"0","dt":"2026-01-01","b":2}']);
    expect((await read('dt=*/**/*.parquet')).json).toEqual(['{"id":"0","dt":"2026-01-01","b":2}']);
  });

  it('omits files and folders whose names begin with _ or a dot, unless the config names them', async () => {
    const lake = lakeOf(
      'a.parquet',
      '_b.parquet',
      '.c.parquet',
      '_temporary/0/d.parquet',
      '.tmp/e.parquet',
      '_f=1/g.parquet',
    );
    const ids = async (path: string) =>
      (await read(join(lake, path), { columns: [] })).json.map((text) => JSON.parse(text).id);
    expect(await ids('')).toEqual(['0', '5']);
    expect(await ids('**/*.parquet')).toEqual(['0', '5']);
    expect(await ids('_temporary')).toEqual(['3']);
    expect(await ids('_b.parquet')).toEqual(['1']);
    expect(await ids('_temp*/*/*.parquet')).toEqual(['3']);
    symlinkSync('missing', join(lake, '.link'));
    expect((await read(lake, { columns: [] })).notices).toEqual([]);
  });

  it('refuses Hudi tables, and their files', async () => {
    const lake = lakeOf('hudi/dt=1/a.parquet', 'metadata/b.parquet');
    mkdirSync(join(lake, 'hudi/.hoodie'));
    await expect(read(lake)).rejects.toThrow(`${lake}/hudi is a Hudi table, which cannot be read`);
    await expect(read(join(lake, 'hudi/dt=1'))).rejects.toThrow('names files of the Hudi table');
    expect((await read(join(lake, 'metadata'))).json).toEqual(['{"id":"1"}']);
    await expect(read(join(lake, 'metadata'), { version: '1' })).rejects.toThrow(
      'is a file that is not part of a table',
    );
  });

  it.each([
    [{ version: 'new' }, 'version must be a whole number, was new'],
    [{ timestamp: 'yesterday' }, 'timestamp must be a date or an instant, was yesterday'],
    [{ timestamp: '2026-01-01', version: '1' }, 'version and timestamp are both set'],
  ])('reports a mistake in %j', (params, message) => {
    const given = { idField: 'id', paths: ['a'], ...params };
    const problems = [...ParquetConnector.check(withDefaults(ParquetConnector.parameters, given as never))];
    expect(problems.map((problem) => problem.message)).toEqual([message]);
  });
});

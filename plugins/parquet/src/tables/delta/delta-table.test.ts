import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ParquetWriter, parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readDocuments } from '../../testing/read-documents.ts';

/** Tables that make-delta-tables.py wrote, with the rows that the library deltalake reads. */
const folder = new URL('../../testing/delta/', import.meta.url).pathname;

type Row = Record<string, unknown> & { id: string };
type ParquetSchema = NonNullable<ConstructorParameters<typeof ParquetWriter>[0]['schema']>;
type Params = Parameters<typeof readDocuments>[0];

function expected(table: string, version = 'newest'): Row[] {
  const rows = (JSON.parse(readFileSync(`${folder}${table}/expected.json`, 'utf8')) as Record<string, Row[]>)[version];
  // A null is a missing field of a document.
  return (rows ?? []).map(
    (row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Row,
  );
}

async function read(table: string, params: Params = {}) {
  const found = await readDocuments({ paths: [table.startsWith('/') ? table : `${folder}${table}`], ...params });
  const rows = found.json.map((text) => JSON.parse(text) as Row);
  return { ...found, rows: rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)), ids: rows.map(({ id }) => id) };
}

/** Copies a table. */
function copyOf(table: string): { path: string; log: (version: number) => string } {
  const path = mkdtempSync(join(tmpdir(), 'headrace-delta-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  cpSync(`${folder}${table}`, path, { recursive: true });
  return { path, log: (version) => join(path, '_delta_log', `${String(version).padStart(20, '0')}.json`) };
}

/** Replaces a text in a commit. */
function edit(path: string, from: string | RegExp, to: string): void {
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(from);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
}

describe('ParquetConnector with a Delta table', () => {
  it.each(['updated', 'parts', 'sidecars', 'sidecars-json'])('reads the newest version of %s', async (table) => {
    const { rows, rejected } = await read(table);
    expect(rejected).toEqual([]);
    expect(rows).toEqual(expected(table));
    expect(rows.length).toBeGreaterThan(0);
  });

  it('reads partitions of all types, columns that were added, and a log that begins with a checkpoint', async () => {
    const { rows, rejected } = await read('partitioned', { decimals: 'text' });
    expect(rejected).toEqual([]);
    expect(rows).toEqual(expected('partitioned'));
    expect(rows.length).toBe(3);
  });

  it('reads only the files whose partition passes a filter', async () => {
    const select = (filter: [string, unknown][]) => read('partitioned', { filter: new Map(filter) });
    expect((await select([['day', '2026-01-02']])).message).toBe(
      '1 files, the filter excluded 2 others by their partitions',
    );
    expect((await select([['n', new Map([['lt', 0]])]])).ids).toEqual(['a2']);
    expect((await select([['price', 1.5]])).ids).toEqual(['a4']);
    expect((await select([['country', new Map([['ne', 'DE']])]])).ids.toSorted()).toEqual(['a2', 'a3']);
    // The first file does not have the column v, so its value is null.
    expect((await select([['v', 3]])).ids).toEqual(['a3']);
    await expect(select([['day', 'today']])).rejects.toThrow('filter.day: "today" must be a date');
  });

  it('reads the columns that the config names', async () => {
    const { json } = await read('partitioned', {
      columns: ['day', 'v'],
      idField: 'country',
      filter: new Map([['v', 2]]),
    });
    expect(json).toEqual(['{"id":"a/b c%:ü","day":"2026-01-02","v":2}']);
  });

  it.each([0, 1, 2, 3])('omits the rows of the deletion vector of version %i', async (version) => {
    const { ids, rejected } = await read('vectors', { version: String(version) });
    expect(rejected).toEqual([]);
    const numbers = ids.map(Number);
    const { count, sum, first, last } = JSON.parse(readFileSync(`${folder}vectors/expected-${version}.json`, 'utf8'));
    expect([numbers.length, numbers.reduce((a, b) => a + b, 0)]).toEqual([count, sum]);
    expect([numbers.slice(0, 3), numbers.slice(-3)]).toEqual([first, last]);
  });

  it('applies limit, start and filter to a file with deleted rows', async () => {
    expect((await read('vectors', { version: '1', limit: 5 })).ids).toEqual(['1', '2', '3', '4', '6']);
    expect((await read('vectors', { version: '1', start: 9997 })).ids).toEqual(['9997', '9998']);
    const filter = new Map([['id', new Map([['gte', 9997]])]]);
    expect((await read('vectors', { version: '1', filter })).ids).toEqual(['9997', '9998']);
  });

  it.each(['name', 'id'])('reads renamed, moved, dropped and added columns with column mapping by %s', async (mode) => {
    const { rows, rejected } = await read(`mapped-${mode}`);
    expect(rejected).toEqual([]);
    // The library deltalake 1.6 does not read column mapping by id.
    expect(rows).toEqual(expected('mapped-name'));
    expect(Object.keys(rows[0] as Row)).toEqual(['id', 'renamed', 'name', 'part', 'st', 'list']);
    expect((await read(`mapped-${mode}`, { filter: new Map([['renamed', 7]]) })).ids).toEqual(['m1']);
  });

  it('reads columns whose type was widened, and rejects a file whose values would change', async () => {
    const path = mkdtempSync(join(tmpdir(), 'headrace-delta-'));
    onTestFinished(() => rmSync(path, { recursive: true }));
    mkdirSync(join(path, '_delta_log'));
    const schema: ParquetSchema = [
      { name: 'root', num_children: 4 },
      { name: 'id', type: 'INT32', repetition_type: 'REQUIRED' },
      { name: 'n', type: 'INT32', repetition_type: 'REQUIRED' },
      { name: 'f', type: 'FLOAT', repetition_type: 'REQUIRED' },
      { name: 'd', type: 'INT32', repetition_type: 'REQUIRED', converted_type: 'DECIMAL', precision: 5, scale: 2 },
    ];
    const columnData = [1, 7, 0.5, 1.25].map((value, i) => ({ name: schema[i + 1]?.name as string, data: [value] }));
    writeFileSync(join(path, 'a.parquet'), Buffer.from(parquetWriteBuffer({ schema, columnData })));
    const readAs = (types: Record<string, string>) => {
      const fields = Object.entries(types).map(([name, type]) => ({ name, type, nullable: true, metadata: {} }));
      const actions = [
        { protocol: { minReaderVersion: 3, minWriterVersion: 7, readerFeatures: ['typeWidening'] } },
        { metaData: { schemaString: JSON.stringify({ type: 'struct', fields }), partitionColumns: [] } },
        { add: { path: 'a.parquet', partitionValues: {} } },
      ];
      writeFileSync(
        join(path, '_delta_log/00000000000000000000.json'),
        actions.map((action) => JSON.stringify(action)).join('\n'),
      );
      return read(path);
    };
    const { json } = await readAs({ id: 'long', n: 'long', f: 'double', d: 'decimal(20,2)' });
    expect(json).toEqual(['{"id":"1","n":7,"f":0.5,"d":"1.25"}']);
    for (const [types, message] of [
      [{ n: 'double' }, 'the column n is INT32 in this file, and DOUBLE in the table'],
      [{ d: 'decimal(20,3)' }, 'the column d is DECIMAL(5, 2) in this file, and DECIMAL(20, 3) in the table'],
      [{ f: 'string' }, 'the column f is FLOAT in this file, and TEXT in the table'],
      [{ n: 'date' }, 'the column n is INT32 in this file, and DATE in the table'],
    ] as const) {
      expect((await readAs({ id: 'long', ...types })).rejected.map((one) => one.message)).toEqual([message]);
    }
  });

  it('reads the version of a time, which is in the commits', async () => {
    const at = async (timestamp: string) => (await read('updated', { timestamp })).rows;
    expect(await at('2026-01-01')).toEqual(expected('updated', '0'));
    expect(await at('2026-01-02T23:59:59.999Z')).toEqual(expected('updated', '1'));
    expect(await at('2026-01-03T01:00:00+01:00')).toEqual(expected('updated'));
    await expect(at('2025-12-31')).rejects.toThrow('its oldest version that can be read is newer than 2025-12-31');
  });

  it('reads old versions that can be read, and says why the others cannot', async () => {
    const { path } = copyOf('updated');
    expect((await read('updated', { version: '1' })).rows).toEqual(expected('updated', '1'));
    await expect(read('updated', { version: '3' })).rejects.toThrow('it has no version 3: the newest one is 2');
    rmSync(join(path, '_delta_log', '00000000000000000001.json'));
    await expect(read(path)).rejects.toThrow(
      'its version 2 cannot be read: the commit 1 is missing, and no checkpoint',
    );
    await expect(read('partitioned', { version: '0' })).rejects.toThrow('the commit 0 is missing');
  });

  it('reports a file that is missing if it is in the version that is read', async () => {
    const { path, log } = copyOf('updated');
    const [, missing] = /"add":\{"path":"([^"]*)"/.exec(readFileSync(log(0), 'utf8')) ?? [];
    rmSync(join(path, missing as string));
    const { rows, rejected } = await read(path);
    expect(rejected).toEqual([]);
    expect(rows).toEqual(expected('updated'));
    const old = await read(path, { version: '0' });
    expect(old.rejected).toEqual([{ place: `file://${path}/${missing}`, message: expect.stringContaining('ENOENT') }]);
    expect(old.message).toContain('1 files, of which 1 could not be read');
  });

  it('refuses the files of a table', async () => {
    const file = readFileSync(`${folder}parts/_delta_log/00000000000000000002.json`, 'utf8');
    const [, name] = /"path":"([^"]+)"/.exec(file) ?? [];
    for (const path of [
      `parts/${name}`,
      'parts/*.parquet',
      'parts/**/*.parquet',
      'parts/_delta_log',
      'par*/*.parquet',
    ]) {
      await expect(read(path)).rejects.toThrow(/names files of the Delta table .*(parts|partitioned)\. Some of them/);
    }
    expect((await read('par?s')).ids).toEqual(['p2']);
  });

  it.each([
    ['a file outside the table', /"path":"part-[^"]+"/, '"path":"../updated/x.parquet"', 'names a file outside its'],
    ['an absolute path', /"path":"part-[^"]+"/, '"path":"/etc/x.parquet"', 'names a file outside its folder: /etc/x'],
    ['an escaped path', /"path":"part-[^"]+"/, '"path":"a/%2e%2e/%2e%2e/x.parquet"', 'names a file outside its'],
    ['a file of another host', /"path":"part-[^"]+"/, '"path":"s3://other/x.parquet"', 'names a file outside its'],
    [
      'a feature',
      /"minReaderVersion":1/,
      '"minReaderVersion":3,"readerFeatures":["variantType"]',
      'the reader feature variantType',
    ],
    ['a newer protocol', /"minReaderVersion":1/, '"minReaderVersion":4', 'readers of the protocol version 4, and 3 is'],
    ['a type', /\\"type\\":\\"long\\"/, '\\"type\\":\\"geo\\"', 'the type geo of its schema is not supported'],
    ['damaged JSON', /"minReaderVersion":1/, '"minReaderVersion":', '00000000000000000000.json is damaged: '],
  ])('refuses a table with %s', async (_, from, to, message) => {
    const { path, log } = copyOf('updated');
    edit(log(0), from, to);
    await expect(read(path, { version: '0' })).rejects.toThrow(message);
  });

  it('refuses a schema that is nested deeply', async () => {
    const { path, log } = copyOf('updated');
    const deep = `${'{"type":"array","elementType":'.repeat(5000)}1${'}'.repeat(5000)}`;
    edit(log(0), /\\"type\\":\\"long\\"/, `\\"type\\":${deep.replaceAll('"', '\\"')}`);
    await expect(read(path, { version: '0' })).rejects.toThrow('its schema has more than 100 levels');
  });

  it.each([
    ['a wrong checksum', 20, 'the deletion vector has a wrong checksum'],
    ['a wrong length', 2, 'the deletion vector has 65571 bytes, and the table states 35'],
  ])('rejects a file whose deletion vector has %s', async (_, at, message) => {
    const { path } = copyOf('vectors');
    const file = join(path, 'deletion_vector_f6b77f6a-64a0-5dde-8996-f9a7c01fd67e.bin');
    const bytes = readFileSync(file);
    bytes[at] = (bytes[at] as number) ^ 1;
    writeFileSync(file, bytes);
    const { json, rejected } = await read(path, { version: '2' });
    expect([json, rejected.map((one) => one.message)]).toEqual([[], [expect.stringContaining(message)]]);
  });

  it.each([
    ['more rows than the table states', '"cardinality":3', '"cardinality":2', 'has 3 rows, and the table states 2'],
    ['an unknown storage', '"storageType":"i"', '"storageType":"z"', 'the unknown storage z'],
    [
      'a huge size',
      /"sizeInBytes":\d+/,
      '"sizeInBytes":9007199254740991',
      'its deletion vector has 9007199254740991 bytes',
    ],
  ])('rejects a file whose deletion vector has %s', async (_, from, to, message) => {
    const { path, log } = copyOf('vectors');
    edit(log(1), from, to);
    const { json, rejected } = await read(path, { version: '1' });
    expect([json, rejected.map((one) => one.message)]).toEqual([[], [expect.stringContaining(message)]]);
  });
});

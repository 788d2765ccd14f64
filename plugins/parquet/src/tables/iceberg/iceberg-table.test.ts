import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readDocuments } from '../../testing/read-documents.ts';

/** Tables that make-iceberg-tables.py wrote, with the rows that the library pyiceberg reads. */
const folder = new URL('../../testing/iceberg/', import.meta.url).pathname;

type Row = Record<string, unknown> & { id: string | number };

interface Expected {
  readonly newest: Row[];
  readonly snapshots: { readonly id: string; readonly rows: Row[] }[];
  readonly times: number[];
}

function expected(table: string): Expected {
  return JSON.parse(readFileSync(`${folder}${table}/expected.json`, 'utf8')) as Expected;
}

/** A null is a missing field of a document, and ids are texts. Pyarrow returns a map as a list of pairs. */
function documents(rows: readonly Row[]): unknown[] {
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries<unknown>({ ...row, id: String(row.id) })
        .filter(([, value]) => value !== null)
        .map(([name, value]) => [name, name === 'map' ? Object.fromEntries(value as [string, unknown][]) : value]),
    ),
  );
}

async function read(table: string, params: Parameters<typeof readDocuments>[0] = {}) {
  const found = await readDocuments({ paths: [table.startsWith('/') ? table : `${folder}${table}`], ...params });
  const rows = found.json.map((text) => JSON.parse(text) as Row);
  const byId = (a: Row, b: Row) => a.id.toString().localeCompare(b.id.toString(), 'en', { numeric: true });
  return { ...found, rows: rows.toSorted(byId), ids: rows.map(({ id }) => id) };
}

function copyOf(table: string): string {
  const path = mkdtempSync(join(tmpdir(), 'headrace-iceberg-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  cpSync(`${folder}${table}`, path, { recursive: true });
  return path;
}

function metadataFiles(table: string): string[] {
  return readdirSync(join(table, 'metadata'))
    .filter((name) => name.endsWith('.metadata.json'))
    .toSorted()
    .map((name) => join(table, 'metadata', name));
}

/** Replaces a text in the newest metadata file. */
function edit(table: string, from: string | RegExp, to: string): void {
  const path = metadataFiles(table).at(-1) as string;
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(from);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
}

describe('ParquetConnector with an Iceberg table', () => {
  it.each(['evolved-1', 'evolved-2', 'mapped', 'positions'])('reads the newest snapshot of %s', async (table) => {
    const { rows, rejected } = await read(table, { decimals: 'text' });
    expect(rejected).toEqual([]);
    expect(rows).toEqual(documents(expected(table).newest));
    expect(rows.length).toBeGreaterThan(1);
  });

  it.each(['evolved-1', 'evolved-2'])('reads old snapshots of %s with their schema', async (table) => {
    const { snapshots, times } = expected(table);
    for (const [i, { id, rows }] of snapshots.entries()) {
      expect((await read(table, { version: id, decimals: 'text' })).rows).toEqual(documents(rows));
      const timestamp = new Date((times[i] as number) + 1).toISOString();
      // The third snapshot may be of the same millisecond as the next one.
      const next = times[i + 1] ?? Number.POSITIVE_INFINITY;
      if (next > (times[i] as number) + 1) {
        expect((await read(table, { timestamp, decimals: 'text' })).rows).toEqual(documents(rows));
      }
    }
    expect(new Set(snapshots.map(({ rows }) => Object.keys(rows[0] as Row).join())).size).toBe(2);
    await expect(read(table, { version: '12' })).rejects.toThrow('it has no snapshot 12: the newest one is ');
    await expect(read(table, { timestamp: '2001-01-01' })).rejects.toThrow('no snapshot that is as old as 2001-01-01');
  });

  it('reads only the files whose partition passes a filter', async () => {
    const select = (filter: [string, unknown][]) => read('evolved-2', { filter: new Map(filter) });
    expect((await select([['day', new Map([['lt', '1970-01-01']])]])).ids).toEqual(['a2']);
    expect((await select([['price', new Map([['gte', -0.05]])]])).ids.toSorted()).toEqual(['a1', 'a2']);
    expect((await select([['country', 'FR']])).message).toBe(
      '1 files, the filter excluded 2 others by their partitions',
    );
    expect((await select([['count', 4]])).ids).toEqual(['a4']);
    expect((await select([['n', 'new']])).ids).toEqual(['a4']);
    expect((await select([['tags', new Map([['ne', 44]])]])).ids.toSorted()).toEqual(['a1', 'a2']);
  });

  it('omits rows with deleted values, also of columns that the table has dropped', async () => {
    const { rows, rejected } = await read('values');
    expect(rejected).toEqual([]);
    // Deleted are n1 with 1, n4 with null, and rows with 7. No row has n5 with 99.
    expect(rows).toEqual(['0', '2', '3', '5', '6', '8', '9'].map((id) => ({ id, renamed: `n${id}` })));
    expect((await read('values', { limit: 3 })).ids).toEqual(['0', '2', '3']);
    expect((await read('values', { start: 7 })).ids).toEqual(['8', '9']);
  });

  it('omits the rows of deletion vectors, which replace the positions before them', async () => {
    const { ids, rejected } = await read('vectors');
    expect(rejected).toEqual([]);
    // The vector deletes the rows 0, 4 and 9 of the first file; a position the row 0 of the second.
    const all = Array.from({ length: 20 }, (_, i) => i).filter((i) => ![0, 4, 9, 10].includes(i));
    expect(ids.map(Number).toSorted((a, b) => a - b)).toEqual(all);
  });

  it('gives a column its default in files that are older than the column', async () => {
    const path = copyOf('mapped');
    const defaults = [
      ['long', 5, 5],
      ['string', '"old"', 'old'],
      ['timestamptz', '"2026-01-01T00:00:00.5+00:00"', '2026-01-01T00:00:00.500Z'],
      ['decimal(9,2)', '"1.50"', 1.5],
      ['binary', '"ff01"', '/wE='],
      ['uuid', '"f79c3e09-677c-4bbd-a479-3f349cb785e7"', 'f79c3e09-677c-4bbd-a479-3f349cb785e7'],
      ['double', 0.25, 0.25],
      ['boolean', true, true],
      ['date', '"2026-01-31"', '2026-01-31'],
    ] as const;
    const added = defaults.map(
      ([type, value], i) =>
        `{"id":${30 + i},"name":"c${i}","type":"${type}","required":false,"initial-default":${value}}`,
    );
    edit(path, /("name":"renamed"[^}]*})/, `"name":"renamed","type":"long","required":false},${added.join()}`);
    const values = Object.fromEntries(defaults.map(([, , value], i) => [`c${i}`, value]));
    const { rows } = await read(path);
    expect(rows).toEqual([
      { id: 'm1', renamed: 1, ...values },
      { id: 'm2', renamed: 2, ...values },
    ]);
    expect((await read(path, { filter: new Map([['c1', 'new']]) })).json).toEqual([]);
    expect((await read(path, { filter: new Map([['c8', '2026-01-31']]), columns: ['c8'] })).json).toEqual([
      '{"id":"m1","c8":"2026-01-31"}',
      '{"id":"m2","c8":"2026-01-31"}',
    ]);
  });

  it('finds files by relative paths, and metadata without a number in its name', async () => {
    const path = copyOf('mapped');
    const [other, newest] = metadataFiles(path) as [string, string];
    edit(path, /"location":"[^"]+"/, '"location":"./lake/mapped"');
    edit(path, /"manifest-list":"file:\/\/\/lake/, '"manifest-list":"lake');
    rmSync(other);
    renameSync(newest, join(path, 'metadata/last.metadata.json'));
    // The manifest list names its manifests by the old location.
    await expect(read(path)).rejects.toThrow('names a file outside its folder: file:///lake/mapped/metadata/');
  });

  it('refuses files of other formats', async () => {
    const path = copyOf('values');
    const [manifest] = readdirSync(join(path, 'metadata'))
      .filter((name) => name.startsWith('deletes-'))
      .map((name) => join(path, 'metadata', name))
      .filter((name) => readFileSync(name, 'latin1').includes('avro.codec\u0008null')) as [string];
    writeFileSync(manifest, readFileSync(manifest, 'latin1').replace('PARQUET', 'ORCORCO'), 'latin1');
    await expect(read(path)).rejects.toThrow('has the format ORCORCO');
  });

  it('reads the metadata file that the config names', async () => {
    const [before] = metadataFiles(`${folder}positions`) as [string];
    expect((await read(before)).ids.length).toBe(20);
    expect((await read('positions')).ids.length).toBe(16);
  });

  it('reads compressed metadata with the names of tables without a catalog', async () => {
    const path = copyOf('positions');
    const [first, second] = metadataFiles(path) as [string, string];
    writeFileSync(join(path, 'metadata/v9.metadata.json'), readFileSync(first));
    writeFileSync(join(path, 'metadata/v10.gz.metadata.json'), gzipSync(readFileSync(second)));
    expect((await read(path)).ids.length).toBe(16);
    rmSync(join(path, 'metadata/v10.gz.metadata.json'));
    expect((await read(path)).ids.length).toBe(20);
  });

  it('reports that two metadata files have the same version, and reads the later one', async () => {
    const path = copyOf('positions');
    const [first, second] = metadataFiles(path) as [string, string];
    const late = JSON.parse(readFileSync(first, 'utf8')) as Record<string, unknown>;
    writeFileSync(join(path, 'metadata/99-b.metadata.json'), JSON.stringify({ ...late, 'last-updated-ms': 4e12 }));
    writeFileSync(join(path, 'metadata/99-a.metadata.json'), readFileSync(second));
    const { ids, notices } = await read(path);
    expect(ids.length).toBe(20);
    expect(notices).toEqual([
      [
        'table.ambiguous',
        { file: `file://${path}/metadata/99-b.metadata.json`, hint: expect.stringContaining('catalog') },
      ],
    ]);
    expect((await read('positions')).notices).toEqual([]);
  });

  it('refuses the files of a table', async () => {
    for (const path of ['values/data/*.parquet', 'values/data', 'values/metadata', 'values/**/*.parquet']) {
      await expect(read(path)).rejects.toThrow(/names files of the Iceberg table .*values\. Some of them/);
    }
  });

  it('reads an empty table', async () => {
    const path = copyOf('mapped');
    edit(path, /"current-snapshot-id":\d+/, '"current-snapshot-id":-1');
    expect((await read(path)).message).toBe('0 files');
  });

  it.each([
    ['a newer format', '"format-version":2', '"format-version":4', 'it has the format version 4, and 3 is supported'],
    [
      'an unknown type',
      /"type":"long"/g,
      '"type":"variant"',
      'its schema has the type variant, which is not supported',
    ],
    ['a manifest list outside', /"manifest-list":"[^"]+"/, '"manifest-list":"../x.avro"', 'names a file outside its'],
    [
      'a manifest list of another host',
      /"manifest-list":"[^"]+"/,
      '"manifest-list":"s3://x/y"',
      'names a file outside',
    ],
    [
      'a local manifest list',
      /"manifest-list":"[^"]+"/,
      '"manifest-list":"/etc/passwd"',
      'outside its folder: /etc/pa',
    ],
    ['another location', /"location":"[^"]+"/, '"location":"file:///other"', 'names a file outside its folder: file:'],
    [
      'no name mapping',
      '"schema.name-mapping.default"',
      '"other"',
      'its columns have no ids, and the table has no name m',
    ],
    ['damaged JSON', '"format-version":', '"format-version"', 'Expected'],
  ])('refuses a table with %s', async (_, from, to, message) => {
    const path = copyOf('mapped');
    edit(path, from, to);
    const outcome = await read(path).then(
      ({ rejected }) => rejected[0]?.message,
      (error: Error) => error.message,
    );
    expect(outcome).toContain(message);
  });

  it.each([
    ['ends early', (bytes: Buffer) => bytes.subarray(0, -20), 'it ends too early'],
    ['is not Avro', () => Buffer.from('{}          '), 'it is not an Avro file'],
    [
      'has damaged content',
      (bytes: Buffer) => bytes.fill(0xff, bytes.length - 60, bytes.length - 20),
      'cannot be read',
    ],
  ])('refuses a table with a manifest that %s', async (_, damage, message) => {
    const path = copyOf('values');
    for (const name of readdirSync(join(path, 'metadata')).filter((one) => one.endsWith('-m0.avro'))) {
      writeFileSync(join(path, 'metadata', name), damage(readFileSync(join(path, 'metadata', name))));
    }
    await expect(read(path)).rejects.toThrow(message);
  });
});

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withDefaults } from 'headrace/engine';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { ParquetConnector } from './parquet-connector.ts';
import { folder, readDocuments } from './testing/read-documents.ts';

const directory = mkdtempSync(join(tmpdir(), 'headrace-parquet-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Files from https://github.com/apache/parquet-testing (Apache License 2.0). */
const corpus = new URL('./testing/corpus/', import.meta.url).pathname;
const groups = { paths: [`${folder}groups.parquet`] };

/** The values that pyarrow wrote, by make-files.py. */
const TYPES = [
  '{"id":"1","u64":18446744073709551615,"i64":-9223372036854775808,"dec9":1.1,"dec30":"12345678901234567890.12",' +
    '"ts_us":"2024-01-02T03:04:05.123456","ts_tz":"2024-01-02T03:04:05Z","day":"1969-12-31","tm":"01:02:03.000004",' +
    '"bin":"AP8=","lst":[1,null,3],"nested":[[1,2],[],null,[null]],"st":{"x":1,"y":"a","__proto__":"p"},' +
    '"mp":{"k1":1,"k2":null},"ls":[{"a":1,"b":["q"]},{"a":null,"b":null},null],"f":0.1,"s":"héé 日本"}',
  '{"id":"2","u64":0,"i64":0,"dec9":-0.05}',
  '{"id":"3","u64":5,"i64":5,"dec9":0.0,"dec30":"-1.00","ts_us":"1960-01-01T00:00:00.000001",' +
    '"ts_tz":"2199-01-01T00:00:00Z","day":"2024-02-29","tm":"23:59:59","bin":"","lst":[],"nested":[],' +
    '"st":{"x":null,"y":null,"__proto__":null},"mp":{},"ls":[],"f":1.0E30,"s":""}',
];

describe('ParquetConnector', () => {
  it.each(['none-1.0', 'snappy-1.0', 'gzip-1.0', 'zstd-1.0', 'brotli-1.0', 'lz4-1.0', 'snappy-2.0'])(
    'reads every type exactly from a file with the compression and page version %s',
    async (name) => {
      const { json, rejected } = await readDocuments({ paths: [`${folder}types-${name}.parquet`], idField: 'i' });
      expect(rejected).toEqual([]);
      expect(json).toEqual(TYPES);
    },
  );

  it('writes decimals as texts or as numbers if the config says so', async () => {
    const paths = [`${folder}types-none-1.0.parquet`];
    const read = async (decimals: 'text' | 'number') =>
      (await readDocuments({ paths, idField: 'i', columns: ['dec9', 'dec30'], decimals })).json[0];
    expect(await read('text')).toBe('{"id":"1","dec9":"1.10","dec30":"12345678901234567890.12"}');
    expect(await read('number')).toBe('{"id":"1","dec9":1.1,"dec30":1.2345678901234567E19}');
  });

  it('reads binary columns as text if the config says so', async () => {
    const params = { paths: [`${folder}types-none-1.0.parquet`], idField: 'i', columns: ['bin'], binaryAsText: true };
    expect((await readDocuments(params)).json[0]).toBe('{"id":"1","bin":"\\u0000�"}');
  });

  it('reads rows across row groups and pages, and rejects a row without an id', async () => {
    const { json, rejected, message } = await readDocuments(groups, 'x-');
    expect(json.length).toBe(39);
    expect(json[7]).toBe(
      '{"id":"x-r7","n":7,"at":"2024-01-01T07:00:00Z","price":1.75,"city":"Paris","tags":["t0","t1","t2"]}',
    );
    expect(rejected).toEqual([
      { place: expect.stringMatching(/groups\.parquet row 26$/), message: 'the id column id is null' },
    ]);
    expect(message).toBe('1 files');
  });

  it('reads only the columns that are needed', async () => {
    const all = await readDocuments(groups);
    const some = await readDocuments({ ...groups, columns: ['city'] });
    expect(some.json[3]).toBe('{"id":"r3","city":"Berlin"}');
    expect(some.bytes).toBeLessThan(all.bytes / 2);
  });

  it.each([
    [
      'a number',
      {
        n: new Map([
          ['gte', 12],
          ['lt', 14],
        ]),
      },
      ['r12', 'r13'],
      3,
    ],
    ['a scalar', { n: 31 }, ['r31'], 3],
    ['a list', { n: new Map([['in', [2, 3]]]) }, ['r2', 'r3'], 3],
    ['an instant', { at: new Map([['gt', '2024-01-02T13:00:00Z']]) }, ['r38', 'r39'], 3],
    ['a decimal', { price: new Map([['lte', 0.25]]) }, ['r0', 'r1'], 3],
    ['a text', { city: 'Rome', n: new Map([['lt', 6]]) }, ['r2', 'r5'], 3],
    ['texts that are not wanted', { city: new Map([['ne', 'Rome']]), n: new Map([['lt', 4]]) }, ['r0', 'r1', 'r3'], 3],
  ])('filters rows by %s and skips row groups by their statistics', async (_, filter, ids, skipped) => {
    const read = await readDocuments({ ...groups, columns: [], filter: new Map(Object.entries(filter)) });
    expect(read.json).toEqual(ids.map((id) => `{"id":"${id}"}`));
    expect(read.message).toBe(`1 files, ${skipped} row groups were not read`);
  });

  it('skips rows of each file, and ends after the limit', async () => {
    const { json } = await readDocuments({ ...groups, columns: [], start: 8, limit: 4 });
    expect(json).toEqual(['r8', 'r9', 'r10', 'r11'].map((id) => `{"id":"${id}"}`));
  });

  it('reads a folder, a pattern, and the parameters of the reference', async () => {
    const count = async (params: object) => (await readDocuments({ columns: [], idField: 'i', ...params })).json.length;
    expect(await count({ paths: [`${folder}types-*1.0.parquet`] })).toBe(18);
    expect(await count({ paths: [`${folder.replace('/src/', '/*/')}types-?nappy-2.0.parquet`] })).toBe(3);
    expect(await count({ pathToStorage: `${folder}types-lz4-1.0.parquet`, fsUri: 'file:///' })).toBe(3);
    const read = await readDocuments({ paths: [folder], columns: [], idField: 'i' });
    expect(read.json.length).toBe(21);
    expect(read.rejected).toEqual([
      {
        place: expect.stringContaining('groups.parquet'),
        message: expect.stringContaining('it has no column i (did you mean id?), only id, n'),
      },
    ]);
  });

  it('names all columns that a file does not have, with similar ones, and the file', async () => {
    const { rejected } = await readDocuments({ ...groups, columns: ['cty', 'n', 'prcie', 'other'] });
    expect(rejected).toEqual([
      {
        place: expect.stringContaining('groups.parquet'),
        message: expect.stringMatching(
          /^it has no columns cty \(did you mean city\?\), prcie \(did you mean price\?\), other, only id, n/,
        ),
      },
    ]);
  });

  it('reads files of old versions of parquet-mr, which state the size of a column without its dictionary', async () => {
    const { json, rejected } = await readDocuments({
      paths: [`${corpus}nation.dict-malformed.parquet`],
      idField: 'nation_key',
      columns: ['name', 'region_key'],
      binaryAsText: true,
    });
    expect(rejected).toEqual([]);
    expect(json.length).toBe(25);
    expect(json[2]).toBe('{"id":"2","name":"BRAZIL","region_key":1}');
  });

  it('reads a map without values as the list of its keys', async () => {
    const writer = new ByteWriter();
    const schema: ConstructorParameters<typeof ParquetWriter>[0]['schema'] = [
      { name: 'schema', num_children: 2 },
      { name: 'id', type: 'INT32', repetition_type: 'REQUIRED' },
      { name: 'set', converted_type: 'MAP', num_children: 1, repetition_type: 'OPTIONAL' },
      { name: 'key_value', num_children: 1, repetition_type: 'REPEATED' },
      { name: 'key', type: 'INT32', repetition_type: 'REQUIRED' },
    ];
    const parquet = new ParquetWriter({ writer, schema });
    await parquet.write({
      columnData: [
        { name: 'id', data: [7, 8, 9] },
        { name: 'set', data: [{ key_value: [1, 2] }, { key_value: [] }, null] },
      ],
    });
    await parquet.finish();
    const set = mkdtempSync(join(tmpdir(), 'headrace-parquet-'));
    onTestFinished(() => rmSync(set, { recursive: true }));
    const path = join(set, 'set.parquet');
    writeFileSync(path, writer.getBytes());
    const { json } = await readDocuments({ paths: [path] });
    expect(json).toEqual(['{"id":"7","set":[1,2]}', '{"id":"8","set":[]}', '{"id":"9"}']);
  });

  it('reports a file whose footer is damaged', async () => {
    const { json, rejected } = await readDocuments({ paths: [`${corpus}damaged-footer.parquet`] });
    expect(json).toEqual([]);
    expect(rejected[0]?.message).toMatch(/^its footer is damaged: /);
  });

  it('reports a damaged file and a damaged row group, and reads the rest', async () => {
    const bytes = readFileSync(`${folder}groups.parquet`);
    writeFileSync(join(directory, '1.parquet'), bytes.subarray(0, 5000));
    const damaged = Buffer.from(bytes);
    damaged.fill(0xff, 40, 80);
    writeFileSync(join(directory, '2.parquet'), damaged);
    writeFileSync(join(directory, '3.parquet'), 'PAR1 this is text, not a file of any kind');
    writeFileSync(join(directory, '4.parquet'), '');
    const { json, rejected, message: summary } = await readDocuments({ paths: [directory], columns: ['n'] });
    // The order of the files is that of the folder.
    const [first] = rejected;
    expect(summary).toBe(`4 files, of which 3 could not be read (the first one: ${first?.place}: ${first?.message})`);
    expect(json.length).toBeGreaterThan(20);
    expect(rejected.map(({ place, message }) => `${place.split('/').at(-1)}: ${message}`).sort()).toEqual([
      expect.stringContaining('1.parquet: it is not a Parquet file'),
      expect.stringMatching(/^2\.parquet row 26: /),
      expect.stringMatching(/^2\.parquet row group 1: 10 rows cannot be read: /),
      expect.stringContaining('3.parquet: it is not a Parquet file'),
      expect.stringContaining('4.parquet: it has only 0 bytes'),
    ]);
  });

  it('looks only into folders that a pattern can match', async () => {
    const lake = join(directory, 'lake');
    for (const name of ['year=2024/month=01', 'year=2025/month=01/old', 'other']) {
      mkdirSync(join(lake, name), { recursive: true });
      copyFileSync(`${folder}groups.parquet`, join(lake, name, 'a.parquet'));
      symlinkSync('missing', join(lake, name, 'link'));
    }
    const read = async (pattern: string) => {
      const { json, notices } = await readDocuments({ paths: [`${lake}/${pattern}`], columns: [] });
      const files = notices.map(([code, { file }]) => `${code} ${file?.replace(`file://${lake}`, '')}`);
      return [json.length / 39, files];
    };
    expect(await read('year=*/month=*/*.parquet')).toEqual([1, ['file.skipped /year=2024/month=01/link']]);
    expect(await read('year=2025/**/*.parquet')).toEqual([1, ['file.skipped /year=2025/month=01/old/link']]);
    expect(await read('*/*.parquet')).toEqual([1, ['file.skipped /other/link']]);
    await expect(read('year=*/')).rejects.toMatchObject({ hint: expect.stringContaining('must match files') });
  });

  it('reports one of several places that has no files', async () => {
    const missing = `${folder}none-*.parquet`;
    const { json, notices } = await readDocuments({ paths: [missing, ...groups.paths] });
    expect(json).toHaveLength(39);
    expect(notices).toEqual([['path.missing', { file: missing, hint: 'It has no Parquet file.' }]]);
  });

  it('fails if there is no file', async () => {
    await expect(readDocuments({ paths: [`${folder}none-*.parquet`] })).rejects.toThrow('There is no Parquet file at');
    await expect(readDocuments({ paths: [join(directory, 'missing')] })).rejects.toThrow('Cannot read');
  });

  it.each([
    [{}, 'paths is missing'],
    [{ paths: ['a'], pathToStorage: 'b' }, 'paths and pathToStorage are both set'],
    [{ paths: ['gs://bucket/a.parquet'] }, 'gs://bucket/a.parquet: gs: paths need the block gcp'],
    [{ pathToStorage: 'b', fsUri: 'hdfs://x' }, 'fsUri must be file:/// or s3a://bucket, was hdfs://x'],
    [{ paths: ['a'], s3Key: 'k' }, 's3Key and s3Secret only work together'],
    [{ paths: ['a'], filter: new Map([['x', new Map([['like', 1]])]]) }, 'There is no operator like'],
    ...([2n ** 53n + 1n, new Map([['gt', 2n ** 53n + 1n]]), new Map([['in', [1, 2n ** 53n + 1n]]])] as const).map(
      (condition): [object, unknown] => [
        { paths: ['a'], filter: new Map([['x', condition]]) },
        expect.stringMatching(
          /^filter\.x\S* is a number of more than 15 digits, about 9007199254740993, which may have/,
        ),
      ],
    ),
    [
      { paths: ['a'], filter: new Map([['x', 1]]), limit: 5 },
      'limit cannot be combined with filter, because filtered rows are only known in the pipeline',
    ],
    [{ paths: ['a'], columns: ['run_id'] }, 'The column run_id cannot become a field, because its name is reserved'],
  ])('reports a mistake in %j', (params, message) => {
    const problems = [
      ...ParquetConnector.check(withDefaults(ParquetConnector.parameters, { idField: 'id', ...params } as never)),
    ];
    expect(problems.map((problem) => problem.message)).toEqual([message]);
  });
});

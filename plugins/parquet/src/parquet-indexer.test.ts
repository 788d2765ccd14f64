import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Document, indexerSettings, readDocument, silentNotices, withDefaults } from 'headrace/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { ParquetIndexer } from './parquet-indexer.ts';
import { readDocuments } from './testing/read-documents.ts';
import { RowEncoder } from './writing/row-encoder.ts';

const directory = mkdtempSync(join(tmpdir(), 'headrace-parquet-out-'));
afterAll(() => rmSync(directory, { recursive: true }));
let files = 0;

interface Settings {
  readonly columns: Readonly<Record<string, string>>;
  readonly compression?: 'zstd' | 'snappy' | 'gzip' | 'none';
  readonly rowGroupSize?: number;
  readonly retry?: boolean;
}

function newIndexer({ columns, retry = false, ...rest }: Settings, path = join(directory, `${files++}.parquet`)) {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const context = { runId: 'run-7', log, notices: silentNotices, settings: withDefaults(indexerSettings), retry };
  return {
    path,
    indexer: new ParquetIndexer(
      withDefaults(ParquetIndexer.parameters, { path, columns: new Map(Object.entries(columns)), ...rest }),
      context,
    ),
    encoder: new RowEncoder({ columns: Object.entries(columns) }),
  };
}

async function send(indexer: ParquetIndexer, pieces: readonly Uint8Array[]): Promise<void> {
  const batch = { count: 1, pieces, lengths: () => new Uint32Array(), ids: () => [], pipeline: 'p', origins: () => [] };
  await indexer.send(batch);
}

/** Writes documents as a run does, and reads the file with ParquetConnector. */
async function written(documents: readonly Document[], settings: Settings, cuts: readonly number[] = []) {
  const { path, indexer, encoder } = newIndexer(settings);
  await indexer.connect();
  const bytes = Buffer.from(documents.map((document) => encoder.encode(document)).join(''));
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  let start = 0;
  for (const end of ends) {
    // The memory of a piece is reused after `send`.
    const piece = Buffer.from(bytes.subarray(start, end));
    await send(indexer, [piece]);
    piece.fill(0);
    start = end;
  }
  await indexer.finish();
  await indexer.close();
  return readDocuments({ paths: [path], idField: 'id' });
}

const one = (json: string) => readDocument(json);

describe('ParquetIndexer', () => {
  it.each(['zstd', 'snappy', 'gzip', 'none'] as const)('writes every type, compressed with %s', async (compression) => {
    const columns = {
      id: 'text',
      t: 'text',
      i: 'integer',
      n: 'number',
      b: 'boolean',
      at: 'timestamp',
      d: 'date',
      j: 'json',
      bin: 'binary',
      l: 'integer[]',
      ts: 'text[]',
    };
    const documents = [
      one(
        '{"id":"1","t":"héé 日本","i":-9223372036854775808,"n":0.1,"b":true,"at":"2024-01-02T03:04:05.123456Z",' +
          '"d":"2024-02-29","j":{"a":[1,null]},"bin":"AP8=","l":[1,null,3],"ts":[],"other":"not a column"}',
      ),
      one('{"id":"2","t":null,"i":"12","n":"-3","b":"FALSE","at":"2024-01-02T03:04:05+01:00","l":7,"ts":["a"]}'),
      one('{"id":"3","t":5,"i":3.0,"n":1,"at":1000,"j":"x"}'),
    ];
    const { json, rejected } = await written(documents, { columns, compression });
    expect(rejected).toEqual([]);
    expect(json).toEqual([
      '{"id":"1","t":"héé 日本","i":-9223372036854775808,"n":0.1,"b":true,"at":"2024-01-02T03:04:05.123456Z",' +
        '"d":"2024-02-29","j":{"a":[1,null]},"bin":"AP8=","l":[1,null,3],"ts":[]}',
      '{"id":"2","i":12,"n":-3.0,"b":false,"at":"2024-01-02T02:04:05Z","l":[7],"ts":["a"]}',
      '{"id":"3","t":"5","i":3,"n":1.0,"at":"1970-01-01T00:00:01Z","j":"x"}',
    ]);
  });

  it('writes the same rows for any texts, row groups and pieces', async () => {
    // Any code point except halves of surrogate pairs. The unit `binary` has the same, but listing them takes a second.
    const codePoint = fc.nat({ max: 0x10_f7_ff }).map((n) => String.fromCodePoint(n < 0xd8_00 ? n : n + 0x8_00));
    const row = fc.record({ t: fc.string({ unit: codePoint }), l: fc.array(fc.string()), i: fc.maxSafeInteger() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat()),
        async (rows, rowGroupSize, cuts) => {
          const texts = rows.map((fields, i) => JSON.stringify({ id: String(i), ...fields }));
          const columns = { id: 'text', t: 'text', l: 'text[]', i: 'integer' };
          const { json } = await written(texts.map(one), { columns, rowGroupSize }, cuts);
          // A file holds UTF-8, which has no halves of surrogate pairs.
          expect(json.map((text) => JSON.parse(text))).toEqual(texts.map((text) => JSON.parse(text.toWellFormed())));
        },
      ),
      { numRuns: 50 },
    );
  });

  it.each([
    ['integer', '1.5'],
    ['integer', '9223372036854775808'],
    ['integer', '"twelve"'],
    ['integer', 'true'],
    ['number', '"1,5"'],
    ['boolean', '1'],
    ['timestamp', '"yesterday"'],
    ['timestamp', '1.5'],
    ['date', '"2023-02-29"'],
    ['date', '20240101'],
    ['binary', '"not base64!"'],
    ['text', '["a","b"]'],
    ['integer[]', '[1,"x"]'],
  ])('fails a document whose value for the type %s is %s', (type, value) => {
    const { encoder } = newIndexer({ columns: { id: 'text', value: type } });
    const document = one(`{"id":"1","value":${value}}`);
    expect(() => encoder.encode(document)).toThrow(`The column value has the type ${type}, but the value is ${value}`);
  });

  it('keeps the previous file until the run has succeeded', async () => {
    const first = newIndexer({ columns: { id: 'text' } });
    writeFileSync(first.path, 'previous');
    await first.indexer.connect();
    await send(first.indexer, [Buffer.from('["1"]\n')]);
    await first.indexer.close();
    expect(readFileSync(first.path, 'utf8')).toBe('previous');
    expect(existsSync(`${first.path}.partial`)).toBe(false);

    const second = newIndexer({ columns: { id: 'text' } }, first.path);
    await second.indexer.connect();
    await send(second.indexer, [Buffer.from('["2"]\n')]);
    await second.indexer.finish();
    await second.indexer.close();
    expect((await readDocuments({ paths: [first.path] })).json).toEqual(['{"id":"2"}']);
  });

  it('fails at the start if its path is a folder', async () => {
    const { indexer } = newIndexer({ columns: { id: 'text' } }, mkdtempSync(join(directory, 'folder-')));
    await expect(indexer.connect()).rejects.toThrow('it is a folder');
    await indexer.close();
  });

  it('writes an empty table if there are no documents', async () => {
    const { json, rejected, message } = await written([], { columns: { id: 'text' } });
    expect({ json, rejected, message }).toEqual({ json: [], rejected: [], message: '1 files' });
  });

  it('writes the documents of a retry to a separate file', async () => {
    const folder = mkdtempSync(join(directory, 'retry-'));
    const { indexer } = newIndexer({ columns: { id: 'text' }, retry: true }, join(folder, 'films.parquet'));
    await indexer.connect();
    await send(indexer, [Buffer.from('["1"]\n')]);
    await indexer.finish();
    await indexer.close();
    expect(readdirSync(folder)).toEqual(['films-run-7.parquet']);
  });

  it('reports unknown types, missing columns, and settings without effect', () => {
    const check = (columns: Record<string, string>, settings = {}) => [
      ...ParquetIndexer.check(
        withDefaults(ParquetIndexer.parameters, { path: 'x', columns: new Map(Object.entries(columns)) }),
        settings as never,
      ),
    ];
    const inStore = ParquetIndexer.check(
      withDefaults(ParquetIndexer.parameters, { path: 's3://bucket/x', columns: new Map([['id', 'text']]) }),
      {} as never,
    );
    expect([...inStore]).toMatchObject([
      { parameter: 'path', message: 's3://bucket/x is a URI, but the indexer writes local files only' },
    ]);
    expect(check({})).toMatchObject([{ parameter: 'columns' }]);
    expect(check({ year: 'int' })).toMatchObject([{ parameter: 'columns.year', message: 'There is no type int' }]);
    expect(check({ id: 'text' }, { batchSize: 5 })).toMatchObject([{ parameter: 'batchSize', severity: 'warning' }]);
  });
});

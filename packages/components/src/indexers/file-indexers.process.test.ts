import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type DocumentEncoder,
  type Indexer,
  type IndexerContext,
  indexerSettings,
  readDocument,
  silentNotices,
  withDefaults,
} from '@headrace/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { CSVIndexer } from './csv-indexer.ts';
import { JsonLinesIndexer } from './json-lines-indexer.ts';
import { NopIndexer } from './nop-indexer.ts';

const root = mkdtempSync(join(tmpdir(), 'headrace-indexers-'));
afterAll(() => rmSync(root, { recursive: true }));
let files = 0;
const newPath = () => join(root, `${files++}`, 'deep', 'out');

function context(settings: object = {}): IndexerContext {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  return { runId: 'r', log, notices: silentNotices, settings: withDefaults(indexerSettings, settings) };
}

async function encode(indexer: Indexer, documents: string[]): Promise<Uint8Array> {
  const { url, name, options } = indexer.encoder() as NonNullable<ReturnType<Indexer['encoder']>>;
  const module = (await import(url)) as Record<string, new (options: unknown) => DocumentEncoder>;
  const encoder = new (module[name] as new (options: unknown) => DocumentEncoder)(structuredClone(options));
  return Buffer.from(documents.map((text) => encoder.encode(readDocument(text))).join(''));
}

async function send(indexer: Indexer, documents: string[]): Promise<void> {
  const bytes = await encode(indexer, documents);
  const middle = bytes.length >> 1;
  const pieces = [bytes.subarray(0, middle), bytes.subarray(middle)];
  const nothing = { lengths: () => new Uint32Array(), ids: () => [], origins: () => [] };
  const batch = { count: documents.length, pieces, pipeline: 'p', ...nothing };
  const failures = await indexer.send(batch, new AbortController().signal);
  expect(failures).toEqual([]);
}

describe('CSVIndexer', () => {
  const columns = ['id', 'a', 'b'];

  it('writes the quoted rows of several connectors under one header', async () => {
    const path = newPath();
    const indexer = new CSVIndexer(withDefaults(CSVIndexer.parameters, { path, columns }), context());
    expect(existsSync(path)).toBe(false);
    await indexer.connect();
    await send(indexer, ['{"id":"1","a":"x \\"y\\"","b":[1,2.0,null,"z\\""]}', '{"id":"2","b":{"c":1},"a":null}']);
    await send(indexer, ['{"id":"3","a":1.0E10,"b":true}']);
    await indexer.close({ failed: false });
    expect(await readFile(path, 'utf8')).toBe(
      '"id","a","b"\n"1","x ""y""","[1, 2.0, null, z""]"\n"2",,""\n"3","1.0E10","true"\n',
    );
  });

  it('overwrites the file, or appends without a second header', async () => {
    const path = newPath();
    for (const append of [false, true, true]) {
      const indexer = new CSVIndexer(withDefaults(CSVIndexer.parameters, { path, columns: ['id'], append }), context());
      await indexer.connect();
      await send(indexer, ['{"id":"1"}']);
      await indexer.close({ failed: false });
    }
    expect(await readFile(path, 'utf8')).toBe('"id"\n"1"\n"1"\n"1"\n');
    const indexer = new CSVIndexer(
      withDefaults(CSVIndexer.parameters, { path, columns, includeHeader: false }),
      context(),
    );
    await indexer.connect();
    await indexer.close({ failed: false });
    expect(await readFile(path, 'utf8')).toBe('');
  });

  it('changes nothing before it connects, and can be closed without a connection', async () => {
    const path = join(root, 'kept');
    await writeFile(path, 'old');
    const indexer = new CSVIndexer(withDefaults(CSVIndexer.parameters, { path, columns }), context());
    indexer.encoder();
    await indexer.close({ failed: false });
    expect(await readFile(path, 'utf8')).toBe('old');
  });

  it('reports why the file cannot be opened', async () => {
    const indexer = new CSVIndexer(withDefaults(CSVIndexer.parameters, { path: root, columns }), context());
    await expect(indexer.connect()).rejects.toMatchObject({
      code: 'HR_INDEXER_CONNECT',
      message: expect.stringMatching(/Cannot write to .*EISDIR/),
    });
  });

  it.skipIf(!existsSync('/dev/full'))('fails a batch if the disk is full', async () => {
    const indexer = new CSVIndexer(
      withDefaults(CSVIndexer.parameters, { path: '/dev/full', columns, includeHeader: false }),
      context(),
    );
    await indexer.connect();
    await expect(send(indexer, ['{"id":"1"}'])).rejects.toMatchObject({
      code: 'HR_INDEXER_FAILED',
      message: expect.stringContaining('ENOSPC'),
    });
    await indexer.close({ failed: false });
  });

  it('rejects unsupported settings, and warns about settings without an effect', () => {
    const check = (params: object, settings: object) =>
      [...CSVIndexer.check(withDefaults(CSVIndexer.parameters, params as never), settings as never)].map(
        ({ message, severity }) => [message, severity],
      );
    expect(check({ path: 'x', columns }, { whitelist: [] })).toEqual([]);
    expect(check({ path: 'x', columns }, { indexOverrideField: 'a' })).toEqual([
      [expect.stringContaining("'indexer.indexOverrideField' is not supported by CSVIndexer"), undefined],
    ]);
    expect(check({ path: 'x', columns }, { whitelist: ['id'], deletionMarkerField: 'd' })).toEqual([
      [expect.stringContaining('indexer.deletionMarkerField'), 'warning'],
      [expect.stringContaining('indexer.whitelist'), 'warning'],
    ]);
    expect(check({ path: '', columns: [] }, {})).toHaveLength(2);
  });
});

describe('JsonLinesIndexer', () => {
  it('writes a line for each document with the selected fields', async () => {
    const path = newPath();
    const indexer = new JsonLinesIndexer(
      withDefaults(JsonLinesIndexer.parameters, { path }),
      context({ blacklist: ['b'] }),
    );
    await indexer.connect();
    await send(indexer, ['{"id":"1","a":1.0,"b":2}', '{"id":"2"}']);
    await indexer.close({ failed: false });
    const more = new JsonLinesIndexer({ path, append: true }, context({ whitelist: ['a'] }));
    await more.connect();
    await send(more, ['{"id":"3","a":"é"}']);
    await more.close({ failed: false });
    expect(await readFile(path, 'utf8')).toBe('{"id":"1","a":1.0}\n{"id":"2"}\n{"a":"é"}\n');
  });

  it('writes more to the standard output than a pipe can buffer', async () => {
    const module = new URL('./json-lines-indexer.ts', import.meta.url).href;
    const script = `
      const { JsonLinesIndexer } = await import(${JSON.stringify(module)});
      const indexer = new JsonLinesIndexer({ path: '-', append: false }, { settings: { whitelist: [], blacklist: [] } });
      await indexer.connect();
      await indexer.send({ count: 2, pieces: [Buffer.alloc(300_000, 'a'), Buffer.from('b\\n')], ids: () => [] });
      await indexer.close({ failed: false });`;
    const options = { maxBuffer: 1_000_000 };
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], options);
    expect(stdout).toBe(`${'a'.repeat(300_000)}b\n`);
  });

  it('reports settings without an effect at their position', () => {
    const found = [
      ...JsonLinesIndexer.check(withDefaults(JsonLinesIndexer.parameters, { path: '-' }), {
        routingField: 'r',
        blacklist: ['x'],
      } as never),
    ];
    expect(found).toEqual([
      expect.objectContaining({ block: 'indexer', parameter: 'routingField', severity: 'warning' }),
    ]);
  });
});

describe('NopIndexer', () => {
  it('needs no encoder and reports success for all documents', () => {
    const indexer = new NopIndexer({}, context());
    expect(indexer.encoder()).toBeUndefined();
    expect(indexer.send()).toEqual([]);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import {
  type Connector,
  type ConnectorContext,
  HeadraceError,
  type ParameterProblem,
  silentNotices,
  type TObject,
  withDefaults,
} from '@headrace/engine';
import { zipOf } from '@headrace/testing/archives';
import { afterAll, describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../file-formats/testing/collecting-publisher.ts';
import { CSVConnector } from './csv-connector.ts';
import { JSONConnector } from './json-connector.ts';
import { SequenceConnector } from './sequence-connector.ts';
import { SleepConnector } from './sleep-connector.ts';

const NEVER = new AbortController().signal;

const root = mkdtempSync(join(tmpdir(), 'headrace-connectors-'));
afterAll(() => rmSync(root, { recursive: true }));
let folders = 0;

async function folder(files: Record<string, string>): Promise<string> {
  const dir = join(root, `${folders++}`);
  await mkdir(dir);
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  return dir;
}

interface Class {
  readonly parameters: TObject;
  new (params: never, context: ConnectorContext): Connector;
}

async function run(Class: Class, params: object, publisher = new CollectingPublisher()): Promise<CollectingPublisher> {
  const context = {
    name: 'c',
    docIdPrefix: '',
    runId: 'r',
    log: publisher.log,
    notices: publisher.notices,
    signal: NEVER,
    preview: false,
  };
  const connector = new Class(withDefaults(Class.parameters, params as never) as never, context);
  await connector.preExecute?.();
  await connector.execute(publisher);
  await connector.postExecute?.();
  return publisher;
}

function problems(
  Class: { readonly parameters: TObject; check(params: never): Iterable<ParameterProblem> },
  params: object,
): string[] {
  return [...Class.check(withDefaults(Class.parameters, params as never) as never)].map(({ parameter }) =>
    String(parameter),
  );
}

describe('connectors that read a local file', () => {
  it('file connectors accept a path, a file URI, and a path with classpath:', async () => {
    const dir = await folder({ 'a b.csv': 'k\n1\n', 'in.jsonl': '{"id":"1"}\n' });
    const path = join(dir, 'a b.csv');
    for (const given of [path, pathToFileURL(path).href, `classpath:${relative('.', path)}`]) {
      const { documents } = await run(CSVConnector, { path: given });
      expect(documents.map((document) => [document.id, document.get('source')])).toEqual([['a b.csv-1', given]]);
    }
    const { json } = await run(JSONConnector, { jsonPath: pathToFileURL(join(dir, 'in.jsonl')).href });
    expect(json).toEqual(['{"id":"1"}']);
  });

  it('file connectors report the path and the reason if the file cannot be read', async () => {
    const dir = await folder({});
    const missing = join(dir, 'none.csv');
    await expect(run(CSVConnector, { path: missing })).rejects.toMatchObject({
      code: 'HR_SOURCE_UNREADABLE',
      message: expect.stringMatching(/none\.csv.*ENOENT/),
    });
    await expect(run(JSONConnector, { jsonPath: dir })).rejects.toMatchObject({
      code: 'HR_SOURCE_UNREADABLE',
      message: expect.stringContaining('EISDIR'),
    });
    await expect(run(CSVConnector, { path: 'file://elsewhere/in.csv' })).rejects.toMatchObject({
      code: 'HR_SOURCE_UNREADABLE',
    });
  });

  it('file connectors unpack compressed files with any name, and fail on other formats', async () => {
    const dir = await folder({});
    const path = join(dir, 'in');
    const text = 'id,k\n1,2\n';
    for (const bytes of [gzipSync(text), zstdCompressSync(text)]) {
      await writeFile(path, bytes);
      expect((await run(CSVConnector, { path, idField: 'id' })).documents.map((document) => document.get('k'))).toEqual(
        ['2'],
      );
    }
    await writeFile(path, gzipSync('{"id":"1"}\n'));
    expect((await run(JSONConnector, { jsonPath: path })).json).toEqual(['{"id":"1"}']);
    await writeFile(path, zipOf([{ name: 'in.csv', content: text }]));
    for (const reading of [run(JSONConnector, { jsonPath: path }), run(CSVConnector, { path })]) {
      await expect(reading).rejects.toMatchObject({
        code: 'HR_SOURCE_UNREADABLE',
        message: `${path} is a ZIP archive, or an Office file, not a text`,
        hint: expect.stringContaining('handleArchivedFiles'),
      });
    }
  });

  it('connectors fail without a pipeline', async () => {
    const context = {
      name: 'c',
      docIdPrefix: '',
      runId: 'r',
      log: new CollectingPublisher().log,
      notices: silentNotices,
      signal: NEVER,
      preview: false,
    };
    for (const connector of [
      new CSVConnector(withDefaults(CSVConnector.parameters, { path: 'x' }), context),
      new JSONConnector(withDefaults(JSONConnector.parameters, { jsonPath: 'x' }), context),
      new SequenceConnector(withDefaults(SequenceConnector.parameters, { numDocs: 1 }), context),
    ]) {
      await expect(connector.execute(undefined)).rejects.toThrow('Connector c has no pipeline');
    }
  });

  it('file connectors reject paths that are not local, and invalid settings of the format', () => {
    expect(problems(CSVConnector, { path: 's3://bucket/in.csv' })).toEqual(['path']);
    expect(problems(CSVConnector, { path: 'C:\\in.csv', separatorChar: '' })).toEqual(['separatorChar']);
    expect(problems(JSONConnector, { jsonPath: 'https://host/in.json' })).toEqual(['jsonPath']);
    expect(problems(JSONConnector, { jsonPath: 'file:///in.json' })).toEqual([]);
  });
});

describe('CSVConnector', () => {
  it('moves the file after its documents have finished', async () => {
    const dir = await folder({ 'in.csv': 'a\n1\n' });
    const publisher = new CollectingPublisher();
    const context = {
      name: 'c',
      docIdPrefix: '',
      runId: 'r',
      log: publisher.log,
      notices: publisher.notices,
      signal: NEVER,
      preview: false,
    };
    const params = { path: join(dir, 'in.csv'), moveToAfterProcessing: join(dir, 'x/done') };
    const connector = new CSVConnector(withDefaults(CSVConnector.parameters, params), context);
    await connector.preExecute();
    await connector.execute(publisher);
    expect(await readdir(dir)).toContain('in.csv');
    await connector.markRead();
    expect(await readdir(dir, { recursive: true })).toEqual(['x', 'x/done', 'x/done/in.csv']);
  });

  it('never overwrites a file, and reports that the file was not moved', async () => {
    const dir = await folder({ 'in.csv': 'a\n1\n' });
    await mkdir(join(dir, 'done'));
    await writeFile(join(dir, 'done/in.csv'), 'old');
    const publisher = new CollectingPublisher();
    const context = {
      name: 'c',
      docIdPrefix: '',
      runId: 'r',
      log: publisher.log,
      notices: publisher.notices,
      signal: NEVER,
      preview: false,
    };
    const params = { path: join(dir, 'in.csv'), moveToAfterProcessing: join(dir, 'done') };
    const connector = new CSVConnector(withDefaults(CSVConnector.parameters, params), context);
    await connector.execute(publisher);
    await connector.markRead();
    expect(await readFile(join(dir, 'done/in.csv'), 'utf8')).toBe('old');
    expect(await readFile(join(dir, 'in.csv'), 'utf8')).toBe('a\n1\n');
    expect(connector.message).toMatch(/in\.csv was not moved to .*done: .*EEXIST/);
    expect(publisher.warnings).toEqual([connector.message]);
  });

  it('reports a file that cannot be moved, and leaves it in place', async () => {
    const dir = await folder({ 'in.csv': 'a\n1\n', done: '' });
    const publisher = new CollectingPublisher();
    const context = {
      name: 'c',
      docIdPrefix: '',
      runId: 'r',
      log: publisher.log,
      notices: publisher.notices,
      signal: NEVER,
      preview: false,
    };
    const connector = new CSVConnector(
      withDefaults(CSVConnector.parameters, { path: join(dir, 'in.csv'), moveToAfterProcessing: join(dir, 'done') }),
      context,
    );
    await connector.execute(publisher);
    await connector.markRead();
    expect(publisher.warnings).toEqual([expect.stringContaining('was not moved')]);
    expect(await readdir(dir)).toContain('in.csv');
  });

  it('leaves the file in place if it is already in the target folder', async () => {
    const dir = await folder({ 'in.csv': 'a\n1\n' });
    await run(CSVConnector, { path: join(dir, 'in.csv'), moveToAfterProcessing: dir });
    expect(await readdir(dir)).toEqual(['in.csv']);
  });

  it('moves an unreadable file into the error folder, and fails', async () => {
    const dir = await folder({ 'in.csv': 'a,\n1,2\n' });
    const params = {
      path: join(dir, 'in.csv'),
      emptyColumns: 'fail',
      moveToErrorFolder: join(dir, 'bad'),
      moveToAfterProcessing: dir,
    };
    await expect(run(CSVConnector, params)).rejects.toThrow('column 2 of the header has no name');
    expect(await readdir(join(dir, 'bad'))).toEqual(['in.csv']);
  });

  it('leaves the file in place if publishing fails', async () => {
    const dir = await folder({ 'in.csv': 'a\n1\n' });
    const params = { path: join(dir, 'in.csv'), moveToErrorFolder: join(dir, 'bad') };
    const publisher = new CollectingPublisher();
    const broken = new HeadraceError('HR_PIPELINE_THREAD_LOST', 'the thread is gone');
    publisher.publishChunk = () => Promise.reject(broken);
    await expect(run(CSVConnector, params, publisher)).rejects.toBe(broken);
    expect(await readdir(dir, { recursive: true })).toEqual(['bad', 'in.csv']);
  });

  it('leaves the file in place if the run is stopped', async () => {
    const dir = await folder({ 'in.csv': 'a\n1\n' });
    const publisher = new CollectingPublisher();
    publisher.abort();
    await run(CSVConnector, { path: join(dir, 'in.csv'), moveToAfterProcessing: join(dir, 'done') }, publisher);
    expect(await readdir(dir)).toContain('in.csv');
    expect(publisher.documents).toEqual([]);
  });

  it('fails before it reads if a target folder cannot be created', async () => {
    const dir = await folder({ 'in.csv': 'a\n1\n', occupied: '' });
    await chmod(join(dir, 'occupied'), 0o444);
    const params = { path: join(dir, 'in.csv'), moveToAfterProcessing: join(dir, 'occupied/done') };
    await expect(run(CSVConnector, params)).rejects.toThrow('ENOTDIR');
  });
});

describe('SequenceConnector', () => {
  const ids = ({ documents }: CollectingPublisher) => documents.map(({ id }) => id);

  it('numbers documents, also above 32 bits', async () => {
    expect(ids(await run(SequenceConnector, { numDocs: 3, startWith: -1 }))).toEqual(['-1', '0', '1']);
    expect(ids(await run(SequenceConnector, { numDocs: 2, startWith: 2147483647 }))).toEqual([
      '2147483647',
      '2147483648',
    ]);
    expect(ids(await run(SequenceConnector, { numDocs: -2 }))).toEqual([]);
    const many = ids(await run(SequenceConnector, { numDocs: 5001, startWith: 10 }));
    expect([many.length, new Set(many).size, many.at(-1)]).toEqual([5001, 5001, '5010']);
  });

  it('stops when the run stops', async () => {
    const publisher = new CollectingPublisher();
    const publishChunk = publisher.publishChunk.bind(publisher);
    publisher.publishChunk = async (chunk) => {
      await publishChunk(chunk);
      publisher.abort();
    };
    await run(SequenceConnector, { numDocs: Number.MAX_SAFE_INTEGER }, publisher);
    expect(publisher.chunks).toBe(1);
  });

  it('rejects ids above the largest safe integer', () => {
    expect(problems(SequenceConnector, { numDocs: 2, startWith: Number.MAX_SAFE_INTEGER })).toEqual(['numDocs']);
    expect(problems(SequenceConnector, { numDocs: -2, startWith: Number.MIN_SAFE_INTEGER })).toEqual([]);
  });
});

describe('SleepConnector', () => {
  it('stops waiting when the run stops, and needs no pipeline', async () => {
    const { log } = new CollectingPublisher();
    const stop = new AbortController();
    const context = {
      name: 'c',
      docIdPrefix: '',
      runId: 'r',
      log,
      notices: silentNotices,
      signal: stop.signal,
      preview: false,
    };
    const sleeping = new SleepConnector({ duration: 10 ** 12 }, context).execute();
    stop.abort();
    await sleeping;
    await new SleepConnector({ duration: 1 }, { ...context, signal: NEVER }).execute();
  });
});

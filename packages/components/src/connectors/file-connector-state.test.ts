import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { tarOf, zipOf } from '@headrace/testing/archives';
import { describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../file-formats/testing/collecting-publisher.ts';
import { openOutputFile } from '../local-files/output-file.ts';
import { connector, folder, left, type Params, problemsOf, run, useFolder, write } from './file-connector.test.lib.ts';

useFolder();

describe('FileConnector with a state', () => {
  const state = () => ({ connectionString: `jdbc:h2:${folder}/state/s;AUTO_SERVER=TRUE` });
  const incremental = (more: Params = {}, rest: Params = {}) => ({
    state: { ...state(), ...((rest['state'] as Params | undefined) ?? {}) },
    filterOptions: { publishMode: 'Incremental', ...more },
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => key !== 'state')),
  });

  it('publishes only new and modified files in the next run', async () => {
    await write({ 'in/a.txt': 'a', "in/b'%_.txt": 'b' });
    expect((await run(incremental())).found).toEqual(['a.txt', "b'%25_.txt"]);
    expect((await run(incremental())).found).toEqual([]);
    await write({ 'in/c.txt': 'c' });
    const soon = new Date(Date.now() + 60_000);
    await utimes(join(folder, 'in/a.txt'), soon, soon);
    expect((await run(incremental())).found).toEqual(['a.txt', 'c.txt']);
    expect((await run(incremental({ lastPublishedCutoff: '1h' }))).found).toEqual([]);
    expect((await run({ state: state() })).found.length).toBe(3);
  });

  it('does not remember files whose documents did not finish', async () => {
    await write(Object.fromEntries(Array.from({ length: 700 }, (_, i) => [`in/${i}.txt`, `${i}`])));
    const publisher = new CollectingPublisher();
    publisher.settled = () => Promise.reject(new Error('abandoned'));
    const publishChunk = publisher.publishChunk.bind(publisher);
    let chunks = 0;
    publisher.publishChunk = async (chunk) => {
      await publishChunk(chunk);
      if (++chunks === 2) publisher.abort();
    };
    await run(incremental(), { publisher });
    expect((await run(incremental())).found.length).toBe(700);
  });

  it('does not remember unreadable files as published', async () => {
    await write({ 'in/bad.csv': 'a,\n1,2\n' });
    const params = incremental({}, { fileHandlers: { csv: { emptyColumns: 'fail' } } });
    expect((await run(params)).rejected.length).toBe(1);
    expect((await run(params)).rejected.length).toBe(1);
  });

  it('remembers the files inside archives', async () => {
    await write({
      'in/a.zip': zipOf([
        { name: 'x_y.txt', content: 'x' },
        { name: 'b c.txt', content: 'b' },
      ]),
    });
    const params = incremental({ sendTombstones: true }, { fileOptions: { handleArchivedFiles: true } });
    expect((await run(params)).found).toEqual(['a.zip!b c.txt', 'a.zip!x_y.txt']);
    expect((await run(params)).found).toEqual([]);
    await rm(join(folder, 'in/a.zip'));
    await write({ 'in/other.txt': 'other' });
    const { documents } = await run(params);
    expect(documents.filter(({ file_path }) => file_path?.includes('!')).length).toBe(2);
  });

  it('does not expire the files of an archive that became unreadable', async () => {
    const zip = zipOf([{ name: 'a.txt', content: 'a' }]);
    const files = async (inner: Buffer, tarred: Buffer, mtime: Date) => ({
      'in/a.zip': inner,
      'in/b.tar.gz': tarred,
      'in/c.tar': await tarOf([{ name: 'in.zip', content: inner, mtime }]),
    });
    await write(await files(zip, gzipSync(await tarOf([{ name: 'b.txt', content: 'b' }])), new Date(0)));
    const fileOptions = { handleArchivedFiles: true, handleCompressedFiles: true, maxArchiveDepth: 2 };
    const params = incremental({ sendTombstones: true }, { fileOptions });
    expect((await run(params)).found).toEqual(['a.zip!a.txt', 'b.tar.gz!b.txt', 'c.tar!in.zip!a.txt']);
    const soon = new Date(Date.now() + 60_000);
    const half = Buffer.from('half');
    await write(await files(half, half, soon));
    for (const name of ['a.zip', 'b.tar.gz', 'c.tar']) await utimes(join(folder, 'in', name), soon, soon);
    const { found, rejected } = await run(params);
    expect([found, rejected.length]).toEqual([[], 3]);
    await rm(join(folder, 'in/a.zip'));
    expect((await run(params)).found).toEqual(['a.zip', 'a.zip!a.txt']);
  });

  it('does not expire the files of a folder that is empty, as one whose disk is not mounted', async () => {
    await write({ 'in/a.txt': 'a', 'in/deep/b.txt': 'b' });
    const tombstones = incremental({ sendTombstones: true });
    await run(tombstones);
    await rename(join(folder, 'in'), join(folder, 'disk'));
    await mkdir(join(folder, 'in'));
    const { found, notices } = await run(tombstones);
    expect(found).toEqual([]);
    expect(notices).toMatchObject([{ code: 'folder.empty', examples: [{ file: join(folder, 'in') }] }]);
    await rm(join(folder, 'in'), { recursive: true });
    await rename(join(folder, 'disk'), join(folder, 'in'));
    await rm(join(folder, 'in/a.txt'));
    expect((await run(tombstones)).found).toEqual(['a.txt']);
  });

  it('reports each vanished file once', async () => {
    await write({ 'in/a.txt': 'a', 'in/b.txt': 'b' });
    const tombstones = incremental({ sendTombstones: 'true' }, { state: { performDeletions: false } });
    const first = await run(tombstones);
    await rm(join(folder, 'in/a.txt'));
    const { documents } = await run(tombstones);
    expect(documents).toEqual([
      {
        id: first.documents.find(({ file_path }) => file_path?.endsWith('a.txt'))?.id,
        file_path: `file://${folder}/in/a.txt`,
        file_modification_date: expect.anything(),
        file_size_bytes: 0,
        file_creation_date: expect.anything(),
        file_expired: true,
        ___skipped: true,
      },
    ]);
    expect((await run(tombstones)).found).toEqual([]);
    await write({ 'in/a.txt': 'a' });
    expect((await run(tombstones)).found).toEqual(['a.txt']);
  });

  it('reports in a tombstone which field contains the path of the records', async () => {
    const content = zipOf([{ name: 'b.csv', content: 'k\n2\n' }]);
    await write({ 'in/a.csv': 'k\n1\n', 'in/z.zip': content, 'in/c.txt': 'c', 'in/d.jsonl': '{"id":"d"}' });
    const fileHandlers = { csv: { idField: 'k', filePathField: 'from' }, json: {} };
    const params = incremental({ sendTombstones: true }, { fileHandlers, fileOptions: { handleArchivedFiles: true } });
    const first = await run(params);
    const start = `file://${folder}/in/`;
    expect(first.documents.filter(({ from }) => from !== undefined).map(({ from }) => from)).toEqual(
      expect.arrayContaining([`${start}a.csv`, `${start}z.zip!b.csv`]),
    );
    await rm(join(folder, 'in'), { recursive: true });
    await write({ 'in/e.txt': 'e' });
    const { documents } = await run(params);
    const expired = documents.filter(({ file_expired }) => file_expired);
    const fields = expired.map(({ file_path, file_records_field }) => [
      file_path?.replace(start, ''),
      file_records_field,
    ]);
    expect(new Map(fields as [string, string | undefined][])).toEqual(
      new Map([
        ['a.csv', 'from'],
        ['c.txt', undefined],
        ['d.jsonl', undefined],
        ['z.zip', undefined],
        ['z.zip!b.csv', 'from'],
      ]),
    );
    expect(problemsOf({ paths: ['/a'], ...params })).toEqual([
      expect.stringMatching(/^warning: .* the handlers of json read/),
    ]);
  });

  it('expires a file after runsBeforeExpiration missed runs', async () => {
    await write({ 'in/a.txt': 'a', 'in/b.txt': 'b' });
    const params = incremental({ sendTombstones: true }, { state: { runsBeforeExpiration: 3 } });
    await run(params);
    await rm(join(folder, 'in/a.txt'));
    const counts: number[] = [];
    for (let i = 0; i < 4; i++) counts.push((await run(params)).found.length);
    expect(counts).toEqual([0, 0, 1, 0]);
  });

  it('does not expire files that could not be checked or were moved', async () => {
    await write({ 'in/a.txt': 'a', 'in/b.txt': 'b' });
    const params = incremental({ sendTombstones: true });
    await run(params);
    await rm(join(folder, 'in'), { recursive: true });
    const { found, warnings } = await run(params);
    expect(found).toEqual([]);
    expect(warnings.join()).toContain('does not exist');
    await write({ 'in/a.txt': 'a', 'in/b.txt': 'b' });
    const moving = { ...params, fileOptions: { moveToAfterProcessing: join(folder, 'done') } };
    const soon = new Date(Date.now() + 60_000);
    for (const name of ['a', 'b']) await utimes(join(folder, `in/${name}.txt`), soon, soon);
    expect((await run(moving)).found).toEqual(['a.txt', 'b.txt']);
    expect((await run(moving)).found).toEqual([]);
  });

  it('uses a separate file, and reports the reason if it cannot be opened', async () => {
    await write({ 'in/a.txt': 'a', state: 'a file, not a folder' });
    await expect(run(incremental())).rejects.toThrow(/The state in .*s\.sqlite cannot be opened/);
  });
});

it('FileConnector checks that the server of its state is reachable', async () => {
  await write({ 'in/a.txt': 'a' });
  const publisher = new CollectingPublisher();
  const state = { connectionString: 'jdbc:postgresql://127.0.0.1:1/db', jdbcUser: 'u' };
  const found: unknown[] = [];
  const report = (problem: unknown) => void found.push(problem);
  await connector({ state }, publisher).checkAccess(report, new AbortController().signal);
  expect(found).toEqual([
    expect.objectContaining({
      parameter: 'state.connectionString',
      message: expect.stringMatching(/^postgresql:\/\/127.0.0.1:1\/db: .*ECONNREFUSED/),
    }),
  ]);
});

it('FileConnector warns about archive entries that it skips, and counts them', async () => {
  const zip = zipOf([
    { name: 'open.txt', content: 'x' },
    { name: 'secret.txt', content: 'x', flags: 1 },
    { name: 'strange.txt', content: 'x', method: 99 },
  ]);
  await write({ 'in/a.zip': zip });
  const { found, warnings, notices } = await run({ fileOptions: { handleArchivedFiles: true } });
  expect(found).toEqual(['a.zip!open.txt']);
  expect(warnings).toEqual([
    expect.stringMatching(/a\.zip!secret\.txt is skipped: it is encrypted/),
    expect.stringMatching(/a\.zip!strange\.txt is skipped: /),
  ]);
  expect(notices).toMatchObject([{ code: 'file.skipped', class: 'loss', count: 2 }]);
  expect((await run()).notices).toEqual([]);
});

it('FileConnector warns if it has no path', () => {
  expect(problemsOf({ paths: [] })).toEqual(['warning: paths is empty: nothing is read']);
});

it('FileConnector warns if a folder is read as a host name', () => {
  expect(problemsOf({ paths: ['file://in/sub'] })).toEqual([
    'warning: file://in/sub means the local path /sub: "in" is read as a host name and ignored',
  ]);
  expect(problemsOf({ paths: ['file://localhost/in'] })).toEqual([]);
});

describe('the state files of FileConnector', () => {
  const connections = ['jdbc:sqlite:IN/s.db', 'jdbc:h2:IN/deep/s'];

  it.each(connections)('state files are neither published nor moved, in any folder: %s', async (connection) => {
    await write({ 'in/deep/a.txt': 'a', 'in/b.txt': 'b' });
    await symlink(join(folder, 'in'), join(folder, 'link'));
    const state = { connectionString: connection.replace('IN', join(folder, 'link')) };
    const fileOptions = { moveToAfterProcessing: join(folder, 'done'), moveToErrorFolder: join(folder, 'bad') };
    expect((await run({ state }, { preview: true })).found).toEqual(['b.txt', 'deep/a.txt']);
    const first = await run({ state, fileOptions });
    expect(first.found).toEqual(['b.txt', 'deep/a.txt']);
    expect(first.warnings).toEqual([]);
    expect(existsSync(join(folder, 'in', connection.includes('h2') ? 'deep/s.sqlite' : 's.db'))).toBe(true);
    expect((await run({ state, fileOptions }, { preview: true })).found).toEqual([]);
    expect((await run({ state, fileOptions })).found).toEqual([]);
    expect(await readdir(join(folder, 'done'))).toEqual(expect.arrayContaining(['a.txt', 'b.txt']));
    expect(await readdir(join(folder, 'done'))).toHaveLength(2);
  });
});

describe('an output file of a run', () => {
  it('an output file is neither published nor moved while a run writes it', async () => {
    await write({ 'in/a.txt': 'a', 'in/out.jsonl': 'old' });
    const output = await openOutputFile(join(folder, 'in/out.jsonl'), false);
    const fileOptions = { moveToAfterProcessing: join(folder, 'done') };
    const { found, warnings } = await run({ fileOptions });
    expect(found).toEqual(['a.txt']);
    expect(warnings).toEqual([`file://${folder}/in/out.jsonl is skipped: a run is writing it`]);
    await output.close(true);
    expect(await left()).toEqual(['done/a.txt', 'in/out.jsonl']);
    expect((await run({ fileOptions })).found).toEqual(['out.jsonl']);
  });
});

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkNested, type JsonObject, readJson } from '@headrace/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../formats/testing/collecting-publisher.ts';
import { tarOf, zipOf } from '../storage/archives/make-archives.test.lib.ts';
import { FileConnector } from './file-connector.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-files-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

type Params = Record<string, unknown>;

async function write(files: Record<string, string | Uint8Array>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
    // A file of the very moment in which a run begins counts as modified since.
    await utimes(join(folder, path), new Date(), new Date(Date.now() - 60_000));
  }
}

function problemsOf(params: Params): string[] {
  const { problems } = checkNested(FileConnector, readJson(JSON.stringify(params)) as JsonObject, []);
  return problems.map(({ message, severity }) => (severity === 'warning' ? `warning: ${message}` : message));
}

function connector(params: Params, log: CollectingPublisher['log'], options: { preview?: boolean } = {}) {
  const given = readJson(JSON.stringify({ paths: [join(folder, 'in')], ...params })) as JsonObject;
  const checked = checkNested(FileConnector, given, []);
  expect(checked.problems.filter(({ severity }) => severity !== 'warning')).toEqual([]);
  const signal = new AbortController().signal;
  const context = { name: 'files', docIdPrefix: '', runId: 'r', log, signal, preview: options.preview ?? false };
  return new FileConnector(checked.params as never, context);
}

/** Runs a connector to its end. */
async function run(params: Params = {}, options: { preview?: boolean; publisher?: CollectingPublisher } = {}) {
  const publisher = options.publisher ?? new CollectingPublisher();
  const running = connector(params, publisher.log, options);
  try {
    await running.execute(publisher);
    if (!publisher.signal.aborted) await running.postExecute();
  } finally {
    await running.close();
  }
  const documents = publisher.json.map((text) => JSON.parse(text) as Record<string, string>);
  const start = `file://${folder}/in/`;
  return {
    publisher,
    documents,
    /** Paths of files, ids of records, in order of the alphabet. */
    found: documents.map(({ id, file_path }) => file_path?.replace(start, '') ?? id).sort(),
    rejected: publisher.rejected.map(({ place, message }) => `${place.replace(start, '')}: ${message}`),
    warnings: publisher.warnings,
    message: running.message,
  };
}

const left = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('state'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

describe('FileConnector', () => {
  it('makes a document of each file', async () => {
    await write({ 'in/a b.txt': 'alpha' });
    await utimes(join(folder, 'in/a b.txt'), 1_700_000_000, 1_700_000_000.25);
    const { documents } = await run();
    expect(documents).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        file_path: `file://${folder}/in/a%20b.txt`,
        file_modification_date: '2023-11-14T22:13:20.250Z',
        file_size_bytes: 5,
        file_creation_date: expect.stringMatching(/^\d{4}-.*Z$/),
        file_content: 'YWxwaGE=',
      },
    ]);
    expect(Object.keys(documents[0] as object).slice(-2)).toEqual(['file_creation_date', 'file_content']);
  });

  it('publishes thousands of files of any size in the order of their folder, each with its own content', async () => {
    const content = (i: number) => `${i} `.repeat(i % 1000 === 7 ? 400_000 : i % 50);
    await mkdir(join(folder, 'in'));
    for (let i = 0; i < 2500; i++) await writeFile(join(folder, 'in', `${i}.txt`), content(i));
    const { documents, publisher } = await run();
    expect(documents.length).toBe(2500);
    for (const { file_path = '', file_content } of documents) {
      const i = Number(/(\d+)\.txt$/.exec(file_path)?.[1]);
      expect(Buffer.from(file_content as string, 'base64').toString() === content(i), file_path).toBe(true);
    }
    expect(publisher.chunks).toBeLessThan(50);
  });

  it('reads records by handlers, everything else as files', async () => {
    await write({ 'in/a.csv': 'k\n1\n2\n', 'in/b.jsonl': '{"id":"j"}\n', 'in/c.CSV': 'k\n', 'in/d.txt': 'd' });
    const { found } = await run({ fileHandlers: { csv: { idField: 'k', docIdPrefix: 'c-' }, json: {} } });
    expect(found).toEqual(['c-1', 'c-2', 'c.CSV', 'd.txt', 'j']);
  });

  it('fails files that cannot be read, and goes on', async () => {
    await write({
      'in/bad.csv': 'a,\n1,2\n',
      'in/cut.txt.gz': gzipSync('x'.repeat(100_000)).subarray(0, 60),
      'in/empty.zip': '',
      'in/good.csv': 'a\n1\n',
      'in/none.zip': 'garbage',
    });
    const { found, rejected } = await run({
      fileHandlers: { csv: {} },
      fileOptions: { handleArchivedFiles: true, handleCompressedFiles: true },
    });
    expect(found).toEqual(['good.csv-1']);
    expect(rejected.sort()).toEqual([
      expect.stringMatching(/^bad\.csv: column 2 of the header has no name/),
      'cut.txt.gz!cut.txt: it is cut off: unexpected end of file',
      expect.stringMatching(/^empty\.zip: /),
      expect.stringMatching(/^none\.zip: /),
    ]);
  });

  it.skipIf(process.getuid?.() === 0)('leaves out folders that it may not look into', async () => {
    await write({ 'in/closed/a.txt': 'a', 'in/b.txt': 'b' });
    await chmod(join(folder, 'in/closed'), 0);
    const { found, warnings } = await run();
    await chmod(join(folder, 'in/closed'), 0o700);
    expect(found).toEqual(['b.txt']);
    expect(warnings.join()).toContain('in/closed/ is left out');
  });

  it('reads links to files, and follows none to folders: loops are harmless', async () => {
    await write({ 'in/a.txt': 'alpha', 'other/b.txt': 'b' });
    await symlink(join(folder, 'in'), join(folder, 'in/loop'));
    await symlink(join(folder, 'other/b.txt'), join(folder, 'in/link.txt'));
    await symlink(join(folder, 'nowhere'), join(folder, 'in/broken'));
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'in/pipe')]);
    const { documents, found, warnings } = await run();
    expect(found).toEqual(['a.txt', 'link.txt']);
    expect(documents.find(({ file_path }) => file_path?.endsWith('link.txt'))).toMatchObject({ file_size_bytes: 1 });
    expect(warnings.sort()).toEqual([
      expect.stringMatching(/broken is left out: ENOENT/),
      expect.stringMatching(/loop is left out: it is a link to a folder, which is not followed/),
      expect.stringMatching(/pipe is left out: it is not a regular file/),
    ]);
  });

  it('says nothing of files that vanish meanwhile', async () => {
    await write(Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`in/${i}.txt`, `${i}`])));
    const publisher = new CollectingPublisher();
    const publishChunk = publisher.publishChunk.bind(publisher);
    publisher.publishChunk = async (chunk) => {
      await rm(join(folder, 'in'), { recursive: true, force: true });
      return publishChunk(chunk);
    };
    const { found, rejected, warnings } = await run({}, { publisher });
    expect(found.length).toBeGreaterThanOrEqual(256);
    expect(found.length).toBeLessThan(600);
    expect({ rejected, warnings }).toEqual({ rejected: [], warnings: [] });
  });

  it('publishes nothing from a path that does not exist, with a warning', async () => {
    const { found, warnings } = await run();
    expect(found).toEqual([]);
    expect(warnings.join()).toContain('does not exist');
  });

  it('passes on what publishing throws', async () => {
    await write({ 'in/a.txt': 'a', 'in/b.csv': 'k\n1\n' });
    for (const fileHandlers of [{}, { csv: {} }]) {
      const publisher = new CollectingPublisher();
      publisher.publishChunk = () => Promise.reject(new Error('the engine gave up'));
      await expect(run({ fileHandlers }, { publisher })).rejects.toThrow('the engine gave up');
    }
  });

  it('takes only what the filters let through', async () => {
    await write({ 'in/a.txt': 'a', 'in/b.md': 'b', 'in/sub/c.txt': 'c', 'in/sub/old.txt': 'o', 'in/skip/d.txt': 'd' });
    await utimes(join(folder, 'in/sub/old.txt'), 1e9, 1e9);
    const filter = async (filterOptions: Params) => (await run({ filterOptions })).found;
    expect(
      await filter({ includes: ['.*\\.txt'], excludes: ['c.*'], pathsToSkip: [join(folder, 'in/skip/')] }),
    ).toEqual(['a.txt', 'sub/old.txt']);
    expect(await filter({ lastModifiedCutoff: '1h', pathsToSkip: [`file://${folder}/in/skip`] })).toEqual([
      'a.txt',
      'b.md',
      'sub/c.txt',
    ]);
    expect(await filter({ pathsToSkip: [join(folder, 'in')] })).toEqual([]);
  });

  it('stops when it is told to', async () => {
    await write(Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`in/${i}.txt`, `${i}`])));
    const publisher = new CollectingPublisher();
    const publishChunk = publisher.publishChunk.bind(publisher);
    publisher.publishChunk = async (chunk) => {
      await publishChunk(chunk);
      publisher.abort();
    };
    const { found } = await run({ state: { connectionString: `jdbc:sqlite:${folder}/state/s` } }, { publisher });
    expect(found.length).toBeLessThan(1000);
  });
});

describe('FileConnector opens archives', () => {
  const fileOptions = { handleArchivedFiles: true, handleCompressedFiles: true };

  it('and what is compressed, as far as it is asked to', async () => {
    const tar = await tarOf([
      { name: 'x/one.txt', content: '1' },
      { name: 'two.csv', content: 'k\n1\n' },
    ]);
    await write({
      'in/a.tar': tar,
      'in/b.tar.gz': gzipSync(tar),
      'in/c.zip': zipOf([
        { name: 'in ner.gz', content: gzipSync('x') },
        { name: 'a/../../up.txt', content: 'u' },
      ]),
      'in/d.zip.gz': gzipSync(zipOf([{ name: 'z.txt', content: 'z' }])),
      'in/e.csv.gz': gzipSync('k\n7\n'),
      'in/f.gz': gzipSync('f'),
      'in/g.tgz': gzipSync(tar),
      'in/h.ZIP': zipOf([]),
    });
    const { found, documents } = await run({ fileOptions, fileHandlers: { csv: { idField: 'k' } } });
    expect(found).toEqual(
      [
        ...['a.tar!x/one.txt', '1', 'b.tar.gz!x/one.txt', '1', 'c.zip!in ner.gz', 'c.zip!a/../../up.txt'],
        ...['d.zip.gz!z.txt', '7', 'f.gz!f', 'g.tgz', 'h.ZIP'],
      ].sort(),
    );
    const inside = documents.find(({ file_path }) => file_path?.endsWith('one.txt'));
    expect(inside).toEqual({
      id: expect.anything(),
      file_path: `file://${folder}/in/a.tar!x/one.txt`,
      file_modification_date: '2022-03-04T05:06:07Z',
      file_size_bytes: 1,
      file_content: 'MQ==',
    });
    expect(documents.find(({ source }) => source?.includes('b.tar'))).toMatchObject({ filename: 'two.csv' });
    expect((await run()).found.length).toBe(8);
    expect((await run({ fileOptions: { handleCompressedFiles: true } })).found).toContain('b.tar.gz!b.tar');
  });

  it('fails what is damaged in them, and reads the rest', async () => {
    await write({
      'in/a.zip': zipOf([
        { name: 'bad.txt', content: 'x', crc: 1 },
        { name: 'secret.txt', content: 'x', flags: 1 },
        { name: 'good.txt', content: 'x' },
      ]),
      'in/b.tar': (
        await tarOf([
          { name: 'a', content: 'x' },
          { name: 'b', content: 'y'.repeat(9000) },
        ])
      ).subarray(0, 3000),
    });
    const { found, rejected } = await run({ fileOptions: { ...fileOptions, moveToErrorFolder: join(folder, 'err') } });
    expect(found).toEqual(['a.zip!good.txt', 'b.tar!a']);
    expect(rejected.map((text) => text.replace(/: .*/, '')).sort()).toEqual(
      ['a.zip!bad.txt', 'b.tar!b', 'b.tar'].sort(),
    );
    expect(await left()).toEqual(['err/a.zip', 'err/b.tar']);
  });

  it('of any number of entries, a piece at a time', async () => {
    const entries = Array.from({ length: 20_000 }, (_, i) => ({ name: `${i}.txt`, content: `${i}`, method: 0 }));
    await write({ 'in/a.zip': zipOf(entries) });
    const publisher = new CollectingPublisher();
    const publishChunk = publisher.publishChunk.bind(publisher);
    let waiting = 0;
    const together: number[] = [];
    publisher.publishChunk = async (chunk) => {
      together.push(++waiting * (chunk.documents ?? Number.POSITIVE_INFINITY));
      await new Promise(setImmediate);
      await publishChunk(chunk);
      waiting--;
    };
    const { found } = await run({ fileOptions }, { publisher });
    expect(found).toHaveLength(entries.length);
    // What waits to be taken is all that is in memory, whatever the archive holds.
    expect(Math.max(...together)).toBeLessThanOrEqual(256);
  });

  it('inside of archives, as deep as it is asked to', async () => {
    const inner = zipOf([
      { name: 'x.txt', content: 'x' },
      { name: 'deep.tar.gz', content: gzipSync(await tarOf([{ name: 'y.csv', content: 'k\n5\n' }])) },
    ]);
    await write({
      'in/a.tar': await tarOf([
        { name: 'sub/inner.zip', content: inner },
        { name: 'z.txt.gz', content: gzipSync('zipped') },
        { name: 'last.txt', content: 'l' },
      ]),
    });
    const depth = async (maxArchiveDepth?: number) => {
      const options = maxArchiveDepth === undefined ? fileOptions : { ...fileOptions, maxArchiveDepth };
      return (await run({ fileOptions: options, fileHandlers: { csv: { idField: 'k' } } })).found;
    };
    const flat = ['a.tar!last.txt', 'a.tar!sub/inner.zip', 'a.tar!z.txt.gz'];
    expect([await depth(), await depth(1)]).toEqual([flat, flat]);
    const inZip = 'a.tar!sub/inner.zip!x.txt';
    const inGzip = 'a.tar!z.txt.gz!z.txt';
    expect(await depth(2)).toEqual(['a.tar!last.txt', 'a.tar!sub/inner.zip!deep.tar.gz', inZip, inGzip]);
    expect(await depth(3)).toEqual(['5', 'a.tar!last.txt', inZip, inGzip]);
    const deep = { ...fileOptions, maxArchiveDepth: 3 };
    const incremental = { state: { connectionString: `jdbc:sqlite:${folder}/state/n` } };
    const params = { ...incremental, fileOptions: deep, filterOptions: { publishMode: 'incremental' } };
    expect((await run(params)).found).toHaveLength(4);
    expect((await run(params)).found).toEqual([]);
    const { documents } = await run({ fileOptions: deep });
    const zipped = documents.find(({ file_path }) => file_path?.endsWith('z.txt'));
    expect(zipped).toMatchObject({ file_content: Buffer.from('zipped').toString('base64') });
  });

  it('inside of archives, where damage costs only what is damaged', async () => {
    await write({
      'in/a.tar': await tarOf([
        { name: 'bad.zip', content: 'no zip' },
        { name: 'bad.gz', content: 'no gzip' },
        { name: 'cut.tar', content: (await tarOf([{ name: 'b', content: 'y'.repeat(9000) }])).subarray(0, 3000) },
        { name: 'good.zip', content: zipOf([{ name: 'g', content: 'g' }]) },
      ]),
    });
    const options = { ...fileOptions, maxArchiveDepth: 2, moveToErrorFolder: join(folder, 'err') };
    const { found, rejected } = await run({ fileOptions: options });
    expect(found).toEqual(['a.tar!good.zip!g']);
    expect(rejected.map((text) => text.replace(/: .*/, '')).sort()).toEqual([
      'a.tar!bad.gz',
      'a.tar!bad.zip',
      'a.tar!cut.tar',
      'a.tar!cut.tar!b',
    ]);
    expect(await left()).toEqual(['err/a.tar']);
  });

  it('but gives up those that unfold without measure, level by level', async () => {
    const zeros = gzipSync(Buffer.alloc(40_000_000), { level: 9 });
    // Each level alone stays below the bound.
    const level = gzipSync(
      zipOf(Array.from({ length: 10 }, (_, i) => ({ name: `${i}.gz`, content: zeros, method: 0 }))),
    );
    await write({ 'in/bomb.zip.gz': level, 'in/ok.txt': 'fine' });
    const { found, rejected } = await run({
      fileOptions: { ...fileOptions, maxArchiveDepth: 5, getFileContent: true },
    });
    expect(found).toContain('ok.txt');
    expect(rejected.join('\n')).toContain('more than 500 times its size');
  });

  it('filters what is inside by its path there', async () => {
    await write({
      'in/a.zip': zipOf([
        { name: 'x/a.txt', content: '' },
        { name: 'b.txt', content: '' },
      ]),
    });
    const found = async (filterOptions: Params) => (await run({ fileOptions, filterOptions })).found;
    expect(await found({ excludes: ['x/.*'] })).toEqual(['a.zip!b.txt']);
    expect(await found({ includes: ['.*\\.txt'] })).toEqual([]);
  });
});

describe('FileConnector moves files', () => {
  it('when they are published, and those that cannot be read elsewhere', async () => {
    await write({ 'in/a.csv': 'k\n1\n', 'in/sub/b.txt': 'b', 'in/bad.csv': 'a,\n', 'done/b.txt': 'older' });
    const fileOptions = { moveToAfterProcessing: join(folder, 'done'), moveToErrorFolder: join(folder, 'err') };
    const { found } = await run({ fileOptions, fileHandlers: { csv: {} } });
    expect(found).toEqual(['a.csv-1', 'sub/b.txt']);
    expect(await left()).toEqual(['done/a.csv', 'done/b.txt', 'err/bad.csv']);
    expect(await readFile(join(folder, 'done/b.txt'), 'utf8')).toBe('b');
  });

  it('into a folder below the path, which it does not look into', async () => {
    await write({ 'in/a.txt': 'a' });
    const fileOptions = { moveToAfterProcessing: join(folder, 'in/done') };
    expect((await run({ fileOptions })).found).toEqual(['a.txt']);
    expect((await run({ fileOptions })).found).toEqual([]);
    expect(await left()).toEqual(['in/done/a.txt']);
  });

  it('but not in a preview, nor when it was stopped', async () => {
    await write({ 'in/a.txt': 'a' });
    const params = { fileOptions: { moveToAfterProcessing: join(folder, 'done') }, state: {} };
    expect((await run(params, { preview: true })).found).toEqual(['a.txt']);
    const publisher = new CollectingPublisher();
    publisher.abort();
    await run({ fileOptions: params.fileOptions }, { publisher });
    expect(await left()).toEqual(['in/a.txt']);
    expect(existsSync('state')).toBe(false);
  });
});

describe('FileConnector remembers', () => {
  const state = () => ({ connectionString: `jdbc:h2:${folder}/state/s;AUTO_SERVER=TRUE` });
  const incremental = (more: Params = {}, rest: Params = {}) => ({
    state: { ...state(), ...((rest['state'] as Params | undefined) ?? {}) },
    filterOptions: { publishMode: 'Incremental', ...more },
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => key !== 'state')),
  });

  it('what it has published, and publishes what is new or modified', async () => {
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

  it('nothing of files whose documents did not come to their end', async () => {
    await write(Object.fromEntries(Array.from({ length: 700 }, (_, i) => [`in/${i}.txt`, `${i}`])));
    const publisher = new CollectingPublisher();
    publisher.settled = () => Promise.reject(new Error('given up'));
    const publishChunk = publisher.publishChunk.bind(publisher);
    let chunks = 0;
    publisher.publishChunk = async (chunk) => {
      await publishChunk(chunk);
      if (++chunks === 2) publisher.abort();
    };
    await run(incremental(), { publisher });
    expect((await run(incremental())).found.length).toBe(700);
  });

  it('files that could not be read as not published', async () => {
    await write({ 'in/bad.csv': 'a,\n1,2\n' });
    const params = incremental({}, { fileHandlers: { csv: {} } });
    expect((await run(params)).rejected.length).toBe(1);
    expect((await run(params)).rejected.length).toBe(1);
  });

  it('what is inside of archives', async () => {
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
    const { documents } = await run(params);
    expect(documents.filter(({ file_path }) => file_path?.includes('!')).length).toBe(2);
  });

  it('what was inside of an archive that can no longer be read: it has not vanished', async () => {
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

  it('what has vanished, and tells of it once', async () => {
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

  it('what has vanished, and says how its records are found', async () => {
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
    await mkdir(join(folder, 'in'));
    const { documents } = await run(params);
    const fields = documents.map(({ file_path, file_records_field }) => [
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

  it('how often a file was missing', async () => {
    await write({ 'in/a.txt': 'a', 'in/b.txt': 'b' });
    const params = incremental({ sendTombstones: true }, { state: { runsBeforeExpiration: 3 } });
    await run(params);
    await rm(join(folder, 'in/a.txt'));
    const counts: number[] = [];
    for (let i = 0; i < 4; i++) counts.push((await run(params)).found.length);
    expect(counts).toEqual([0, 0, 1, 0]);
  });

  it('nothing as vanished that could not be looked at, or was moved away', async () => {
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

  it('in a file of its own, and says why when that is not possible', async () => {
    await write({ 'in/a.txt': 'a', state: 'a file, not a folder' });
    await expect(run(incremental())).rejects.toThrow(/The state in .*s\.sqlite cannot be opened/);
  });
});

it('FileConnector says whether the server of its state is there', async () => {
  await write({ 'in/a.txt': 'a' });
  const publisher = new CollectingPublisher();
  const state = { connectionString: 'jdbc:postgresql://127.0.0.1:1/db', jdbcUser: 'u' };
  const found: unknown[] = [];
  const report = (problem: unknown) => void found.push(problem);
  await connector({ state }, publisher.log).reach(report, new AbortController().signal);
  expect(found).toEqual([
    expect.objectContaining({
      parameter: 'state.connectionString',
      message: expect.stringMatching(/^postgresql:\/\/127.0.0.1:1\/db: .*ECONNREFUSED/),
    }),
  ]);
});

it('FileConnector warns of entries of archives that it leaves out, and counts them', async () => {
  const zip = zipOf([
    { name: 'open.txt', content: 'x' },
    { name: 'secret.txt', content: 'x', flags: 1 },
    { name: 'strange.txt', content: 'x', method: 99 },
  ]);
  await write({ 'in/a.zip': zip });
  const { found, warnings, message } = await run({ fileOptions: { handleArchivedFiles: true } });
  expect(found).toEqual(['a.zip!open.txt']);
  expect(warnings).toEqual([
    expect.stringMatching(/a\.zip!secret\.txt is left out: it is encrypted/),
    expect.stringMatching(/a\.zip!strange\.txt is left out: /),
  ]);
  expect(message).toBe('entries of archives that were left out: 2 (the log says why)');
  expect((await run()).message).toBeUndefined();
});

it('FileConnector warns when it has no path', () => {
  expect(problemsOf({ paths: [] })).toEqual(['warning: paths is empty: nothing is read']);
});

describe('FileConnector refuses', () => {
  it.each<[Params, string]>([
    [{ paths: ['/a b'] }, 'Invalid path to storage: /a b'],
    [{ paths: ['C:\\x'] }, 'Invalid path to storage: C:\\x'],
    [{ paths: ['s3://b/k'] }, 's3://b/k: s3: paths need the block s3'],
    [{ paths: ['ftp://b/k'] }, 'ftp://b/k: there is no storage for ftp: paths'],
    [{ filterOptions: { includes: ['*.txt'] } }, '"*.txt" is not a regular expression'],
    [{ filterOptions: { lastModifiedCutoff: 'soon' } }, 'must be a duration, was "soon"'],
    [{ filterOptions: { publishMode: 'delta' } }, 'must be "full" or "incremental"'],
    [{ filterOptions: { publishMode: 'incremental' } }, "'incremental' requires state configuration."],
    [{ filterOptions: { sendTombstones: true } }, "requires filterOptions.publishMode 'incremental'"],
    [{ paths: ['/a', '/b'], fileOptions: { moveToErrorFolder: '/c' } }, 'only when there is a single path'],
    [{ fileOptions: { moveToAfterProcessing: 's3://b/k' } }, 'must be in the storage of the path, file:'],
    [{ state: { connectionString: 'jdbc:sqlserver://h;databaseName=d' } }, 'state cannot be kept in SQL Server'],
    [{ state: { runsBeforeExpiration: 0 } }, 'must be at least 1'],
    [{ fileHandlers: { csv: { sep: ';' } } }, 'unknown property sep'],
    [{ s3: { accessKeyId: 'a' } }, 'only one of accessKeyId and secretAccessKey'],
  ])('%j', (params, message) => {
    expect(problemsOf({ paths: ['/a'], ...params }).join('\n')).toContain(message);
  });

  it('nothing that works', () => {
    expect(
      problemsOf({
        paths: ['/a%20b', 'file:///c', 's3://b/k', 'https://a.blob.core.windows.net/c/p'],
        s3: {},
        azure: { connectionString: 'x' },
        filterOptions: { publishMode: 'INCREMENTAL', sendTombstones: 'yes', lastModifiedCutoff: 60_000 },
        state: { connectionString: 'jdbc:sqlite:/tmp/s' },
      }),
    ).toEqual([]);
  });
});

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../file-formats/testing/collecting-publisher.ts';
import { ApplyFileHandlers } from '../stages/apply-file-handlers.ts';
import { folder, left, type Params, problemsOf, run, useFolder, write } from './file-connector.test.lib.ts';

useFolder();

/** A PNG image of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

describe('FileConnector', () => {
  it('creates a document for each file', async () => {
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

  it('publishes thousands of files of any size in folder order, each with its content', async () => {
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

  it('reads records with file handlers, and other files as single documents', async () => {
    await write({ 'in/a.csv': 'k\n1\n2\n', 'in/b.jsonl': '{"id":"j"}\n', 'in/c.CSV': 'k\n', 'in/d.txt': 'd' });
    const { found } = await run({ fileHandlers: { csv: { idField: 'k', docIdPrefix: 'c-' }, json: {} } });
    expect(found).toEqual(['c-1', 'c-2', 'c.CSV', 'd.txt', 'j']);
  });

  it('sets the file name and the source URI in rows of CSV files', async () => {
    await write({ 'in/Straße 1.csv': 'k\n1\n' });
    const { documents } = await run({ fileHandlers: { csv: {} } });
    expect(documents).toEqual([
      {
        id: 'Straße 1.csv-1',
        source: `file://${folder}/in/Stra%C3%9Fe%201.csv`,
        filename: 'Straße 1.csv',
        k: '1',
        csvLineNumber: 1,
      },
    ]);
  });

  it.each(['VideoFileHandler', 'com.kmwllc.lucille.video.VideoFileHandler'])(
    'finds the file handler of a plugin: %s',
    async (name) => {
      const ffmpeg = join(folder, 'ffmpeg');
      // It writes a frame as ffmpeg does, if it can read the video.
      await write({
        ffmpeg: `#!/bin/sh
[ "$(/bin/cat <&3)" = video ] || exit 1
echo '[Parsed_showinfo_1 @ 0x1] [info] config in time_base: 1/1000, frame_rate: 25/1' >&2
echo '[Parsed_showinfo_1 @ 0x1] [info] n:   0 pts:   3500 pts_time:3.5 duration: 40' >&2
echo ${PIXEL} | /usr/bin/base64 -d`,
        'in/a.mp4': 'video',
        'in/b.mp4.gz': gzipSync('video'),
      });
      await chmod(ffmpeg, 0o755);
      const mp4 = { class: name, ffmpegPath: ffmpeg, docIdPrefix: 'v-' };
      const { documents, rejected } = await run({
        fileHandlers: { mp4 },
        fileOptions: { handleCompressedFiles: true },
      });
      expect(rejected).toEqual([]);
      expect(documents).toEqual(
        ['a.mp4', 'b.mp4'].map((leaf) => ({
          id: `v-${leaf.slice(0, 1)}-f0`,
          source: `file://${folder}/in/${leaf === 'a.mp4' ? leaf : `${leaf}.gz!${leaf}`}`,
          file_name: leaf,
          frame_index: 0,
          frame_time_ms: 3500,
          frame_timecode: '00:00:03.500',
          image_width: 1,
          image_height: 1,
          frame_image: PIXEL,
        })),
      );
      const content = Buffer.from('video').toString('base64');
      const [outcome] = await runStage(ApplyFileHandlers, { fileHandlers: { mp4 } }, [
        { id: '1', file_path: 'a.mp4', file_content: content },
      ]);
      expect(outcome?.documents.map((text) => JSON.parse(text).id)).toEqual(['v-a-f0', '1']);
      expect(await problemsOf({ paths: ['/in'], fileHandlers: { mp4: { class: name, frameStride: 'x' } } })).toEqual([
        expect.stringContaining('frameStride'),
      ]);
    },
  );

  it('rejects unreadable files and continues', async () => {
    await write({
      'in/bad.csv': 'a,\n1,2\n',
      'in/cut.txt.gz': gzipSync('x'.repeat(100_000)).subarray(0, 60),
      'in/empty.zip': '',
      'in/good.csv': 'a\n1\n',
      'in/none.zip': 'garbage',
    });
    const { found, rejected } = await run({
      fileHandlers: { csv: { emptyColumns: 'fail' } },
      fileOptions: { handleArchivedFiles: true, handleCompressedFiles: true },
    });
    expect(found).toEqual(['good.csv-1']);
    expect(rejected.sort()).toEqual([
      expect.stringMatching(/^bad\.csv: column 2 of the header has no name/),
      'cut.txt.gz!cut.txt: it is truncated: unexpected end of file',
      expect.stringMatching(/^empty\.zip: /),
      expect.stringMatching(/^none\.zip: /),
    ]);
  });

  it.skipIf(process.getuid?.() === 0)('skips folders without read permission', async () => {
    await write({ 'in/closed/a.txt': 'a', 'in/b.txt': 'b' });
    await chmod(join(folder, 'in/closed'), 0);
    const { found, warnings } = await run();
    await chmod(join(folder, 'in/closed'), 0o700);
    expect(found).toEqual(['b.txt']);
    expect(warnings.join()).toContain('in/closed/ is skipped');
  });

  it('follows links to files but not to folders, so that loops are harmless', async () => {
    await write({ 'in/a.txt': 'alpha', 'other/b.txt': 'b' });
    await symlink(join(folder, 'in'), join(folder, 'in/loop'));
    await symlink(join(folder, 'other/b.txt'), join(folder, 'in/link.txt'));
    await symlink(join(folder, 'nowhere'), join(folder, 'in/broken'));
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'in/pipe')]);
    const { documents, found, warnings, notices } = await run();
    expect(found).toEqual(['a.txt', 'link.txt']);
    expect(notices).toMatchObject([{ code: 'file.skipped', count: 3 }]);
    expect(documents.find(({ file_path }) => file_path?.endsWith('link.txt'))).toMatchObject({ file_size_bytes: 1 });
    expect(warnings.sort()).toEqual([
      expect.stringMatching(/broken is skipped: ENOENT/),
      expect.stringMatching(/loop is skipped: it is a link to a folder, which is not followed/),
      expect.stringMatching(/pipe is skipped: it is not a regular file/),
    ]);
  });

  it('ignores files that vanish during the walk', async () => {
    await write(Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`in/${i}.txt`, `${i}`])));
    const publisher = new CollectingPublisher();
    const publishChunk = publisher.publishChunk.bind(publisher);
    publisher.publishChunk = async (chunk) => {
      await rm(join(folder, 'in'), { recursive: true, force: true });
      return publishChunk(chunk);
    };
    const { found, rejected, warnings } = await run({}, { publisher });
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(600);
    expect({ rejected, warnings }).toEqual({ rejected: [], warnings: [] });
  });

  it('warns about a path that does not exist, and publishes nothing from it', async () => {
    const { found, warnings, notices } = await run();
    expect(found).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('does not exist')]);
    expect(notices).toMatchObject([{ code: 'path.missing', class: 'loss', count: 1 }]);
  });

  it('passes on errors of the publisher', async () => {
    await write({ 'in/a.txt': 'a', 'in/b.csv': 'k\n1\n' });
    for (const fileHandlers of [{}, { csv: {} }]) {
      const publisher = new CollectingPublisher();
      publisher.publishChunk = () => Promise.reject(new Error('the engine failed'));
      await expect(run({ fileHandlers }, { publisher })).rejects.toThrow('the engine failed');
    }
  });

  it('publishes only the files that the filters accept', async () => {
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

  it('stops when the run is aborted', async () => {
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

describe('FileConnector with target folders', () => {
  it('moves published files and unreadable files to their folders', async () => {
    await write({ 'in/a.csv': 'k\n1\n', 'in/sub/b.txt': 'b', 'in/bad.csv': 'a,\n' });
    const fileOptions = { moveToAfterProcessing: join(folder, 'done'), moveToErrorFolder: join(folder, 'err') };
    const { found } = await run({ fileOptions, fileHandlers: { csv: { emptyColumns: 'fail' } } });
    expect(found).toEqual(['a.csv-1', 'sub/b.txt']);
    expect(await left()).toEqual(['done/a.csv', 'done/b.txt', 'err/bad.csv']);
  });

  it('renames a moved file if its name is taken', async () => {
    await write({ 'in/a/x.txt': '1', 'in/b/x.txt': '2', 'in/c/x.txt': '3', 'done/x.txt': '0' });
    await run({ fileOptions: { moveToAfterProcessing: join(folder, 'done') } });
    const moved = await left();
    const other = expect.stringMatching(/^done\/x\.[0-9a-f]{8}\.txt$/);
    expect(moved).toEqual([other, other, other, 'done/x.txt']);
    const texts = await Promise.all(moved.map((path) => readFile(join(folder, path), 'utf8')));
    expect(texts.sort()).toEqual(['0', '1', '2', '3']);
  });

  it('counts the files that could not be moved in the summary, with the first reason', async () => {
    await write({ 'in/a.txt': 'a', 'in/b.txt': 'b', 'in/bad.zip': 'no zip', done: 'a file, not a folder' });
    const moves = { moveToAfterProcessing: join(folder, 'done'), moveToErrorFolder: join(folder, 'done') };
    const { found, warnings, message } = await run({ fileOptions: { ...moves, handleArchivedFiles: true } });
    expect(found).toEqual(['a.txt', 'b.txt']);
    expect(warnings).toHaveLength(3);
    for (const text of warnings) expect(text).toMatch(/in\/\S+ was not moved to \S+\/done: /);
    expect(message).toBe(`files that could not be moved: 3 (the first one: ${warnings[0]})`);
    expect(await left()).toEqual(['done', 'in/a.txt', 'in/b.txt', 'in/bad.zip']);
  });

  it('moves files into a subfolder of the path, and skips that folder', async () => {
    await write({ 'in/a.txt': 'a' });
    const fileOptions = { moveToAfterProcessing: join(folder, 'in/done') };
    expect((await run({ fileOptions })).found).toEqual(['a.txt']);
    expect((await run({ fileOptions })).found).toEqual([]);
    expect(await left()).toEqual(['in/done/a.txt']);
  });

  it('moves no files in a preview or after a stop', async () => {
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

describe('the check of FileConnector', () => {
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

  it('accepts valid settings', () => {
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

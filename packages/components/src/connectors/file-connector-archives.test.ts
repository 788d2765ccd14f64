import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { tarOf, zipOf } from '@headrace/testing/archives';
import { describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../formats/testing/collecting-publisher.ts';
import { folder, left, type Params, run, useFolder, write } from './file-connector.test.lib.ts';

useFolder();

describe('FileConnector with archives', () => {
  const fileOptions = { handleArchivedFiles: true, handleCompressedFiles: true };

  it('opens archives and compressed files as the options allow', async () => {
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
    const inside = documents.find(({ file_path }) => file_path?.endsWith('a.tar!x/one.txt'));
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

  it('fails damaged entries and reads the others', async () => {
    await write({
      'in/a.zip': zipOf([
        { name: 'bad.txt', content: 'x', crc: 1 },
        { name: 'secret.txt', content: 'x', flags: 1 },
        { name: 'good.txt', content: 'x' },
      ]),
    });
    const { found, rejected } = await run({ fileOptions: { ...fileOptions, moveToErrorFolder: join(folder, 'err') } });
    expect(found).toEqual(['a.zip!good.txt']);
    expect(rejected.map((text) => text.replace(/: .*/, ''))).toEqual(['a.zip!bad.txt']);
    expect(await left()).toEqual(['err/a.zip']);
  });

  it('skips and counts links in archives', async () => {
    const links = [
      { name: 'x/a.txt', content: 'alpha' },
      { name: 'x/hard.txt', type: 'link', linkname: 'x/a.txt' },
      { name: 'x/soft.txt', type: 'symlink', linkname: 'a.txt' },
    ] as const;
    await write({
      'in/a.tar': await tarOf(links),
      'in/b.zip': zipOf([{ name: 'link', content: 'a.txt', mode: 0o120777 }]),
    });
    const { found, rejected, warnings, notices } = await run({ fileOptions });
    expect({ found, rejected }).toEqual({ found: ['a.tar!x/a.txt'], rejected: [] });
    expect(warnings.map((text) => text.replace(/^.*\/in\/(.*) is skipped: .*$/, '$1')).sort()).toEqual([
      'a.tar!x/hard.txt',
      'a.tar!x/soft.txt',
      'b.zip!link',
    ]);
    expect(notices).toMatchObject([
      { code: 'file.skipped', count: 3, examples: Array(3).fill({ hint: expect.stringMatching(/^it is a .*link/) }) },
    ]);
  });

  it('fails empty archives, and does not count them as published', async () => {
    const none = ['zero.gz', 'zero.tar', 'zero.tar.gz', 'zero.zip', 'zero.zip.gz'];
    await write({ ...Object.fromEntries(none.map((name) => [`in/${name}`, ''])), 'in/fine.txt.gz': gzipSync('') });
    const options = {
      ...fileOptions,
      moveToAfterProcessing: join(folder, 'done'),
      moveToErrorFolder: join(folder, 'err'),
    };
    const { found, rejected } = await run({ fileOptions: options });
    expect(found).toEqual(['fine.txt.gz!fine.txt']);
    expect(rejected).toHaveLength(none.length);
    for (const text of rejected) expect(text).toMatch(/: it is empty: /);
    expect(await left()).toEqual(['done/fine.txt.gz', ...none.map((name) => `err/${name}`)]);
  });

  it('reads archives with any number of entries in batches', async () => {
    const entries = Array.from({ length: 5_000 }, (_, i) => ({ name: `${i}.txt`, content: `${i}`, method: 0 }));
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
    // Memory contains only one batch of waiting entries, for archives of any size.
    expect(Math.max(...together)).toBeLessThanOrEqual(256);
  });

  it('opens nested archives up to maxArchiveDepth', async () => {
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

  it('fails only the damaged parts of nested archives', async () => {
    await write({
      'in/a.tar': await tarOf([
        { name: 'bad.zip', content: 'no zip' },
        { name: 'bad.gz', content: 'no gzip' },
        { name: 'good.zip', content: zipOf([{ name: 'g', content: 'g' }]) },
      ]),
    });
    const options = { ...fileOptions, maxArchiveDepth: 2, moveToErrorFolder: join(folder, 'err') };
    const { found, rejected } = await run({ fileOptions: options });
    expect(found).toEqual(['a.tar!good.zip!g']);
    expect(rejected.map((text) => text.replace(/: .*/, '')).sort()).toEqual(['a.tar!bad.gz', 'a.tar!bad.zip']);
    expect(await left()).toEqual(['err/a.tar']);
  });

  it('stops reading nested archives that unpack to far more than their size', async () => {
    const zeros = gzipSync(Buffer.alloc(40_000_000), { level: 9 });
    // Each level alone stays below the limit.
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

  it('filters entries by their path in the archive', async () => {
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

  it('publishes the content of a gzip file, and warns about bytes after it', async () => {
    const garbage = Buffer.from('garbage');
    const zeros = Buffer.alloc(600);
    await write({
      'in/a.csv.gz': Buffer.concat([gzipSync('k\n1\n2\n'), garbage]),
      'in/b.txt.gz': Buffer.concat([gzipSync('b'), garbage]),
      'in/c.txt.gz': Buffer.concat([gzipSync('c'), zeros]),
      'in/d.tar.gz': Buffer.concat([gzipSync(await tarOf([{ name: 'd.txt', content: 'd' }])), zeros]),
    });
    const { found, rejected, warnings } = await run({ fileOptions, fileHandlers: { csv: {} } });
    expect(found).toEqual(['a.csv-1', 'a.csv-2', 'b.txt.gz!b.txt', 'c.txt.gz!c.txt', 'd.tar.gz!d.txt']);
    expect(rejected).toEqual([]);
    const ignored = 'the bytes after the compressed data are ignored, as gzip does. The file may be damaged';
    expect(warnings.map((text) => text.replace(/^.*\/in\//, '')).sort()).toEqual([
      `a.csv.gz: ${ignored}`,
      `b.txt.gz: ${ignored}`,
    ]);
  });
});

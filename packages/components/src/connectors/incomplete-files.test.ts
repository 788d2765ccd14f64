import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { HeadraceError } from '@headrace/engine';
import { tarOf } from '@headrace/testing/archives';
import { describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../file-formats/testing/collecting-publisher.ts';
import { folder, left, type Params, run, useFolder, write } from './file-connector.test.lib.ts';

useFolder();

const fileHandlers = { csv: { idField: 'k' }, json: {}, xml: { xmlRootPath: '/r/e', xmlIdPath: '/r/e/id' } };

/** Runs a connector that must fail, and returns the published documents and the error. */
async function failing(params: Params) {
  const publisher = new CollectingPublisher();
  const error: HeadraceError = await run({ fileHandlers, ...params }, { publisher }).then(
    () => expect.unreachable(),
    (error) => error,
  );
  expect(error.code).toBe('HR_SOURCE_INCOMPLETE');
  return {
    ids: publisher.documents.map(({ id }) => id).sort(),
    message: error.message.replaceAll(`file://${folder}/in/`, ''),
    rejected: publisher.rejected,
  };
}

describe('FileConnector with incomplete files', () => {
  const whole = { 'in/a.csv': 'k\na1\n', 'in/z.csv': 'k\nz1\n' };
  const long = `k\n${Array.from({ length: 6_000 }, (_, i) => `g${i}-${((i * 7919) % 1_000_003).toString(36).repeat(100)}\n`).join('')}`;

  it.each([
    [
      'an open quote',
      'in/m.csv',
      'k\nm1\nm2\n"open\nm3\n',
      ['m1', 'm2'],
      'm.csv:4:1: a quote is opened but never closed',
    ],
    [
      'an open quote in the first row',
      'in/m.csv',
      'k\n"open\nm3\n',
      [],
      'm.csv:2:1: a quote is opened but never closed',
    ],
    ['an open object', 'in/m.json', '[{"id":"m1"},\n{"id":"m2"', ['m1'], 'm.json:2: a string or an object is opened'],
    [
      'an open array',
      'in/m.json',
      '[{"id":"m1"},\n{"id":"m2"}\n',
      ['m1', 'm2'],
      'm.json:2: the file ends inside an array',
    ],
    [
      'an open line',
      'in/m.jsonl',
      '{"id":"m1"}\n{"id":"m2"',
      ['m1'],
      'm.jsonl:2: a string or an object is opened but never closed (column 1, byte 12)',
    ],
    [
      'an open first element',
      'in/m.xml',
      '<r><e><id>m1',
      [],
      'm.xml:1: not well-formed XML: the file ends inside <id>',
    ],
    [
      'a missing root element',
      'in/m.xml',
      '<?xml version="1.0"?>',
      [],
      'm.xml:1: not well-formed XML: there is no root',
    ],
    ['a broken element', 'in/m.xml', '<r><e><id>m1</id></e>\n<e></r>', ['m1'], 'm.xml:2: not well-formed XML'],
  ])('fails because of %s, after it has read all other files', async (_, path, text, ids, message) => {
    await write({ ...whole, [path]: text });
    const found = await failing({});
    expect(found.ids).toEqual(['a1', ...ids, 'z1']);
    expect(found.message).toContain(`1 file was not read to the end: ${message}`);
    expect(found.message).toMatch(/the rest of the file was not read|there is no root element|ends inside <id>/);
    expect(found.rejected).toEqual([]);
  });

  it('fails for a truncated compressed file', async () => {
    const cutOff = gzipSync(long);
    await write({ ...whole, 'in/m.csv.gz': cutOff.subarray(0, cutOff.length * 0.9) });
    const { ids, message, rejected } = await failing({ fileOptions: { handleCompressedFiles: true } });
    expect(ids.length).toBeGreaterThan(2);
    expect(message).toContain('m.csv.gz: it is truncated');
    expect(rejected).toEqual([]);
  });

  it('fails for a truncated compressed file, after the whole records before the end', async () => {
    const lines = Array.from({ length: 200 }, (_, i) => `{"id":"m${i}","title":"title ${i * 7919}"}\n`);
    const cutOff = gzipSync(lines.join(''));
    await write({ ...whole, 'in/m.jsonl.gz': cutOff.subarray(0, cutOff.length / 2) });
    const { ids, message, rejected } = await failing({ fileOptions: { handleCompressedFiles: true } });
    expect(ids).toEqual(['a1', ...Array.from({ length: ids.length - 2 }, (_, i) => `m${i}`), 'z1'].sort());
    expect(ids.length).toBeGreaterThan(20);
    expect(message).toContain('m.jsonl.gz: it is truncated: unexpected end of file: the rest of the file was not read');
    expect(rejected).toEqual([]);
  });

  it.each(['m.tar', 'm.tar.gz'])('fails for the truncated archive %s, after the whole entries', async (name) => {
    const entries = [
      { name: 'b.csv', content: 'k\n1\n' },
      { name: 'c.csv', content: long },
    ];
    const tar = await tarOf(entries);
    const gz = gzipSync(tar);
    const cutOff = name === 'm.tar' ? tar.subarray(0, 1200) : gz.subarray(0, gz.length / 2);
    await write({ ...whole, [`in/${name}`]: cutOff });
    const { ids, message } = await failing({
      fileOptions: { handleArchivedFiles: true, handleCompressedFiles: true },
    });
    expect(ids.filter((id) => !id.startsWith('g'))).toEqual(['1', 'a1', 'z1']);
    expect(message).toContain(`${name}: it is truncated: unexpected end of file: the rest of the archive was not read`);
  });

  it('fails for a truncated archive inside an archive, and reads the other entries', async () => {
    const cutOff = (await tarOf([{ name: 'b.csv', content: long }])).subarray(0, 3000);
    const entries = [
      { name: 'cut.tar', content: cutOff },
      { name: 'c.csv', content: 'k\n2\n' },
    ];
    await write({ 'in/x.tar': await tarOf(entries) });
    const fileOptions = { handleArchivedFiles: true, maxArchiveDepth: 2, moveToErrorFolder: join(folder, 'errors') };
    const { ids, message } = await failing({ fileOptions });
    expect(ids.filter((id) => !id.startsWith('g'))).toEqual(['2']);
    expect(message).toContain('x.tar!cut.tar: it is truncated: unexpected end of file');
    expect(await left()).toEqual(['errors/x.tar']);
  });

  it('fails for an incomplete file inside an archive', async () => {
    const entries = [
      { name: 'b.csv', content: 'k\n1\n"' },
      { name: 'c.csv', content: 'k\n2\n' },
    ];
    await write({ 'in/x.tar': await tarOf(entries) });
    const { ids, message } = await failing({ fileOptions: { handleArchivedFiles: true } });
    expect(ids).toEqual(['1', '2']);
    expect(message).toContain('x.tar!b.csv:3:1: a quote is opened');
  });

  it('names three incomplete files, and moves them to the error folder', async () => {
    const broken = Object.fromEntries([1, 2, 3, 4, 5].map((i) => [`in/b${i}.csv`, `k\n${i}\n"`]));
    await write({ ...whole, ...broken });
    const { ids, message } = await failing({ fileOptions: { moveToErrorFolder: join(folder, 'errors') } });
    expect(ids).toEqual(['1', '2', '3', '4', '5', 'a1', 'z1']);
    expect(message).toMatch(/^5 files were not read to the end: .*; and 2 more, which are in the log$/);
    expect((await left()).filter((path) => path.startsWith('errors/'))).toHaveLength(5);
    expect((await run({ fileHandlers })).found).toEqual(['a1', 'z1']);
  });

  it('reads only the incomplete files again if it has a state', async () => {
    await write({ ...whole, 'in/m.csv': 'k\nm1\n"' });
    const params = {
      state: { connectionString: `jdbc:h2:${folder}/state/s` },
      filterOptions: { publishMode: 'incremental' },
    };
    expect((await failing(params)).ids).toEqual(['a1', 'm1', 'z1']);
    expect((await failing(params)).ids).toEqual(['m1']);
    await write({ 'in/m.csv': 'k\nm1\nm2\n' });
    expect((await run({ fileHandlers, ...params })).found).toEqual(['m1', 'm2']);
  });
});

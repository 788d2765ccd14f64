import { gzipSync, zstdCompressSync } from 'node:zlib';
import { tarOf, zipOf } from '@headrace/testing/archives';
import { describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../file-formats/testing/collecting-publisher.ts';
import { folder, type Params, run, useFolder, write } from './file-connector.test.lib.ts';

useFolder();

const BZ2 = 'QlpoOTFBWSZTWSVVc44AAANZgAAQAAQgACAIAQAgADDACGmyiCMni7kinChIEqq5xwA=';
const fileHandlers = {
  csv: { idField: 'k' },
  json: {},
  xml: { xmlRootPath: '/r/e', xmlIdPath: '/r/e/id', encoding: 'utf-8', outputField: 'xml' },
};
const TAR = await tarOf([{ name: 'x', content: 'y' }]);
const CSV = 'k,v\n1,a\n';
const TEXTS = { csv: CSV, json: '{"id":"1"}\n', xml: '<r><e><id>1</id></e></r>' };

async function reading(params: Params): Promise<{ ids: string[]; rejected: string[] }> {
  const publisher = new CollectingPublisher();
  await run({ fileHandlers, ...params }, { publisher });
  const short = (text: string) => text.replaceAll(`file://${folder}/in/`, '');
  return {
    ids: publisher.documents.map(({ id }) => id).sort(),
    rejected: publisher.rejected.map(({ place, message }) => `${short(place)}: ${short(message)}`),
  };
}

describe('a file handler', () => {
  it.each(Object.entries(TEXTS))('unpacks %s files that are compressed', async (extension, text) => {
    for (const bytes of [gzipSync(text), zstdCompressSync(text)]) {
      await write({ [`in/a.${extension}`]: bytes });
      expect(await reading({})).toEqual({ ids: ['1'], rejected: [] });
    }
  });

  const xz = Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0, 4]);
  const FORMATS: readonly [string, Uint8Array, string][] = [
    ['a ZIP archive, or an Office file', zipOf([{ name: 'x', content: 'y' }]), 'handleArchivedFiles'],
    ['a tar archive', TAR, 'handleArchivedFiles'],
    ['a PDF file', Buffer.from('%PDF-1.7\n%\xe2\xe3'), 'TextExtractor'],
    ['a Parquet file', Buffer.from('PAR1\x15\x04\x15\x00'), 'ParquetConnector'],
    ['an Avro file', Buffer.from('Obj\x01\x04\x14avro.codec'), 'convert it'],
    ['an Excel, Word or PowerPoint file (OLE2)', Buffer.from('d0cf11e0a1b11ae10000', 'hex'), 'TextExtractor'],
    ['a 7z archive', Buffer.from('377abcaf271c0004', 'hex'), 'Decompress'],
    ['a zlib file', Buffer.from('789ccb48cdc9c907000626', 'hex'), 'Decompress'],
    ['a SQLite database', Buffer.from('SQLite format 3\0'), 'DatabaseConnector'],
  ];
  it.each(FORMATS)('fails a file with the name of its format: %s', async (name, bytes, hint) => {
    const files = Object.keys(TEXTS).map((extension) => `a.${extension}`);
    await write(Object.fromEntries(files.map((file) => [`in/${file}`, bytes])));
    const { ids, rejected } = await reading({});
    expect([ids, rejected.length]).toEqual([[], 3]);
    for (const file of files) {
      const message = rejected.find((text) => text.startsWith(file));
      expect(message).toContain(`is ${name}, not a text`);
      expect(message).toContain(hint);
      expect(message).not.toContain('encoding');
    }
  });

  it('fails a compressed file with something else inside', async () => {
    await write({ 'in/a.csv': gzipSync(gzipSync(CSV)) });
    expect((await reading({})).rejected[0]).toContain('a.csv, unpacked, is a gzip file, not a text');
  });

  it('reads texts that begin like another format', async () => {
    await write({
      'in/a.csv': 'PAR1,k\n1,2\n',
      'in/b.csv': 'BZh9,k\n1,3\n',
      'in/c.csv': 'x^,k\n1,4\n',
      'in/d.csv': 'k\n5\n',
    });
    expect((await reading({})).ids).toEqual(['2', '3', '4', '5']);
  });

  it.each([
    ['damaged', gzipSync(CSV.repeat(1000)).map((byte, i) => (i === 25 ? 255 - byte : byte))],
    ['truncated', gzipSync(CSV.repeat(1000)).subarray(0, 40)],
    ['truncated', Buffer.concat([xz])],
  ])('fails the connector if the compressed data is %s', async (what, bytes) => {
    await write({ 'in/a.csv': bytes });
    const error = await reading({}).catch((error) => error);
    expect(error.code).toBe('HR_SOURCE_INCOMPLETE');
    expect(error.message).toMatch(what === 'truncated' ? /truncated/ : /./);
  });
});

describe('FileConnector with handleCompressedFiles', () => {
  it('opens .bz2 and .zst files, also in archives', async () => {
    await write({
      'in/a.csv.bz2': Buffer.from(BZ2, 'base64'),
      'in/b.csv.zst': zstdCompressSync('k,v\n2,b\n'),
      'in/c.tar.zst': zstdCompressSync(await tarOf([{ name: 'd.csv', content: 'k,v\n3,c\n' }])),
      'in/e.tar': await tarOf([{ name: 'f.csv', content: gzipSync('k,v\n4,d\n') }]),
    });
    const fileOptions = { handleCompressedFiles: true, handleArchivedFiles: true };
    expect(await reading({ fileOptions })).toEqual({ ids: ['1', '2', '3', '4'], rejected: [] });
  });

  it('limits what a compressed file in an archive unpacks to', async () => {
    const bomb = gzipSync(gzipSync(Buffer.from(`k,v\n${`1,${'a'.repeat(500_000)}\n`.repeat(150)}`)));
    await write({ 'in/a.csv.gz': bomb });
    const error = await reading({ fileOptions: { handleCompressedFiles: true } }).catch((error) => error);
    expect(error.message ?? error.rejected[0]).toContain('more than 500 times its size');
  });
});

import { randomBytes } from 'node:crypto';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { tarOf, type ZipFixture, zipOf } from '@headrace/testing/archives';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ArchiveEntry } from './archive-entry.ts';
import { gunzipped } from './gzip.ts';
import { tarEntries } from './tar-reader.ts';
import { zipEntries } from './zip-reader.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-archives-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Yields bytes in small chunks that all use the same buffer. */
async function* inPieces(bytes: Uint8Array, size = 1000) {
  const buffer = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size);
    buffer.set(piece);
    yield buffer.subarray(0, piece.length);
  }
}

async function allOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of source) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** Reads the entries and returns their contents, or the reasons why there is no content. */
async function read(entries: AsyncIterable<ArchiveEntry>) {
  const found: Record<string, string> = {};
  for await (const entry of entries) {
    found[entry.name] = entry.unreadable ?? (await allOf(entry.bytes).then(String, (error: Error) => error.message));
  }
  return found;
}

/** Writes the checksum of a changed header of a tar archive. */
function sealed(header: Buffer): void {
  header.fill(' ', 148, 156);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
}

async function zipFile(fixtures: readonly ZipFixture[]): Promise<string> {
  const path = join(folder, `${Math.random()}.zip`);
  await writeFile(path, zipOf(fixtures));
  return path;
}

async function* entriesOfZip(path: string): AsyncGenerator<ArchiveEntry> {
  const file = await open(path, 'r');
  try {
    yield* zipEntries(file);
  } finally {
    await file.close();
  }
}

describe('a zip reader', () => {
  it('returns files with size and date, and unchanged names', async () => {
    const big = randomBytes(300_000);
    const path = await zipFile([
      { name: 'a.txt', content: 'alpha' },
      { name: 'folder/', content: '' },
      { name: '../../etc/passwd', content: 'harmless' },
      { name: '/absolute', content: 'too', method: 0 },
      { name: 'ünï 日%.txt', content: 'utf-8 without a flag' },
      { name: Buffer.from([0x81, 0x2e, 0x74]), content: 'cp437' },
      { name: 'empty', content: '' },
      { name: 'big', content: big },
      { name: 'big-stored', content: big, method: 0 },
    ]);
    expect(await read(entriesOfZip(path))).toEqual({
      'a.txt': 'alpha',
      '../../etc/passwd': 'harmless',
      '/absolute': 'too',
      'ünï 日%.txt': 'utf-8 without a flag',
      'ü.t': 'cp437',
      empty: '',
      big: String(big),
      'big-stored': String(big),
    });
    for await (const { size, modified } of entriesOfZip(path)) {
      expect(size).toBe(5);
      expect(new Date(Number(modified / 1_000_000n))).toEqual(new Date(2022, 2, 4, 5, 6, 8));
      break;
    }
  });

  it('reports unreadable zip entries and reads the others', async () => {
    const path = await zipFile([
      { name: 'secret', content: 'x', flags: 1 },
      { name: 'strange', content: 'x', method: 14 },
      { name: 'damaged', content: 'x', crc: 1 },
      { name: 'liar', content: 'x'.repeat(1000), size: 10 },
      { name: 'big-liar', content: 'x'.repeat(1_000_000), size: 100_000 },
      { name: 'link', content: '/etc/passwd', mode: 0o120777 },
      { name: 'good', content: 'x', mode: 0o100644 },
    ]);
    expect(await read(entriesOfZip(path))).toEqual({
      secret: 'it is encrypted',
      strange: 'it uses compression method 14, which is not supported',
      damaged: 'it is damaged: its checksum is wrong',
      liar: expect.stringMatching(/larger than 10 bytes/),
      'big-liar': 'its size differs from the directory of the archive',
      link: 'it is a link, and links in archives are not followed',
      good: 'x',
    });
  });

  it('rejects a truncated zip file and a file of another format', async () => {
    const path = join(folder, 'none.zip');
    await writeFile(path, 'garbage');
    await expect(read(entriesOfZip(path))).rejects.toThrow();
    await writeFile(path, zipOf([{ name: 'a', content: 'x' }]).subarray(0, 60));
    await expect(read(entriesOfZip(path))).rejects.toThrow();
    await writeFile(path, '');
    await expect(read(entriesOfZip(path))).rejects.toThrow('it is empty');
    await writeFile(path, zipOf([]));
    expect(await read(entriesOfZip(path))).toEqual({});
  });

  it('returns all entries of the zip directory, even if its entry count is wrong', async () => {
    const bytes = zipOf(Array.from({ length: 5 }, (_, i) => ({ name: `${i}`, content: `${i}` })));
    for (const at of [8, 10]) bytes.writeUInt16LE(2, bytes.length - 22 + at);
    const path = join(folder, 'overflow.zip');
    await writeFile(path, bytes);
    expect(Object.keys(await read(entriesOfZip(path)))).toEqual(['0', '1', '2', '3', '4']);
  });

  it('allows the reader to stop before the last zip entry', async () => {
    const path = await zipFile(Array.from({ length: 50 }, (_, i) => ({ name: `${i}`, content: 'x'.repeat(200_000) })));
    for await (const entry of entriesOfZip(path)) {
      for await (const _ of entry.bytes) break;
      if (entry.name === '7') break;
    }
  });
});

describe('a tar reader', () => {
  it('returns tar files in order, without folders', async () => {
    const long = `${'d'.repeat(120)}/${'n'.repeat(120)}.txt`;
    const bytes = await tarOf([
      { name: 'a.txt', content: 'alpha' },
      { name: 'folder', type: 'directory' },
      { name: '../up', content: 'harmless' },
      { name: long, content: 'long' },
      { name: 'ünï', content: '' },
    ]);
    for (const size of [1, 512, 100_000]) {
      expect(await read(tarEntries(inPieces(bytes, size)))).toEqual({
        'a.txt': 'alpha',
        '../up': 'harmless',
        [long]: 'long',
        ünï: '',
      });
    }
    for await (const { modified } of tarEntries(inPieces(bytes))) {
      expect(modified).toBe(BigInt(Date.parse('2022-03-04T05:06:07Z')) * 1_000_000n);
      break;
    }
  });

  it('reports unreadable tar entries and reads the others', async () => {
    const bytes = await tarOf([
      { name: 'a.txt', content: 'alpha' },
      { name: 'hard', type: 'link', linkname: 'a.txt' },
      { name: 'soft', type: 'symlink', linkname: '/etc/passwd' },
      { name: 'pipe', type: 'fifo' },
      { name: 'sparse', content: 'map', pax: { 'GNU.sparse.major': '1' } },
      { name: 'last', content: 'z' },
    ]);
    expect(await read(tarEntries(inPieces(bytes)))).toEqual({
      'a.txt': 'alpha',
      hard: expect.stringMatching(/^it is a hard link to a\.txt: /),
      soft: 'it is a link to /etc/passwd, and links in archives are not followed',
      pipe: 'it is not a regular file',
      sparse: expect.stringMatching(/^it is a sparse file/),
      last: 'z',
    });
  });

  it('reads the entry types of older and other tar programs', async () => {
    const bytes = await tarOf(['S', 'D', '1'].map((kind) => ({ name: `kind ${kind}`, content: `content ${kind}` })));
    // The three types: a sparse file of GNU tar, its folder list, and a hard link with content.
    const header = (i: number) => bytes.subarray(i * 1024, i * 1024 + 512);
    for (const [i, kind] of ['S', 'D', '1'].entries()) header(i).write(kind, 156);
    header(1).write('kind D/');
    // Archives from before the tar standard have no format marker.
    for (const i of [0, 1, 2]) sealed(header(i).fill(0, 257, 265));
    expect(await read(tarEntries(inPieces(bytes)))).toEqual({
      'kind S': 'its entry type is not supported',
      'kind 1': 'content 1',
    });
  });

  it('reports a tar archive without an end-of-archive marker', async () => {
    const bytes = await tarOf(['a', 'b'].map((name) => ({ name, content: 'x' })));
    const ends = async (end: number, size: number) => {
      let asked = false;
      for await (const _ of tarEntries(inPieces(bytes.subarray(0, end), size), () => {
        asked = true;
      }));
      return !asked;
    };
    for (const size of [1, 512, 1000, 100_000]) {
      expect([await ends(1024, size), await ends(bytes.length, size)]).toEqual([false, true]);
    }
  });

  it('continues after a tar entry that was not read, or not completely', async () => {
    const content = 'x'.repeat(100_000);
    const bytes = await tarOf(['a', 'b', 'c'].map((name) => ({ name, content })));
    const names: string[] = [];
    for await (const entry of tarEntries(inPieces(bytes))) {
      names.push(entry.name);
      if (entry.name === 'b') for await (const _ of entry.bytes) break;
    }
    expect(names).toEqual(['a', 'b', 'c']);
  });

  it('reads a tar entry with an impossible date as an entry without a date', async () => {
    const bytes = await tarOf(['a', 'b'].map((name) => ({ name, content: name })));
    // In base 256 this is about 10^23 seconds. The checksum is calculated with blanks in its own field.
    bytes.set([0x80, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 136);
    bytes.write(' '.repeat(8), 148, 'latin1');
    const sum = bytes.subarray(0, 512).reduce((total, byte) => total + byte, 0);
    bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
    const modified: bigint[] = [];
    for await (const entry of tarEntries(inPieces(bytes))) modified.push(entry.modified);
    expect(modified).toEqual([0n, BigInt(Date.parse('2022-03-04T05:06:07Z')) * 1_000_000n]);
    expect(await read(tarEntries(inPieces(bytes)))).toEqual({ a: 'a', b: 'b' });
  });

  it('rejects a truncated tar file and a file of another format', async () => {
    const bytes = await tarOf([{ name: 'a', content: 'x'.repeat(5000) }]);
    await expect(read(tarEntries(inPieces(bytes.subarray(0, 2000))))).rejects.toThrow();
    await expect(read(tarEntries(inPieces(randomBytes(2048))))).rejects.toThrow();
    await expect(read(tarEntries(inPieces(Buffer.alloc(0))))).rejects.toThrow('it is empty');
    expect(await read(tarEntries(inPieces(Buffer.alloc(1024))))).toEqual({});
  });
});

describe('a gzip reader', () => {
  it('returns the content of all gzip members', async () => {
    const large = randomBytes(300_000);
    const bytes = Buffer.concat([gzipSync('one, '), gzipSync(large), gzipSync('three')]);
    expect(await allOf(gunzipped(inPieces(bytes)))).toEqual(
      Buffer.concat([Buffer.from('one, '), large, Buffer.from('three')]),
    );
  });

  it('fails for a gzip file that is truncated, damaged or of another format', async () => {
    const bytes = gzipSync(randomBytes(100_000));
    await expect(allOf(gunzipped(inPieces(bytes.subarray(0, 50_000))))).rejects.toThrow('unexpected end of file');
    const damaged = Buffer.from(bytes);
    damaged[bytes.length - 6] = (damaged[bytes.length - 6] as number) ^ 1;
    await expect(allOf(gunzipped(inPieces(damaged)))).rejects.toThrow();
    await expect(allOf(gunzipped(inPieces(Buffer.from('no gzip'))))).rejects.toThrow('incorrect header check');
    await expect(allOf(gunzipped(inPieces(Buffer.alloc(0))))).rejects.toThrow('it is empty');
    expect(await allOf(gunzipped(inPieces(gzipSync(''))))).toHaveLength(0);
  });

  it('stops if a gzip file unpacks to far more than its size', async () => {
    const zeros = gzipSync(Buffer.alloc(50_000_000));
    const bomb = Buffer.concat(Array.from({ length: 4 }, () => zeros));
    await expect(allOf(gunzipped(inPieces(bomb, 10_000)))).rejects.toThrow('more than 500 times its size');
  });

  it('reports the errors of the source, and closes the source if the reader stops early', async () => {
    let closed = false;
    const packed = gzipSync(randomBytes(5_000_000), { level: 0 });
    const source = async function* (breaksAt: number) {
      try {
        for (let at = 0; at < packed.length; at += 100_000) {
          if (at >= breaksAt) throw new Error('the disk broke');
          yield packed.subarray(at, at + 100_000);
        }
      } finally {
        closed = true;
      }
    };
    await expect(allOf(gunzipped(source(500_000)))).rejects.toThrow('the disk broke');
    closed = false;
    for await (const _ of gunzipped(source(Infinity))) break;
    await expect.poll(() => closed).toBe(true);
  });
});

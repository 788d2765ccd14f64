import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { recognizeBinary } from './recognize.ts';
import { type Compression, compressionOf, unpacked } from './unpacked.ts';

async function* pieces(bytes: Uint8Array, size: number) {
  // All pieces use the same buffer, as in real sources.
  const memory = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    memory.set(part);
    yield memory.subarray(0, part.length);
  }
}

async function unpack(compression: Compression, bytes: Uint8Array, size = bytes.length): Promise<Buffer> {
  const content: Uint8Array[] = [];
  for await (const piece of unpacked(compression, pieces(bytes, size))) content.push(Buffer.from(piece));
  return Buffer.concat(content);
}

/** What bzip2 and xz write for a short text, and for `RUNS`, whose bzip2 file has several blocks. */
const HELLO = Buffer.from('hello, hello\n');
const RUNS = Buffer.concat([
  Buffer.alloc(300_000),
  Buffer.from('ab'.repeat(1000)),
  ...Array.from({ length: 3 }, () => Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))),
]);
const HELLO_BZ2 = Buffer.from('QlpoOTFBWSZTWZ88EfMAAANRAAAQQAQCRKAAISmjEIYC8oNwoeLuSKcKEhPngj5g', 'base64');
const HELLO_XZ = Buffer.from(
  '/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAMaGVsbG8sIGhlbGxvCgAAAAC8eq+JkvwkygABJQ1xGcS2H7bzfQEAAAAABFla',
  'base64',
);
const RUNS_BZ2 = Buffer.from(
  'QlpoMTFBWSZTWam8QJUAAkx/////////////////////////////////////////////sAGaAEh//qqqACYA0TAAAAmAAAAAAAGiYAAAAAJkwAAAAAAAAAAAAAAAJhMAAEmAAmAAJgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQqgAAmJgmmTRgmTBGExGExNMmJhMEYARgEYCGAAJiMACaGQ000ZDTJoMIMEwCZMBGmmATAAANoAARABAN4hAQARABACAG0hABEQAQAjEkElEmEnEoGHv4RBEUSRNFEVRZF0YQKMo0/lG0cR1HkfSBIUiSNJElSZJ0oSlKkrSxLUuS9MExTJ/SZpomqbJunCcp0naeJ6nyfqAoKhKGoiiqMo6kKSpSlqYpqnKeqCoqkqaqKqqyrqwrKtK2riuq8r6wIJYViQQgIALrY1kIBABCFlWZZ1oWlalrWxbVuW9cFxXJc10XK6oFdl3XheV6XtfF9X5f2AYFgmDYRhX+MMw7/WIYlimLYxjWOY9kGRZJk2UZVlmXZhmWaZtnGdZ5n2gaFomjaRpWmadqGpapq2sa1rmvbBsWybNtG1bZt24blum7bxvW+b9wHBcJw3EcVxnHchyXKctzHNc5z3QdF0nTdR1XWdd2HZdp23cd13nfeB4XieN5HleZ53/PQ9L1PW/97Hte573wfF8nzbA7I7QxIAAiACAbY7Y7g7o7w74u5IpwoSFTeIEq',
  'base64',
);
const RUNS_XZ = Buffer.from(
  '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj5J6vAWNdAABv/f//o7f/Rz5IFXI5YVG4kijmo4YH+e7kHoLTL8U6PAFLsX7JiopNL6MN2X+m44wjEVPgWRjFdYrid/i2lH8MasDedElk4ulcU7IE2PdEDKtfDW1G6eXDdoi3llestk3haR1v+0uIEGw1jEXZXme/wHnWyAFJkfjtk7E0wR9FTUok67Ac+TntlOPsGXu3ceSoKapJQTeLAIsk6u5LiUg5SxBzCf027D7iMDD3yqCGnunnAwjxrD6Pw7hB0FHlixYdoffblQ4F8KpvHi7r/Wa5VubOSukt8cuxiaqAc5y6D41uGTEzD/qgQxtlA2VT/cWrQK9f2wsdQLfOvYX7n+fazjy9drNN1IBRRlp78abcU/GTILBvnwyJjtZeG90vjzlk1PgCuEotJB3u9Dvq18weW+S+7zaTb4eaZt96R4BK6Q4CGCa6fWFkAzF8vFilEPeBGJhc0vfzhbYMVpVyQ5cTOQAAAK5dcbrTbAtFAAH/ArC9EgB7f1H1scRn+wIAAAAABFla',
  'base64',
);
/** 200 million zeros, compressed with bzip2. */
const BOMB_BZ2 = Buffer.from(
  'QlpoOTFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZDgni3wFfjkAAwAAACCAAMIBNRkKgJakKgJcxQVkmU1kOCeLfAV+OQADAAAAIIAAwgE1GQqAlqQqAlzFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZzL/7xgB9osAIwAACAAAIIAAwzAmqaZKkQbVFSIPF3JFOFCQeFqODAA==',
  'base64',
);

const CHECKED = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
const FILES: readonly [Compression, Buffer, Buffer][] = [
  ['gzip', gzipSync(HELLO), gzipSync(RUNS)],
  ['zstd', zstdCompressSync(HELLO, CHECKED), zstdCompressSync(RUNS, CHECKED)],
  ['bzip2', HELLO_BZ2, RUNS_BZ2],
  ['xz', HELLO_XZ, RUNS_XZ],
];

describe.each(FILES)('a file of %s', (compression, hello, runs) => {
  it('is unpacked from pieces of any size', async () => {
    for (const size of [1, 7, 64, 1 << 20]) {
      expect((await unpack(compression, hello, size)).equals(HELLO)).toBe(true);
      expect((await unpack(compression, runs, size)).equals(RUNS)).toBe(true);
    }
  });

  it('is unpacked to its end if it has several streams', async () => {
    const several = Buffer.concat([hello, runs, hello]);
    for (const size of [5, 1 << 20]) {
      expect((await unpack(compression, several, size)).equals(Buffer.concat([HELLO, RUNS, HELLO]))).toBe(true);
    }
  });

  it('fails if it is truncated, damaged or empty', async () => {
    for (const length of [runs.length - 1, runs.length >> 1, 20]) {
      await expect(unpack(compression, runs.subarray(0, length))).rejects.toThrow('truncated');
    }
    const damaged = Buffer.from(runs);
    for (let at = 60; at < 70; at++) damaged[at] = 255 - (damaged[at] as number);
    await expect(unpack(compression, damaged)).rejects.toThrow();
    await expect(unpack(compression, Buffer.alloc(0))).rejects.toThrow('it is empty');
  });

  it('is recognized by its first bytes', () => {
    expect(recognizeBinary(hello)?.compression).toBe(compression);
  });
});

it('a bomb of zeros is not unpacked', async () => {
  await expect(unpack('bzip2', BOMB_BZ2)).rejects.toThrow('more than 500 times its size');
  const zeros = zstdCompressSync(Buffer.alloc(100_000_000));
  await expect(unpack('zstd', zeros)).rejects.toThrow('more than 500 times its size');
});

it('several xz files are unpacked side by side, also one inside another', async () => {
  const outer = unpacked('xz', pieces(RUNS_XZ, 100))[Symbol.asyncIterator]();
  await outer.next();
  expect((await unpack('xz', HELLO_XZ)).equals(HELLO)).toBe(true);
  await outer.return?.();
  expect((await unpack('xz', HELLO_XZ)).equals(HELLO)).toBe(true);
});

it('the extension of a name says how it is compressed', () => {
  expect(compressionOf('a.csv.bz2')).toEqual({ compression: 'bzip2', inner: 'a.csv' });
  expect(compressionOf('a.csv.zst')).toEqual({ compression: 'zstd', inner: 'a.csv' });
  for (const name of ['a.csv', 'gz', 'a.GZ', '']) expect(compressionOf(name)).toBeUndefined();
});

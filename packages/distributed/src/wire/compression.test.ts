import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compress, decompress } from './compression.ts';

it('every batch is the same after compression and decompression', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(2000), (text, times) => {
      const batch = Buffer.from(`1\t${text.repeat(times)}`);
      expect(Buffer.from(decompress(compress(batch))).equals(batch)).toBe(true);
    }),
  );
});

it('a batch of similar documents gets smaller', () => {
  const batch = Buffer.from('0\tred green blue\n'.repeat(1000));
  expect(compress(batch).length).toBeLessThan(batch.length / 10);
});

it('a batch that is too long for a reader is not compressed, and a small message cannot fill the memory', () => {
  const zeros = Buffer.alloc(65 * 1024 * 1024);
  expect(compress(zeros)).toBe(zeros);
  expect(() => decompress(zstdCompressSync(zeros))).toThrow(/larger than/);
});

it('damaged bytes are an error', () => {
  const damaged = compress(Buffer.from('0\tred green blue\n'.repeat(1000)));
  expect(() => decompress(damaged.subarray(0, damaged.length - 5))).toThrow();
});

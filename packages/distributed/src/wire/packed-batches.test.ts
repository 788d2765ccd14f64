import { createHash } from 'node:crypto';
import { DocumentTable } from '@headrace/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyTable, DecodedRecords } from './any-document.test.lib.ts';
import { BatchDecoder } from './batch-decoder.ts';
import { BatchEncoder } from './batch-encoder.ts';
import { decompress } from './compression.ts';
import { partitionOf } from './murmur2.ts';
import { failuresOf, joinBatches, type PartitionBatch, unpack } from './packed-batches.ts';

function idsIn(value: Uint8Array, pieces?: readonly number[]): string[] {
  const decoded = new DecodedRecords();
  new BatchDecoder().decode(value, { place: 'here', pieces }, decoded);
  expect(decoded.rejected).toEqual([]);
  return decoded.documents.map(({ id }) => id);
}

describe('the messages of a batch', () => {
  it('contain each document once, in the partition of its id, in order, with its position', () => {
    const tables = fc.array(anyTable, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        tables,
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(1, 200, 1e6),
        fc.nat(9),
        (some, of, most, first) => {
          const encoder = new BatchEncoder({ partitions: of, maxBytes: most });
          const frames = some.flatMap((table) => encoder.encodeTable(table));
          const piece = Buffer.from(frames.join(''));
          const inFrames = frames.flatMap((frame) => idsIn(Buffer.from(frame)));
          const found = new Map<number, string>();
          for (const batch of unpack(encoder.pack(piece), first)) {
            const ids = idsIn(batch.value);
            expect(ids).toHaveLength(batch.count);
            for (const id of ids) expect(partitionOf(id, of)).toBe(batch.partition);
            const positions = failuresOf(batch, 'm').map(({ index }) => index);
            for (const [i, index] of positions.entries()) {
              expect(found.has(index)).toBe(false);
              found.set(index, ids[i] as string);
            }
            const value = Buffer.from(decompress(batch.value));
            expect(value).toHaveLength(batch.bytes);
            if (batch.value.length > most) expect(frames).toContain(value.toString());
          }
          expect(Array.from(found.keys()).sort((a, b) => a - b)).toEqual(inFrames.map((_, i) => first + i));
          expect(inFrames.map((_, i) => found.get(first + i))).toEqual(inFrames);
        },
      ),
    );
  });

  it('may be longer than the maximum size before their compression, but not after it', () => {
    const most = 10_000;
    const encoder = new BatchEncoder({ partitions: 1, maxBytes: most });
    const packedOf = (text: (row: number) => string) => {
      const tables = Array.from({ length: 40 }, (_, i) => new DocumentTable(['id', 't'], [[`${i}`], [text(i)]], 1));
      return unpack(encoder.pack(Buffer.from(tables.flatMap((table) => encoder.encodeTable(table)).join(''))), 0);
    };
    const similar = packedOf(() => 'x'.repeat(700));
    expect(similar[0]?.bytes).toBeGreaterThan(most);
    const random = packedOf((row) => {
      const hashes = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => createHash('sha512').update(`${row}/${i}`).digest('base64'));
      return hashes.join('');
    });
    expect(random.length).toBeGreaterThan(similar.length);
    for (const { value } of random) expect(value.length).toBeLessThanOrEqual(most);
    expect(random.flatMap(({ value }) => idsIn(value))).toEqual(Array.from({ length: 40 }, (_, i) => `${i}`));
  });

  it('are joined by partition up to the maximum size, and are decoded as one message', () => {
    const tables = fc.array(fc.array(anyTable, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(tables, fc.integer({ min: 1, max: 3 }), fc.constantFrom(1, 600, 1e6), (some, of, most) => {
        const encoder = new BatchEncoder({ partitions: of, maxBytes: most });
        const batches = some.flatMap((piece, i) => {
          const frames = piece.flatMap((table) => encoder.encodeTable(table));
          return unpack(encoder.pack(Buffer.from(frames.join(''))), i * 1000);
        });
        const joined = joinBatches(batches, most);
        for (let partition = 0; partition < of; partition++) {
          const ours = (all: readonly PartitionBatch[]) => all.filter((batch) => batch.partition === partition);
          const ids = ours(joined).flatMap(({ value, pieces, count }) => {
            const found = idsIn(value, pieces);
            expect(found).toHaveLength(count);
            return found;
          });
          expect(ids).toEqual(ours(batches).flatMap(({ value }) => idsIn(value)));
          expect(ours(joined).flatMap(({ ranges }) => ranges)).toEqual(ours(batches).flatMap(({ ranges }) => ranges));
        }
        for (const { bytes, pieces } of joined) expect(pieces === undefined || bytes <= 1.5 * most).toBe(true);
        if (most === 1e6) expect(joined.length).toBe(new Set(batches.map(({ partition }) => partition)).size);
      }),
    );
  });

  it.each([[[3]], [[1, 1.5]], [[-1, 3]], [['2']], [[]]])(
    'are rejected as a whole if their header has the lengths %j for two bytes',
    (pieces) => {
      const decoded = new DecodedRecords();
      new BatchDecoder().decode(Buffer.from('ab'), { place: 'here', count: 4, pieces }, decoded);
      expect(decoded.rejected).toMatchObject([{ place: 'here', count: 4 }]);
    },
  );

  it('fail with all their documents if they could not be written', () => {
    const batch = {
      partition: 0,
      value: Buffer.alloc(0),
      bytes: 0,
      count: 3,
      ranges: [
        [2, 4],
        [9, 10],
      ],
    } as const;
    expect(failuresOf(batch, 'too large')).toEqual([2, 3, 9].map((index) => ({ index, message: 'too large' })));
  });
});

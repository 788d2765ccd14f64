import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyTable, DecodedRecords } from './any-document.test.lib.ts';
import { BatchDecoder } from './batch-decoder.ts';
import { BatchEncoder } from './batch-encoder.ts';
import { decompress } from './compression.ts';
import { partitionOf } from './murmur2.ts';
import { failuresOf, unpack } from './packed-batches.ts';

function idsIn(value: Uint8Array): string[] {
  const decoded = new DecodedRecords();
  new BatchDecoder().decode(value, { place: 'here' }, decoded);
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
            if (batch.bytes > most) expect(frames).toContain(value.toString());
          }
          expect(Array.from(found.keys()).sort((a, b) => a - b)).toEqual(inFrames.map((_, i) => first + i));
          expect(inFrames.map((_, i) => found.get(first + i))).toEqual(inFrames);
        },
      ),
    );
  });

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

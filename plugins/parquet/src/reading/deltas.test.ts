import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deltas } from './deltas.ts';
import { PackedBits } from './packed-bits.ts';

const PER_BLOCK = 4;
const EACH = 32;

/** What a block of differences has: the least one, and for each part the width and the numbers above the least one. */
interface Block {
  readonly least: bigint;
  readonly parts: readonly { readonly width: number; readonly above: readonly bigint[] }[];
}

describe('deltas', () => {
  const seeds = fc.array(fc.bigInt(0n, 2n ** 64n - 1n), { minLength: 7, maxLength: 7 });
  const parts = fc.array(fc.tuple(fc.oneof(fc.nat(64), fc.constantFrom(0, 1, 25, 26, 32, 33, 64)), seeds), {
    minLength: PER_BLOCK,
    maxLength: PER_BLOCK,
  });
  const blocks: fc.Arbitrary<Block[]> = fc.array(
    fc.record({
      least: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
      parts: parts.map((all) =>
        all.map(([width, seed]) => ({
          width,
          above: Array.from({ length: EACH }, (_, i) => BigInt.asUintN(width, seed[i % 7] as bigint)),
        })),
      ),
    }),
    { minLength: 1, maxLength: 3 },
  );

  it('are the sums of differences of any size, which wrap', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(32 as const, 64 as const),
        fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
        blocks,
        fc.nat(EACH - 1),
        (bits, first, all, missing) => {
          const expected = [BigInt.asIntN(bits, first)];
          for (const { least, parts } of all) {
            for (const above of parts.flatMap((part) => part.above)) {
              expected.push(BigInt.asIntN(bits, (expected.at(-1) as bigint) + least + above));
            }
          }
          // The last part is filled up after the last number.
          expected.length -= missing;
          const bytes = encode(expected.length, first, all);
          const { numbers, end } = deltas(Buffer.from([9, ...bytes, 9]), 1, bits, expected.length);
          const found = bits === 32 ? numbers : new BigInt64Array(numbers.buffer);
          expect(Array.from(found, BigInt)).toEqual(expected);
          expect(end).toBe(1 + bytes.length);
        },
      ),
    );
  });

  it('may be a single number, or none', () => {
    expect(deltas(Buffer.from(encode(1, -5n, [])), 0, 32, 1)).toEqual({ numbers: Int32Array.of(-5), end: 5 });
    expect(deltas(Buffer.from(encode(0, 0n, [])), 0, 64, 1)).toEqual({ numbers: new Int32Array(), end: 5 });
  });

  const one = encode(3, 0n, [{ least: 0n, parts: [{ width: 9, above: [] }] }]);
  it.each([
    ['has more numbers than stated', encode(2, 0n, []), 1, 'a page has 2 numbers, and states 1'],
    ['ends before a block', encode(2, 0n, []), 9, 'a page ends before its values'],
    ['ends in the widths', one.slice(0, 6), 9, 'a page ends before its values'],
    ['ends in a part', one.slice(0, -34), 9, 'the runs of a page end before its values'],
    ['has blocks without parts', [0, 0, 2, 0], 9, 'a page has 0 parts of a block of 0 numbers'],
    ['has parts of a few numbers', [4, 4, 2, 0], 9, 'a page has 4 parts of a block of 4 numbers'],
    ['has wide differences', [128, 1, 4, 2, 0, 0, 65, 0, 0, 0], 9, 'a page has differences of 65 bits'],
  ])('throw if the page %s', (_, bytes, most, message) => {
    expect(() => deltas(Buffer.from(bytes), 0, 64, most)).toThrow(message);
  });
});

describe('PackedBits', () => {
  it('reads the lower 32 bits of numbers of any width, up to the last byte', () => {
    const numbers = fc.array(fc.bigInt(0n, 2n ** 64n - 1n), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), numbers, fc.nat(39), (width, all, from) => {
        const known = all.map((number) => BigInt.asUintN(width, number));
        const first = from % known.length;
        const read = new Int32Array(known.length + 1);
        new PackedBits(Buffer.from([7, ...pack(known, width)])).read(
          read,
          1,
          known.length - first + 1,
          1,
          first * width,
          width,
        );
        const expected = known.slice(first).map((number) => Number(BigInt.asIntN(32, number)));
        expect([...read]).toEqual([0, ...expected, ...new Array(first).fill(0)]);
      }),
    );
  });
});

function encode(count: number, first: bigint, blocks: readonly Block[]): number[] {
  const bytes = [...varInt(BigInt(PER_BLOCK * EACH)), PER_BLOCK, ...varInt(BigInt(count)), ...zigZag(first)];
  for (const { least, parts } of blocks) {
    const widths = Array.from({ length: PER_BLOCK }, (_, i) => parts[i]?.width ?? 0);
    bytes.push(...zigZag(least), ...widths);
    for (const { width, above } of parts) {
      bytes.push(
        ...pack(
          Array.from({ length: EACH }, (_, i) => above[i] ?? 0n),
          width,
        ),
      );
    }
  }
  return bytes;
}

function varInt(value: bigint): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    if (rest <= 0x7fn) return bytes;
  }
}

function zigZag(value: bigint): number[] {
  return varInt(BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)));
}

function pack(numbers: readonly bigint[], width: number): number[] {
  let bits = 0n;
  for (const [i, number] of numbers.entries()) bits |= number << BigInt(i * width);
  const bytes = Array.from({ length: Math.ceil((numbers.length * width) / 8) });
  return bytes.map((_, i) => Number((bits >> BigInt(8 * i)) & 0xffn));
}

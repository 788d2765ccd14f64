import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alpNumbers } from './alp.ts';

interface Vector {
  readonly exponent: number;
  readonly factor: number;
  readonly least: bigint;
  readonly width: number;
  /** What is added to the least integer. */
  readonly added: readonly bigint[];
  readonly exceptions: readonly (readonly [place: number, value: number])[];
}

/** Writes numbers as AlpEncoding.md of the Parquet format describes it. */
function encoded(type: 'FLOAT' | 'DOUBLE', logSize: number, count: number, vectors: readonly Vector[]): Buffer {
  const size = type === 'FLOAT' ? 4 : 8;
  const parts = vectors.map(({ exponent, factor, least, width, added, exceptions }) => {
    const head = Buffer.alloc(4 + size + 1);
    head.set([exponent, factor]);
    head.writeUInt16LE(exceptions.length, 2);
    if (size === 4) head.writeInt32LE(Number(least), 4);
    else head.writeBigInt64LE(least, 4);
    head[4 + size] = width;
    const bits = added.map((one) => one.toString(2).padStart(width, '0')).toReversed();
    const packed = width === 0 ? 0n : BigInt(`0b${bits.join('')}`);
    const bytes = Buffer.alloc(Math.ceil((width * added.length) / 8));
    for (const i of bytes.keys()) bytes[i] = Number((packed >> BigInt(8 * i)) & 0xffn);
    const places = Buffer.alloc(2 * exceptions.length);
    const values = Buffer.alloc(size * exceptions.length);
    for (const [i, [place, value]] of exceptions.entries()) {
      places.writeUInt16LE(place, 2 * i);
      if (size === 4) values.writeFloatLE(value, 4 * i);
      else values.writeDoubleLE(value, 8 * i);
    }
    return Buffer.concat([head, bytes, places, values]);
  });
  const header = Buffer.alloc(7 + 4 * parts.length);
  header.set([0, 0, logSize]);
  header.writeInt32LE(count, 3);
  let at = 4 * parts.length;
  for (const [i, part] of parts.entries()) {
    header.writeUInt32LE(at, 7 + 4 * i);
    at += part.length;
  }
  return Buffer.concat([header, ...parts]);
}

const WHOLE = { exponent: 0, factor: 0, least: 0n, width: 0, added: [0n], exceptions: [] } as const;

describe('numbers in the encoding ALP', () => {
  it('are decimals, in vectors, with others between them', () => {
    const prices = { exponent: 2, factor: 0, least: -5n, width: 9, exceptions: [[3, Number.NaN] as const] };
    const bytes = encoded('DOUBLE', 3, 9, [
      { ...prices, added: [0n, 5n, 130n, 0n, 505n, 6n, 7n, 8n] },
      { ...WHOLE, exponent: 1, factor: 3, least: 7n },
    ]);
    expect([...alpNumbers(bytes, 'DOUBLE', 9)]).toEqual([-0.05, 0, 1.25, Number.NaN, 5, 0.01, 0.02, 0.03, 700]);
  });

  it('of 32 bits are rounded after each step', () => {
    const bytes = encoded('FLOAT', 3, 2, [
      { exponent: 10, factor: 1, least: 123n, width: 32, added: [0n, 2n ** 32n - 124n], exceptions: [[1, 0.1]] },
    ]);
    const expected = Math.fround(Math.fround(1230) * Math.fround(1e-10));
    expect([...alpNumbers(bytes, 'FLOAT', 2)]).toEqual([expected, Math.fround(0.1)]);
  });

  it('are the nearest doubles of integers of 64 bits, whose sums wrap', () => {
    const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(integer, fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { minLength: 1 }), (least, added) => {
        const width = Math.max(...added.map((one) => (one === 0n ? 0 : one.toString(2).length)));
        const bytes = encoded('DOUBLE', 7, added.length, [{ ...WHOLE, least, width, added }]);
        const expected = added.map((one) => Number(BigInt.asIntN(64, one + least)));
        expect([...alpNumbers(bytes, 'DOUBLE', added.length)]).toEqual(expected);
      }),
    );
  });

  const one = (vector: Partial<Vector>) => encoded('DOUBLE', 3, 1, [{ ...WHOLE, ...vector }]);
  it.each([
    ['states more of them than its page', encoded('DOUBLE', 3, 2, [{ ...WHOLE, added: [0n, 0n] }]), /has 2 numbers/],
    ['has a power of ten that no writer uses', one({ factor: 19 }), /powers of ten 0, 19/],
    ['has integers of too many bits', one({ width: 65 }), /integers of 65 bits/],
    ['replaces a number outside its vector', one({ exceptions: [[1, 5]] }), /place 1 of 1/],
    ['ends before its values', one({ exceptions: [[0, 5]] }).subarray(0, -1), /ends before its values/],
    ['has a position after its end', Buffer.from([0, 0, 3, 1, 0, 0, 0, 255, 0, 0, 0]), /Offset is outside/],
  ])('are not read from a damaged page that %s', (_, bytes, message) => {
    expect(() => alpNumbers(bytes, 'DOUBLE', 1)).toThrow(message);
  });
});

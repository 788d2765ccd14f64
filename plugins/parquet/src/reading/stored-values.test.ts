import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalText, unscaledAt, writeDecimal } from './decimals.ts';
import { HybridRuns } from './hybrid-runs.ts';
import { PER_SECOND, type TimeUnit, writeHalves } from './instants.ts';
import { TextBlock, textOf } from './text-block.ts';

describe('HybridRuns', () => {
  const run = fc.oneof(
    fc.record({
      packed: fc.constant(false),
      numbers: fc.integer({ min: 1, max: 300 }).map((count) => new Array(count).fill(1)),
    }),
    fc.record({ packed: fc.constant(true), numbers: fc.array(fc.constant(1), { minLength: 8, maxLength: 8 }) }),
  );

  it('reads the numbers of any runs, in parts of any size', () => {
    const seeds = fc.array(fc.nat(), { minLength: 8, maxLength: 8 });
    const widths = fc.integer({ min: 1, max: 31 });
    fc.assert(
      fc.property(
        widths,
        fc.array(run, { minLength: 1 }),
        seeds,
        fc.integer({ min: 1, max: 50 }),
        (width, runs, seed, part) => {
          const known = runs.map(({ packed, numbers }, r) => ({
            packed,
            numbers: numbers.map((_, i) => (seed[(packed ? i + r : r) % 8] as number) % 2 ** width),
          }));
          const all = known.flatMap(({ numbers }) => numbers);
          const reader = new HybridRuns(encode(known, width), 0, width);
          const read: number[] = [];
          while (read.length < all.length) {
            const count = Math.min(part, all.length - read.length);
            const same = reader.same(count);
            read.push(...(same === undefined ? reader.read(count) : new Array<number>(count).fill(same)));
          }
          expect(read).toEqual(all);
          expect(() => reader.read(1)).toThrow('the runs of a page end before its values');
        },
      ),
    );
  });

  it('returns zeros without any bytes if a number has no bits', () => {
    expect([...new HybridRuns(new Uint8Array(), 0, 0).read(3)]).toEqual([0, 0, 0]);
  });

  it('throws if packed numbers are cut off', () => {
    expect(() => new HybridRuns(Uint8Array.of(3, 0xff), 0, 5).read(8)).toThrow('end before its values');
  });
});

function encode(runs: readonly { packed: boolean; numbers: readonly number[] }[], width: number): Uint8Array {
  const bytes: number[] = [];
  for (const { packed, numbers } of runs) {
    const header = packed ? (numbers.length / 8) * 2 + 1 : numbers.length * 2;
    for (let rest = header; ; rest >>>= 7) {
      bytes.push(rest < 0x80 ? rest : (rest & 0x7f) | 0x80);
      if (rest < 0x80) break;
    }
    let bits = 0n;
    const stored = packed ? numbers : numbers.slice(0, 1);
    for (const [i, number] of stored.entries()) bits |= BigInt(number) << BigInt(i * width);
    const length = packed ? (numbers.length * width) / 8 : Math.ceil(width / 8);
    for (let i = 0; i < length; i++) bytes.push(Number((bits >> BigInt(8 * i)) & 0xffn));
  }
  return Uint8Array.from(bytes);
}

describe('decimals', () => {
  it('are the big-endian integers of any size', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }),
        fc.integer({ min: 0, max: 120 }),
        (number, shift) => {
          const small = number >> BigInt(shift);
          for (let size = 1; size <= 17; size++) {
            if (BigInt.asIntN(8 * size, small) !== small) continue;
            const hex = BigInt.asUintN(8 * size, small)
              .toString(16)
              .padStart(2 * size, '0');
            const bytes = Buffer.from(`ff${hex}7f`, 'hex');
            const found = unscaledAt(bytes, 1, 1 + size);
            expect(BigInt(found)).toBe(small);
            expect(decimalText(found, 3)).toBe(decimalText(small, 3));
          }
        },
      ),
    );
  });
});

describe('timestamps', () => {
  it('are exact for all integers of 64 bits whose date exists', () => {
    const units = fc.constantFrom<TimeUnit>('MILLIS', 'MICROS', 'NANOS');
    const millis = fc.bigInt({ min: -62_000_000_000_000n, max: 253_000_000_000_000n });
    fc.assert(
      fc.property(units, millis, fc.bigInt({ min: 0n, max: 999_999n }), (unit, milli, rest) => {
        const perMilli = BigInt(PER_SECOND[unit] / 1000);
        const time = BigInt.asIntN(64, milli * perMilli + (rest % perMilli));
        const [high, low] = [Number(time >> 32n), Number(time & 0xffff_ffffn)];
        const text = textOf((to) => writeHalves(to, high, low, unit, 'Z'));
        const [, seconds, digits = ''] = /^(.*:\d\d)(?:\.(\d+))?Z$/.exec(text) ?? [];
        const whole = (BigInt(Date.parse(`${seconds}Z`)) / 1000n) * BigInt(PER_SECOND[unit]);
        expect(whole + (BigInt(digits.padEnd(9, '0')) * BigInt(PER_SECOND[unit])) / 10n ** 9n).toBe(time);
      }),
    );
  });
});

describe('TextBlock', () => {
  it('returns many texts that were written in sequence', () => {
    const block = new TextBlock();
    const numbers = Array.from({ length: 5000 }, (_, i) => (i % 2 === 0 ? 1 : -1) * i * 37);
    for (let round = 0; round < 2; round++) {
      for (const number of numbers) {
        writeDecimal(block, number, 3);
        block.end();
      }
      expect(block.takeAll()).toEqual(numbers.map((number) => decimalText(number, 3)));
    }
  });

  it('forgets the text of a value that could not be written', () => {
    const block = new TextBlock();
    block.write('part');
    block.clear();
    block.writeDigits(7, 3);
    block.end();
    expect(block.takeAll()).toEqual(['007']);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalText, decimalTexts, decimalTextsAt, unscaledAt, unscaledBlock } from './decimals.ts';
import { HybridRuns } from './hybrid-runs.ts';
import {
  int96Texts,
  PER_SECOND,
  type TimeUnit,
  timestampText,
  timestampTexts,
  timeText,
  timeTexts,
} from './instants.ts';
import { TextBlock } from './text-block.ts';

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
  /** Integers of up to 256 bits, of which many are small or near a power of two or ten. */
  const integers = fc
    .tuple(
      fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n }),
      fc.nat(250),
      fc.constantFrom(2n, 10n),
      fc.integer({ min: -2, max: 2 }),
      fc.boolean(),
    )
    .map(([number, shift, base, offset, near]) => {
      if (!near) return number >> BigInt(shift);
      const power = base ** BigInt(base === 2n ? shift : shift % 77);
      return (number < 0n ? -power : power) + BigInt(offset);
    });
  const scales = fc.oneof(fc.constantFrom(0, 1, 9, 18, 38), fc.nat(90));

  it('are the big-endian integers of any size', () => {
    fc.assert(
      fc.property(integers, scales, (number, scale) => {
        for (let size = 1; size <= 34; size++) {
          if (BigInt.asIntN(8 * size, number) !== number) continue;
          const hex = BigInt.asUintN(8 * size, number)
            .toString(16)
            .padStart(2 * size, '0');
          const bytes = Buffer.from(`ff${hex}7f`, 'hex');
          expect(BigInt(unscaledAt(bytes, 1, 1 + size))).toBe(number);
          const places = Int32Array.of(1, 1 + size, 1, 1 + size);
          expect(unscaledBlock(bytes, places).map(BigInt)).toEqual([number, number]);
          const text = decimalText(number, scale);
          expect(decimalTextsAt(bytes, places, scale)).toEqual([text, text]);
        }
      }),
    );
  });

  it('are zero without bytes', () => {
    expect(unscaledAt(Buffer.of(0xff), 0, 0)).toBe(0);
    expect(decimalTextsAt(Buffer.of(0xff), Int32Array.of(0, 0), 2)).toEqual(['0.00']);
  });

  it('are the integers of 64 bits', () => {
    fc.assert(
      fc.property(integers, scales, (number, scale) => {
        const value = BigInt.asIntN(64, number);
        expect(decimalTexts(halvesOf([0n, value]), 1, 1, scale)).toEqual([decimalText(value, scale)]);
      }),
    );
  });
});

/** Returns the halves of integers, each with the lower one first. */
function halvesOf(values: readonly bigint[]): Int32Array {
  return new Int32Array(BigInt64Array.from(values).buffer);
}

describe('timestamps', () => {
  const textAt = (time: bigint, unit: TimeUnit, zone: 'Z' | '' = 'Z') =>
    timestampTexts(halvesOf([0n, time]), 1, 1, PER_SECOND[unit], zone)[0] as string;

  it('are exact for all integers of 64 bits whose date exists', () => {
    const units = fc.constantFrom<TimeUnit>('MILLIS', 'MICROS', 'NANOS');
    const millis = fc.bigInt({ min: -8_640_000_000_000_000n, max: 8_640_000_000_000_000n });
    fc.assert(
      fc.property(units, millis, fc.nat(18), fc.bigInt({ min: 0n, max: 999_999n }), (unit, far, shift, rest) => {
        const perMilli = BigInt(PER_SECOND[unit] / 1000);
        const time = BigInt.asIntN(64, (far >> BigInt(shift)) * perMilli + (rest % perMilli));
        const text = textAt(time, unit);
        const [, seconds, digits = ''] = /^(.*:\d\d)(?:\.(\d{3}|\d{6}|\d{9}))?Z$/.exec(text) ?? [];
        expect(digits).not.toMatch(/000$/);
        const whole = (BigInt(Date.parse(`${seconds}Z`)) / 1000n) * BigInt(PER_SECOND[unit]);
        expect(whole + (BigInt(digits.padEnd(9, '0')) * BigInt(PER_SECOND[unit])) / 10n ** 9n).toBe(time);
        expect(textAt(time, unit, '')).toBe(text.slice(0, -1));
        expect(timestampText(time, unit, 'Z')).toBe(text);
      }),
    );
  });

  it('are written before and after a second, a day and the years of four digits', () => {
    expect(textAt(-1n, 'NANOS')).toBe('1969-12-31T23:59:59.999999999Z');
    expect(textAt(-(2n ** 63n), 'NANOS')).toBe('1677-09-21T00:12:43.145224192Z');
    expect(textAt(8_640_000_000_000_000_000n - 1n, 'MICROS')).toBe('+275760-09-12T23:59:59.999999Z');
    expect(textAt(253_402_300_799_999n, 'MILLIS')).toBe('9999-12-31T23:59:59.999Z');
    expect(textAt(253_402_300_800_000n, 'MILLIS')).toBe('+010000-01-01T00:00:00Z');
    expect(textAt(-62_167_219_200_001n, 'MILLIS')).toBe('-000001-12-31T23:59:59.999Z');
  });

  it('have a time of day', () => {
    const nanos = fc.bigInt({ min: 0n, max: 86_400n * 10n ** 9n - 1n });
    fc.assert(
      fc.property(nanos, (time) => {
        const expected = textAt(time, 'NANOS', '').replace('1970-01-01T', '');
        expect(timeTexts(halvesOf([0n, time]), 0, 2, PER_SECOND.NANOS)).toEqual(['00:00:00', expected]);
        expect(timeText(time, 'NANOS')).toBe(expected);
      }),
    );
  });

  it('are refused if JavaScript has no such date', () => {
    expect(() => textAt(8_640_000_086_400_000n, 'MILLIS')).toThrow('the date 100000001 days from 1970 is too far away');
    expect(() => textAt(-(2n ** 63n), 'MILLIS')).toThrow('is too far away');
  });

  it('are a Julian day and nanoseconds, also more than a day of them', () => {
    const nanos = fc.oneof(fc.bigInt({ min: -(2n ** 53n) + 1n, max: 2n ** 64n - 2n ** 53n }), fc.bigInt(0n, 2n ** 47n));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000 }), nanos, (day, nano) => {
        const nanosOfDay = 86_400n * 10n ** 9n;
        const seconds =
          BigInt(day - 2_440_588) * 86_400n + (nano - (((nano % nanosOfDay) + nanosOfDay) % nanosOfDay)) / 10n ** 9n;
        const rest = ((nano % nanosOfDay) + nanosOfDay) % nanosOfDay;
        const expected = `${textAt(seconds * 1000n + (rest / 10n ** 9n) * 1000n, 'MILLIS').slice(0, -1)}${fractionOf(rest % 10n ** 9n)}Z`;
        const bytes = Buffer.alloc(14);
        bytes.writeBigUInt64LE(BigInt.asUintN(64, nano), 1);
        bytes.writeInt32LE(day, 9);
        expect(int96Texts(bytes, Int32Array.of(1, 13))).toEqual([expected]);
      }),
    );
  });
});

function fractionOf(nanos: bigint): string {
  const digits = String(nanos)
    .padStart(9, '0')
    .replace(/(000)+$/, '');
  return digits === '' ? '' : `.${digits}`;
}

describe('TextBlock', () => {
  it('returns many texts that were written in sequence', () => {
    const block = new TextBlock();
    const numbers = Array.from({ length: 20_000 }, (_, i) => String(i * 37));
    for (let round = 0; round < 2; round++) {
      for (const number of numbers) block.write(number);
      expect(block.takeAll()).toEqual(numbers);
    }
  });

  it('forgets the texts before a value that could not be written', () => {
    const years = halvesOf([0n, 2n ** 62n]);
    expect(() => timestampTexts(years, 0, 2, PER_SECOND.MILLIS, '')).toThrow('is too far away');
    expect(timestampTexts(years, 0, 1, PER_SECOND.MILLIS, '')).toEqual(['1970-01-01T00:00:00']);
  });
});

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { doubleText, integerText, widenFloat } from './number-text.ts';

/** Bit patterns of numbers, and the texts that Java 25 writes for them. */
const java = JSON.parse(readFileSync(new URL('./java-number-cases.generated.json', import.meta.url), 'utf8')) as {
  doubles: [bits: string, text: string][];
  floats: [bits: string, text: string][];
};

describe('doubleText', () => {
  it.each(java.doubles)('writes the double %s as Java does: %s', (bits, text) => {
    expect(doubleText(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text);
  });

  it('writes a text that is read as the same number and always looks like a double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const text = doubleText(number);
        expect(Number(text)).toBe(number);
        expect(text).toMatch(/^-?\d+\.\d+(E-?\d+)?$/);
      }),
      { numRuns: 30 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });
});

it('integerText writes any safe integer as JavaScript does, in any order', () => {
  const edges = [0, -0, 999, 1000, 1001, 999_999, 1_000_000, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1];
  for (const edge of edges) for (const value of [edge, edge + 1, -edge]) expect(integerText(value)).toBe(`${value}`);
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.integer({ min: 1, max: 3000 }), (start, many) => {
      for (let value = start; value < start + many && value < Number.MAX_SAFE_INTEGER; value += 7)
        expect(integerText(value)).toBe(`${value}`);
    }),
  );
});

describe('widenFloat', () => {
  it('returns the shortest decimal number that is the same float', () => {
    fc.assert(
      fc.property(fc.oneof(fc.float(), fc.float({ min: -1, max: 1 }), fc.float({ min: -1e6, max: 1e6 })), (float) => {
        const wide = widenFloat(float);
        expect(Math.fround(wide)).toBe(float);
        if (!Number.isFinite(float) || float === 0) return;
        const precisions = [2, 3, 4, 5, 6, 7, 8, 9].map((digits) => Number(float.toPrecision(digits)));
        const shortest = precisions.find((candidate) => Math.fround(candidate) === float) as number;
        expect(digitsOf(wide)).toBe(digitsOf(shortest));
        expect(Math.abs(wide - float)).toBeLessThanOrEqual(Math.abs(shortest - float));
      }),
      { numRuns: 50 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });

  it.each(java.floats)('converts the float %s to a double that prints as in Java: %s', (bits, text) => {
    expect(doubleText(widenFloat(Buffer.from(bits, 'hex').readFloatBE()))).toBe(text);
  });

  it.each([
    [1.2, 1.2],
    [-0.1, -0.1],
    [0.1234567890123, 0.12345679],
    [16777217, 16777216],
    [1e-4, 1e-4],
    [3.4e38, 3.4e38],
    [1.4e-45, 1.4e-45],
    [123456789, 123456790],
    [999999.94, 999999.94],
    [3376200.25, 3376200.2],
    [131072.125, 131072.12],
    [131072.375, 131072.38],
    [Number.NaN, Number.NaN],
  ])('converts the float %d to the double %d', (value, wide) => {
    expect(widenFloat(value)).toBe(wide);
  });
});

/** Returns the number of digits that identify a number. */
function digitsOf(number: number): number {
  return number.toExponential().replace(/e.*|\D/g, '').length;
}

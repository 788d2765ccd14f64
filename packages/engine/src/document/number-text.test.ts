import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { widenFloat } from './number-text.ts';

describe('widenFloat', () => {
  it('gives the shortest decimal that is the same float', () => {
    fc.assert(
      fc.property(fc.oneof(fc.float(), fc.float({ min: -1, max: 1 }), fc.float({ min: -1e6, max: 1e6 })), (float) => {
        const wide = widenFloat(float);
        expect(Math.fround(wide)).toBe(float);
        if (!Number.isFinite(float) || float === 0) return;
        const precisions = [2, 3, 4, 5, 6, 7, 8, 9].map((digits) => Number(float.toPrecision(digits)));
        expect(wide).toBe(precisions.find((candidate) => Math.fround(candidate) === float));
      }),
      { numRuns: 5000 },
    );
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
    [Number.NaN, Number.NaN],
  ])('%d becomes %d', (value, wide) => {
    expect(widenFloat(value)).toBe(wide);
  });
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Ascending } from './ascending.ts';

it('has the numbers that were added, alone or as runs', () => {
  const steps = fc.array(fc.record({ gap: fc.constantFrom(0, 0, 0, 1, 3), length: fc.nat(3), asRun: fc.boolean() }));
  fc.assert(
    fc.property(steps, (added) => {
      const numbers = new Ascending();
      const expected: number[] = [];
      let next = 0;
      for (const { gap, length, asRun } of added) {
        next += gap;
        const run = Array.from({ length }, (_, i) => next + i);
        if (asRun) numbers.pushRun(next, next + length);
        else for (const number of run) numbers.push(number);
        expected.push(...run);
        next += length;
      }
      expect(numbers.all).toEqual(expected);
      expect(numbers.count).toBe(expected.length);
      expect(numbers.stored ?? expected.map((_, i) => i)).toEqual(expected);
    }),
  );
});

import { describe, expect, it } from 'vitest';
import { runGuarded } from './compute-guard.ts';

describe('runGuarded', () => {
  it('runs work that finishes in time', () => {
    const seen: number[] = [];
    expect(runGuarded(() => seen.push(1), 60_000)).toBe(true);
    expect(seen).toEqual([1]);
  });

  it('throws the error of the work', () => {
    const work = () => {
      throw new TypeError('not this');
    };
    expect(() => runGuarded(work, 60_000)).toThrow(new TypeError('not this'));
  });

  it.each([
    [
      'a loop',
      () => {
        for (;;);
      },
    ],
    ['a regular expression', () => void /^(a+)+b$/.test('a'.repeat(100))],
  ])('interrupts %s that never ends, and runs the next work', (_, work) => {
    expect(runGuarded(work, 50)).toBe(false);
    expect(runGuarded(() => undefined, 60_000)).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { sample } from './draw.ts';

const items = Array.from({ length: 100 }, (_, i) => i);

describe('sample', () => {
  it('returns every item at most once', () => {
    expect(sample(items, 100, 7).toSorted((a, b) => a - b)).toEqual(items);
    expect(new Set(sample(items, 30, 7)).size).toBe(30);
  });

  it('makes the same selection for the same seed, and another for another seed', () => {
    expect(sample(items, 10, 7)).toEqual(sample(items, 10, 7));
    expect(sample(items, 10, 7)).not.toEqual(sample(items, 10, 8));
  });
});

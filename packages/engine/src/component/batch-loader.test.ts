import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BatchLoader, type BatchOptions } from './batch-loader.ts';

/** Returns a loader that doubles numbers, and the list of batches that it loaded. */
function doubling(options: Partial<BatchOptions<number, number>> = {}) {
  const batches: number[][] = [];
  const loader = new BatchLoader<number, number>({
    maxItems: 10,
    mayBeOneItem: () => false,
    ...options,
    load: async (items) => {
      batches.push([...items]);
      return options.load === undefined ? items.map((item) => 2 * item) : options.load(items, false);
    },
  });
  return { loader, batches };
}

describe('a batch loader', () => {
  it('puts the items of one turn of the event loop into one batch, in order', async () => {
    const { loader, batches } = doubling();
    expect(await Promise.all([1, 2, 3].map((item) => loader.load(item)))).toEqual([2, 4, 6]);
    expect(await loader.load(4)).toBe(8);
    expect(batches).toEqual([[1, 2, 3], [4]]);
  });

  it('splits requests into batches within its limits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(30)), fc.integer({ min: 1, max: 5 }), async (items, maxItems) => {
        const { loader, batches } = doubling({ maxItems, maxWeight: 20, weigh: (item) => item });
        expect(await Promise.all(items.map((item) => loader.load(item)))).toEqual(items.map((item) => 2 * item));
        expect(batches.flat()).toEqual(items);
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(maxItems);
          if (batch.length > 1) expect(batch.reduce((sum, item) => sum + item)).toBeLessThanOrEqual(20);
        }
      }),
    );
  });
});

describe('a batch loader with failures', () => {
  it('rejects only the item that failed', async () => {
    const { loader } = doubling({ load: async (items) => items.map((item) => (item === 2 ? new Error('two') : item)) });
    const results = await Promise.allSettled([1, 2, 3].map((item) => loader.load(item)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('splits a failed batch into halves until the bad item fails alone', async () => {
    const { loader, batches } = doubling({
      load: async (items) => {
        if (items.includes(3)) throw new Error('bad request');
        return items;
      },
      mayBeOneItem: () => true,
    });
    const results = await Promise.allSettled([1, 2, 3, 4, 5].map((item) => loader.load(item)));
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(batches).toEqual([[1, 2, 3, 4, 5], [1, 2], [3, 4, 5], [3], [4, 5]]);
  });

  it('rejects the whole batch for errors that no single item causes', async () => {
    const { loader, batches } = doubling({
      load: async () => {
        throw new Error('no connection');
      },
    });
    const results = await Promise.allSettled([1, 2].map((item) => loader.load(item)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(batches).toHaveLength(1);
  });

  it('rejects the batch if results are missing', async () => {
    const { loader } = doubling({ load: async () => [1] });
    const both = Promise.all([loader.load(1), loader.load(2)]);
    await expect(both).rejects.toThrow('expected 2 results, received 1');
  });
});

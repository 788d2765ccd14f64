import fc from 'fast-check';
import { expect, it } from 'vitest';
import { visibleRange } from './visible-range.ts';

it('the rendered rows of a list are few, and contain every visible row', () => {
  const numbers = {
    count: fc.nat(100_000),
    rowHeight: fc.integer({ min: 10, max: 80 }),
    viewHeight: fc.integer({ min: 0, max: 4_000 }),
  };
  fc.assert(
    fc.property(fc.record({ ...numbers, from: fc.integer({ min: -2_000, max: 10_000_000 }) }), (view) => {
      const { start, end } = visibleRange(view);
      expect(start).toBeGreaterThanOrEqual(0);
      expect(end).toBeGreaterThanOrEqual(start);
      expect(end).toBeLessThanOrEqual(view.count);
      expect(end - start).toBeLessThanOrEqual(Math.ceil(view.viewHeight / view.rowHeight) + 24);
      const first = Math.max(0, Math.floor(view.from / view.rowHeight));
      const last = Math.min(view.count, Math.ceil((view.from + view.viewHeight) / view.rowHeight));
      if (first < last) expect([start <= first, end >= last]).toEqual([true, true]);
    }),
  );
});

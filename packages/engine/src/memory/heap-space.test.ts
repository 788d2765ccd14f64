import { getHeapStatistics } from 'node:v8';
import { expect, it } from 'vitest';
import { joinedText, requireHeap } from './heap-space.ts';

const { heap_size_limit: limit } = getHeapStatistics();

it('refuses a value that is larger than the heap of the thread', () => {
  requireHeap(limit / 4);
  expect(() => requireHeap(limit)).toThrow(expect.objectContaining({ code: 'HR_MEMORY_LIMIT' }));
});

it('joins the parts of a large text after a check', () => {
  let text = 'ab'.repeat(2 ** 20);
  const parts = text;
  text += parts;
  text += parts;
  const before = getHeapStatistics().used_heap_size;
  expect(joinedText(text)).toHaveLength(6 * 2 ** 20);
  expect(getHeapStatistics().used_heap_size - before).toBeGreaterThan(5 * 2 ** 20);
});

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LifeSigns } from './life-signs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('aborts after silence, which starts again with data for any request', () => {
  const signs = new LifeSigns(1000);
  const first = signs.watch();
  vi.advanceTimersByTime(600);
  const second = signs.watch();
  vi.advanceTimersByTime(300);
  signs.note();
  vi.advanceTimersByTime(900);
  expect([first.signal.aborted, second.signal.aborted]).toEqual([false, false]);
  vi.advanceTimersByTime(100);
  expect([first.signal.aborted, second.signal.aborted]).toEqual([true, true]);
});

it('counts from the start of a request if the last data is older, and stops with the request', () => {
  const signs = new LifeSigns(1000);
  signs.note();
  vi.advanceTimersByTime(5000);
  const watch = signs.watch();
  vi.advanceTimersByTime(999);
  expect(watch.signal.aborted).toBe(false);
  watch.end();
  vi.advanceTimersByTime(5000);
  expect(watch.signal.aborted).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

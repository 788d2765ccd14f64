import { expect, it } from 'vitest';
import { RequestSize } from './request-size.ts';

it('RequestSize is halved by a request that is too large, and stays below the size of that request', () => {
  const size = new RequestSize();
  expect(size.bytes).toBe(Number.POSITIVE_INFINITY);
  size.tooLarge(1_000_000);
  expect(size.bytes).toBe(500_000);
  for (let i = 0; i < 100; i++) size.taken();
  expect(size.bytes).toBe(999_999);
});

it('RequestSize is halved by overload down to a minimum, and grows back without a limit', () => {
  const size = new RequestSize();
  for (let bytes = 1_000_000; bytes > 1; bytes /= 2) size.overloaded(bytes);
  expect(size.bytes).toBe(16 * 1024);
  for (let i = 0; i < 100; i++) size.taken();
  expect(size.bytes).toBeGreaterThan(1e9);
});

import { isDeepStrictEqual } from 'node:util';

/** Throws unless both values are equal. Also works outside a test. */
export function mustEqual(found: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(found, expected)) return;
  throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
}

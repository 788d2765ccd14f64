import { isDeepStrictEqual } from 'node:util';

/** Throws unless both are the same. For what runs outside a test, too. */
export function mustEqual(found: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(found, expected)) return;
  throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
}

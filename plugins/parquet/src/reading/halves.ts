// Integers of 64 bits as two halves, of which the lower one has no sign. A bigint for each value is slow.

/** The value of one in the higher half. */
export const UNIT_OF_HIGH = 2 ** 32;

/**
 * Returns the quotient of an integer and a million or a billion, rounded down. The divisor may be a thousand if the
 * integer is safe.
 */
export function quotientOf(high: number, low: number, divisor: number): number {
  // The quotient of the nearest double is wrong by one at most, and then the rest is too small or too large.
  const quotient = Math.floor((high * UNIT_OF_HIGH + low) / divisor);
  const rest = restOf(low, quotient, divisor);
  return rest < 0 ? quotient - 1 : rest >= divisor ? quotient + 1 : quotient;
}

/** Returns what a quotient leaves of an integer. All numbers are taken modulo 2^32, in which the rest fits. */
export function restOf(low: number, quotient: number, divisor: number): number {
  return (low - Math.imul(quotient | 0, divisor)) | 0;
}

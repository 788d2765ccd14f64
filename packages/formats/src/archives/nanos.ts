/** Returns a date in nanoseconds since the epoch; 0 if the date is missing or invalid. */
export function nanosOf(date: Date | undefined): bigint {
  return BigInt(date?.getTime() || 0) * 1_000_000n;
}

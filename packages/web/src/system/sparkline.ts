/** Returns the points of a line through values between 0 and 1, in a box of 100 by 24. */
export function sparkline(values: readonly number[]): string {
  const step = 100 / Math.max(1, values.length - 1);
  return values.map((value, i) => `${(i * step).toFixed(1)},${(23 - Math.min(1, value) * 22).toFixed(1)}`).join(' ');
}

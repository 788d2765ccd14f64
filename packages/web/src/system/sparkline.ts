/** Returns the points of a line through values between 0 and 1, in a box of 100 by 24. */
export function sparkline(values: readonly number[]): string {
  const step = 100 / Math.max(1, values.length - 1);
  return values.map((value, i) => `${(i * step).toFixed(1)},${(23 - Math.min(1, value) * 22).toFixed(1)}`).join(' ');
}

/** Returns values as shares of the largest one. */
export function relative(values: readonly number[]): number[] {
  const most = Math.max(...values);
  return values.map((value) => (most === 0 ? 0 : value / most));
}

/** Returns the requests per second between samples. */
export function requestRates(samples: readonly { readonly time: number; readonly requests: number }[]): number[] {
  return samples.slice(1).map(({ time, requests }, i) => {
    const before = samples[i] as (typeof samples)[number];
    return Math.max(0, requests - before.requests) / Math.max(1, time - before.time);
  });
}

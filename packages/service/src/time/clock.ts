/** Returns the seconds of a monotonic clock. */
export type Clock = () => number;

/** Returns the seconds since the epoch. */
export function epochSeconds(): number {
  return Date.now() / 1000;
}

/**
 * Parses a date like `Date.parse`, but returns NaN for days that do not exist. `Date.parse` reads February 30 as a day
 * in March.
 */
export function parseDate(text: string): number {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(text) ?? [];
  if (
    day !== undefined &&
    new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() !== Number(day)
  ) {
    return Number.NaN;
  }
  return Date.parse(text);
}

export const monotonic: Clock = () => performance.now() / 1000;

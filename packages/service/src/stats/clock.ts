/** Seconds on a clock that never goes back. */
export type Clock = () => number;

/** Seconds since the epoch. */
export function epochSeconds(): number {
  return Date.now() / 1000;
}

export const monotonic: Clock = () => performance.now() / 1000;

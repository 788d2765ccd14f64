/** Seconds on a clock that never goes back. */
export type Clock = () => number;

export const monotonic: Clock = () => performance.now() / 1000;

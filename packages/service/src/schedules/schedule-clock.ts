/** The clock and the timer of the schedules. */
export interface ScheduleClock {
  /** Returns the seconds since the epoch. */
  now(): number;
  /** Calls `wake` after some time. Returns a function that cancels the call. */
  wait(millis: number, wake: () => void): () => void;
}

export const systemClock: ScheduleClock = {
  now: () => Date.now() / 1000,
  wait: (millis, wake) => {
    const timer = setTimeout(wake, millis).unref();
    return () => clearTimeout(timer);
  },
};

import type { ScheduleClock } from '../schedules/schedule-clock.ts';

/** A clock that tests set. Timers of the schedules end when the test advances it. */
export class FakeClock implements ScheduleClock {
  #now: number;
  #timer: { at: number; wake: () => void } | undefined;
  /** In milliseconds. */
  longestWait = 0;

  /** @param start the first time, as ISO 8601 */
  constructor(start: string) {
    this.#now = seconds(start);
  }

  now(): number {
    return this.#now;
  }

  wait(millis: number, wake: () => void): () => void {
    const timer = { at: this.#now + millis / 1000, wake };
    this.#timer = timer;
    this.longestWait = Math.max(this.longestWait, millis);
    return () => {
      if (this.#timer === timer) this.#timer = undefined;
    };
  }

  /** Lets time pass until then, with all timers on the way. */
  advance(to: string): void {
    while (this.#timer !== undefined && this.#timer.at <= seconds(to)) {
      const { at, wake } = this.#timer;
      this.#now = at;
      this.#timer = undefined;
      wake();
    }
    this.#now = seconds(to);
  }

  /** Sets the clock without a timer, as a user does, or a machine that sleeps. The current timer ends after that. */
  jump(to: string): void {
    this.#now = seconds(to);
    const timer = this.#timer;
    this.#timer = undefined;
    timer?.wake();
  }
}

/** Returns a time in ISO 8601 as seconds since the epoch. */
export function seconds(time: string): number {
  return Date.parse(time) / 1000;
}

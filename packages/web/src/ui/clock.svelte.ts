/** The duration of a running run follows the clock. */
const TICK_MILLIS = 1_000;

class Clock {
  #now = $state(Date.now() / 1000);

  constructor() {
    setInterval(() => {
      this.#now = Date.now() / 1000;
    }, TICK_MILLIS);
  }

  /** The time in seconds since the epoch. Texts such as `5 min ago` follow it. */
  get now(): number {
    return this.#now;
  }
}

export const clock = new Clock();

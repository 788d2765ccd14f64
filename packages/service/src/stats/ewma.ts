/** The time between two updates of a moving average, in seconds. */
export const TICK_SECONDS = 5;

/**
 * A rate as an exponentially weighted moving average, updated every five seconds, like the load average of Unix. The
 * first tick sets it to the rate so far.
 */
export class Ewma {
  readonly #alpha: number;
  #uncounted = 0;
  #rate: number | undefined;

  /** @param minutes the time span of the average */
  constructor(minutes: number) {
    this.#alpha = 1 - Math.exp(-TICK_SECONDS / 60 / minutes);
  }

  update(events: number): void {
    this.#uncounted += events;
  }

  tick(): void {
    const rate = this.#uncounted / TICK_SECONDS;
    this.#uncounted = 0;
    this.#rate = this.#rate === undefined ? rate : this.#rate + this.#alpha * (rate - this.#rate);
  }

  /** The rate, in events per second. */
  get rate(): number {
    return this.#rate ?? 0;
  }
}

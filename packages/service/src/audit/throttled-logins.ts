import { type Clock, monotonic } from '../time/clock.ts';

/** After so long without one, the tries of an address are counted anew. */
const FORGET_SECONDS = 15 * 60;
const MAX_ADDRESSES = 10_000;

/**
 * Which failed logins that were answered with 429 are recorded: the first of an address, the second, the fourth, the eighth
 * and so on, each with the number of all so far, so that a flood of them does not become one of records.
 */
export class ThrottledLogins {
  readonly #clock: Clock;
  readonly #known = new Map<string, { count: number; last: number }>();

  constructor(clock: Clock = monotonic) {
    this.#clock = clock;
  }

  /** Counts one; gives how many there were when it is to be recorded. */
  add(address: string): number | undefined {
    const now = this.#clock();
    const known = this.#known.get(address);
    const count = known === undefined || now - known.last > FORGET_SECONDS ? 1 : known.count + 1;
    // Put at the end: the first one of the map is the one that was quiet for longest.
    this.#known.delete(address);
    this.#known.set(address, { count, last: now });
    const [quietest] = this.#known.keys();
    if (this.#known.size > MAX_ADDRESSES && quietest !== undefined) this.#known.delete(quietest);
    return Number.isInteger(Math.log2(count)) ? count : undefined;
  }
}

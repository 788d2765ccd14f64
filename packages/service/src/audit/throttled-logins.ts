import { type Clock, monotonic } from '../time/clock.ts';

/** After this time without an attempt, the count of an address restarts. */
const FORGET_SECONDS = 15 * 60;
const MAX_ADDRESSES = 10_000;

/**
 * Selects which of the failed logins that were answered with 429 are recorded: the first, second, fourth, eighth and so
 * on of an address, each with the count so far. A flood of logins then does not flood the audit log.
 */
export class ThrottledLogins {
  readonly #clock: Clock;
  readonly #known = new Map<string, { count: number; last: number }>();

  constructor(clock: Clock = monotonic) {
    this.#clock = clock;
  }

  /** Counts an attempt; returns the count if the attempt must be recorded. */
  add(address: string): number | undefined {
    const now = this.#clock();
    const known = this.#known.get(address);
    const count = known === undefined || now - known.last > FORGET_SECONDS ? 1 : known.count + 1;
    // Move the address to the end: the first entry of the map is then the one that was quiet the longest.
    this.#known.delete(address);
    this.#known.set(address, { count, last: now });
    const [quietest] = this.#known.keys();
    if (this.#known.size > MAX_ADDRESSES && quietest !== undefined) this.#known.delete(quietest);
    return Number.isInteger(Math.log2(count)) ? count : undefined;
  }
}

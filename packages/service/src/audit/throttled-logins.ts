import { type Clock, monotonic } from '../time/clock.ts';

/** The count of an address restarts after this time without an attempt. */
const FORGET_SECONDS = 15 * 60;
const MAX_ADDRESSES = 10_000;

/**
 * Selects which failed logins with status 429 are recorded: attempt 1, 2, 4, 8 and so on of each address. This prevents
 * a flood of logins from filling the audit log.
 */
export class ThrottledLogins {
  readonly #clock: Clock;
  readonly #known = new Map<string, { count: number; last: number }>();

  constructor(clock: Clock = monotonic) {
    this.#clock = clock;
  }

  /** Counts an attempt. Returns the count if the attempt must be recorded, otherwise undefined. */
  add(address: string): number | undefined {
    const now = this.#clock();
    const known = this.#known.get(address);
    const count = known === undefined || now - known.last > FORGET_SECONDS ? 1 : known.count + 1;
    // Move the address to the end, so that the first entry of the map is the address that was quiet the longest.
    this.#known.delete(address);
    this.#known.set(address, { count, last: now });
    const [quietest] = this.#known.keys();
    if (this.#known.size > MAX_ADDRESSES && quietest !== undefined) this.#known.delete(quietest);
    return Number.isInteger(Math.log2(count)) ? count : undefined;
  }
}

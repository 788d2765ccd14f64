import { isIPv6 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const FREE_FAILURES = 4;
const FIRST_DELAY_SECONDS = 0.5;
const MAX_DELAY_SECONDS = 30;
const FORGET_SECONDS = 15 * 60;
const MAX_WAITING = 8;
const MAX_ADDRESSES = 10_000;

interface Failures {
  count: number;
  last: number;
  /** When the next try of this address may be looked at. */
  nextTry: number;
  waiting: number;
}

/** Time for the delay, so that a test need not wait. Seconds. */
export interface DelayClock {
  now(): number;
  sleep(seconds: number): Promise<unknown>;
}

const realClock: DelayClock = {
  now: () => performance.now() / 1000,
  sleep: (seconds) => sleep(seconds * 1000, undefined, { ref: false }),
};

/**
 * Makes the tries of an address that failed repeatedly wait, one after another, each failure doubling the time. A try
 * waits before it is looked at, right or wrong, so that many tries at once learn nothing sooner.
 */
export class FailureDelay {
  readonly #failures = new Map<string, Failures>();
  readonly #clock: DelayClock;

  constructor(clock: DelayClock = realClock) {
    this.#clock = clock;
  }

  /** Waits until a try of the address may be looked at; false when too many of its tries are waiting already. */
  async waitTurn(address: string): Promise<boolean> {
    const failures = this.#failures.get(origin(address));
    if (failures === undefined || failures.count <= FREE_FAILURES) return true;
    const wait = failures.nextTry - this.#clock.now();
    if (wait <= 0 && failures.waiting === 0) {
      failures.nextTry = this.#clock.now() + delaySeconds(failures.count);
      return true;
    }
    if (failures.waiting >= MAX_WAITING) return false;
    failures.waiting++;
    failures.nextTry = Math.max(failures.nextTry, this.#clock.now()) + delaySeconds(failures.count);
    await this.#clock.sleep(Math.max(0, wait));
    failures.waiting--;
    return true;
  }

  failed(address: string): void {
    const key = origin(address);
    const now = this.#clock.now();
    const known = this.#failures.get(key);
    const failures =
      known === undefined || now - known.last > FORGET_SECONDS
        ? { count: 0, last: now, nextTry: now, waiting: 0 }
        : known;
    failures.count++;
    failures.last = now;
    failures.nextTry = Math.max(failures.nextTry, now + delaySeconds(failures.count));
    // Put at the end: the first ones of the map are those that failed longest ago.
    this.#failures.delete(key);
    this.#failures.set(key, failures);
    if (this.#failures.size <= MAX_ADDRESSES) return;
    for (const oldest of this.#failures.keys()) {
      this.#failures.delete(oldest);
      return;
    }
  }

  succeeded(address: string): void {
    this.#failures.delete(origin(address));
  }
}

/** How long a try waits after so many failures: nothing at first, then twice as long each time. */
export function delaySeconds(failures: number): number {
  if (failures <= FREE_FAILURES) return 0;
  return Math.min(MAX_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** (failures - FREE_FAILURES - 1));
}

/** Whoever has one IPv6 address has its whole /64. */
function origin(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':');
  const rest = tail === undefined ? [] : tail.split(':');
  while (tail !== undefined && groups.length + rest.length < 8) groups.push('0');
  return [...groups, ...rest].slice(0, 4).join(':');
}

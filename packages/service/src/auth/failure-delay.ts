import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const FREE_FAILURES = 4;
const FIRST_DELAY_SECONDS = 0.5;
const MAX_DELAY_SECONDS = 30;
const FORGET_SECONDS = 15 * 60;
const MAX_WAITING = 8;
const MAX_KEYS = 10_000;

interface Failures {
  count: number;
  last: number;
  /** The earliest time of the next answer. */
  nextTry: number;
  waiting: number;
}

/** A clock in seconds that tests can replace. */
export interface DelayClock {
  now(): number;
  sleep(seconds: number): Promise<unknown>;
}

const realClock: DelayClock = {
  now: () => performance.now() / 1000,
  sleep: (seconds) => sleep(seconds * 1000, undefined, { ref: false }),
};

/**
 * Delays the answers to failed logins, one after another. Each failure doubles the delay. Correct logins are never
 * delayed: all clients behind a proxy share one address, and one client could lock out the others.
 * Failures are counted per address, and per address and name. The second count is needed because a correct login of one
 * user clears the first. Unknown names are counted like known ones, so that a delay does not reveal which names exist.
 */
export class FailureDelay {
  readonly #ofAddress: FailureCounts;
  readonly #ofName: FailureCounts;
  readonly #clock: DelayClock;

  constructor(clock: DelayClock = realClock) {
    this.#clock = clock;
    this.#ofAddress = new FailureCounts(clock);
    this.#ofName = new FailureCounts(clock);
  }

  /**
   * Counts a failed attempt, and waits until it may be answered. Returns false immediately if too many answers for the
   * address or the name are already waiting.
   */
  async failed(address: string, name: string): Promise<boolean> {
    this.#ofAddress.add(origin(address));
    this.#ofName.add(login(address, name));
    const held = [this.#ofAddress.get(origin(address)), this.#ofName.get(login(address, name))].filter(
      (failures) => failures !== undefined && failures.count > FREE_FAILURES,
    ) as Failures[];
    if (held.some(({ waiting }) => waiting >= MAX_WAITING)) return false;
    const now = this.#clock.now();
    const turn = Math.max(now, ...held.map(({ nextTry }) => nextTry));
    for (const failures of held) {
      failures.nextTry = turn + delaySeconds(failures.count);
      failures.waiting++;
    }
    if (turn > now) await this.#clock.sleep(turn - now);
    for (const failures of held) failures.waiting--;
    return true;
  }

  /** Clears the failures of the address, and of this name at the address. Failures of other names remain. */
  succeeded(address: string, name: string): void {
    this.#ofAddress.delete(origin(address));
    this.#ofName.delete(login(address, name));
  }
}

/** The failures per key. If the map is full, the entry with the oldest last failure is removed. */
class FailureCounts {
  readonly #failures = new Map<string, Failures>();
  readonly #clock: DelayClock;

  constructor(clock: DelayClock) {
    this.#clock = clock;
  }

  get(key: string): Failures | undefined {
    return this.#failures.get(key);
  }

  add(key: string): void {
    const now = this.#clock.now();
    const known = this.#failures.get(key);
    const failures =
      known === undefined || now - known.last > FORGET_SECONDS
        ? { count: 0, last: now, nextTry: now, waiting: 0 }
        : known;
    failures.count++;
    failures.last = now;
    failures.nextTry = Math.max(failures.nextTry, now + delaySeconds(failures.count));
    // Move the entry to the end, so that the first entry of the map is the oldest.
    this.#failures.delete(key);
    this.#failures.set(key, failures);
    if (this.#failures.size <= MAX_KEYS) return;
    for (const oldest of this.#failures.keys()) {
      this.#failures.delete(oldest);
      return;
    }
  }

  delete(key: string): void {
    this.#failures.delete(key);
  }
}

/** Returns the delay after a number of failures: zero for the first ones, then twice as long for each further one. */
export function delaySeconds(failures: number): number {
  if (failures <= FREE_FAILURES) return 0;
  return Math.min(MAX_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** (failures - FREE_FAILURES - 1));
}

/**
 * Returns the key of a user at an address. It contains a digest of the name, because a name can be as long as a header.
 */
export function login(address: string, name: string): string {
  return `${origin(address)} ${hash('sha256', name.normalize('NFC'), 'base64')}`;
}

/** Returns the address, or the /64 network of an IPv6 address, because one client usually has a whole /64 network. */
function origin(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':');
  const rest = tail === undefined ? [] : tail.split(':');
  while (tail !== undefined && groups.length + rest.length < 8) groups.push('0');
  return [...groups, ...rest].slice(0, 4).join(':');
}

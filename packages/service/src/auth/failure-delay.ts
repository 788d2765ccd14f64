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
  /** When the next try may be answered. */
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
 * Makes the answers to failed tries wait, one after another, each failure doubling the time. Right credentials never
 * wait: behind a proxy all clients have one address, and any of them could lock out the others.
 *
 * Failures count twice: for their address, whatever the name; and for the address with the name, because the right
 * password of one user clears the first count. Names that nobody has count as those that somebody has: a delay
 * tells nothing of them.
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
   * Counts a failed try, and waits until it may be answered; false when too many of its address, or for its name, are
   * waiting already.
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

  /** Forgets what failed at the address, and for the name, but not what failed there for other names. */
  succeeded(address: string, name: string): void {
    this.#ofAddress.delete(origin(address));
    this.#ofName.delete(login(address, name));
  }
}

/** Failures by a key; those whose last failure is longest ago make room for others. */
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
    // Put at the end: the first ones of the map are those that failed longest ago.
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

/** How long a try waits after so many failures: nothing at first, then twice as long each time. */
export function delaySeconds(failures: number): number {
  if (failures <= FREE_FAILURES) return 0;
  return Math.min(MAX_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** (failures - FREE_FAILURES - 1));
}

/** A user at an address. A name may be as long as a header: its digest is as good. */
export function login(address: string, name: string): string {
  return `${origin(address)} ${hash('sha256', name.normalize('NFC'), 'base64')}`;
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

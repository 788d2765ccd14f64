import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** The maximum number of waiting attempts in a lane. */
const MAX_WAITING = 64;
/** The maximum number of refused attempts that are remembered. */
const MAX_TURNED_AWAY = 10_000;

interface Waiting {
  readonly key: string;
  readonly job: () => Promise<boolean>;
  /** Whether this attempt was refused before. */
  readonly returning: boolean;
  readonly settle: (result: Promise<boolean> | undefined) => void;
}

/**
 * Verifies passwords against their hashes, which is slow on purpose. Verifications run one at a time: a flood of
 * attempts uses at most one processor, and leaves the thread pool of Node free for reading files.
 * Each user at each address has a lane, and lanes take turns. A flood of attempts for one user or from one address
 * delays another user by one verification, however long its lanes are. A full lane refuses attempts at random, so that
 * a flood cannot occupy the lane. A refused attempt that is sent again runs first: clients repeat the correct password,
 * while guesses are new each time.
 */
export class VerificationQueue {
  /** The lanes in the order of their turns. Lanes without attempts are removed. */
  readonly #lanes = new Map<string, Waiting[]>();
  readonly #results = new Map<string, Promise<boolean | undefined>>();
  readonly #turnedAway = new Set<string>();
  #isRunning = false;
  /** The duration of the last verification. */
  #millis: number | undefined;
  readonly #pretended = new Map<string, { until: number; waiting: number }>();

  /**
   * Runs the verification when it is the turn of the lane. Returns undefined if the lane is full.
   * @param credentials identifies the attempt: attempts of a lane with the same credentials share a verification
   */
  verify(lane: string, credentials: string, job: () => Promise<boolean>): Promise<boolean | undefined> {
    const key = `${lane} ${credentials}`;
    const known = this.#results.get(key);
    if (known !== undefined) return known;
    const { promise, resolve } = Promise.withResolvers<boolean | undefined>();
    this.#results.set(key, promise);
    const settle = (result: Promise<boolean> | undefined) => {
      resolve(result);
      const forget = () => this.#results.delete(key);
      promise.then(forget, forget);
    };
    const waiting = this.#lanes.get(lane) ?? [];
    this.#lanes.set(lane, waiting);
    waiting.push({ key, job, returning: this.#turnedAway.delete(key), settle });
    if (waiting.length > MAX_WAITING) this.#turnAway(waiting);
    this.#next();
    return promise;
  }

  /**
   * Fails after the time that `verify` would take, for a user that does not exist. Uses no processor time: names are
   * easy to invent, and a flood of them must not delay real users.
   * @param decoy a verification that fails; called if no verification has run yet, to measure how long one takes
   */
  async pretend(lane: string, credentials: string, decoy: () => Promise<boolean>): Promise<boolean | undefined> {
    if (this.#millis === undefined) return this.verify('', credentials, decoy);
    const pretended = this.#pretended.getOrInsertComputed(lane, () => ({ until: 0, waiting: 0 }));
    if (pretended.waiting > MAX_WAITING) return undefined;
    const now = performance.now();
    const turns = this.#lanes.size + (this.#isRunning ? 1 : 0) + 1;
    pretended.until = Math.max(now, pretended.until) + this.#millis * turns;
    pretended.waiting++;
    await sleep(pretended.until - now, undefined, { ref: false });
    pretended.waiting--;
    if (pretended.waiting === 0) this.#pretended.delete(lane);
    return false;
  }

  #turnAway(waiting: Waiting[]): void {
    const fresh = waiting.filter(({ returning }) => !returning);
    const chosen = fresh.length === 0 ? waiting : fresh;
    const { key, settle } = remove(waiting, chosen[randomInt(chosen.length)] as Waiting);
    this.#turnedAway.add(key);
    const [oldest] = this.#turnedAway;
    if (this.#turnedAway.size > MAX_TURNED_AWAY && oldest !== undefined) this.#turnedAway.delete(oldest);
    settle(undefined);
  }

  #next(): void {
    const [turn] = this.#lanes;
    if (this.#isRunning || turn === undefined) return;
    const [lane, waiting] = turn;
    const { job, settle } = remove(waiting, waiting.find(({ returning }) => returning) ?? (waiting[0] as Waiting));
    this.#lanes.delete(lane);
    if (waiting.length > 0) this.#lanes.set(lane, waiting);
    this.#isRunning = true;
    const begun = performance.now();
    // The async function turns a synchronous exception of the job into a rejection, so that the queue continues.
    const result = (async () => job())();
    settle(result);
    const done = () => {
      this.#isRunning = false;
      this.#millis = performance.now() - begun;
      this.#next();
    };
    result.then(done, done);
  }
}

function remove(waiting: Waiting[], one: Waiting): Waiting {
  waiting.splice(waiting.indexOf(one), 1);
  return one;
}

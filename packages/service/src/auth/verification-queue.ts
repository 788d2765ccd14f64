import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Tries of one lane that wait. */
const MAX_WAITING = 64;
/** Tries that are remembered because they were turned away. */
const MAX_TURNED_AWAY = 10_000;

interface Waiting {
  readonly key: string;
  readonly job: () => Promise<boolean>;
  /** It was turned away before. */
  readonly returning: boolean;
  readonly settle: (result: Promise<boolean> | undefined) => void;
}

/**
 * Verifies passwords against their hashes, which is expensive on purpose: one at a time, so that a flood of tries costs
 * one processor at most and nothing waits for the threads that Node reads files with.
 *
 * Each user at each address has a lane, and lanes take turns: a flood of tries for one user, or from one address, makes
 * another user wait for one verification, however long the lanes of the flood are. Within a full lane chance decides
 * who is turned away, so that a flood cannot keep the lane to itself. Who was turned away and sends the same again
 * goes first: clients repeat the password that they have, while guesses are new each time.
 */
export class VerificationQueue {
  /** In the order of their turns; those without tries are not in it. */
  readonly #lanes = new Map<string, Waiting[]>();
  readonly #results = new Map<string, Promise<boolean | undefined>>();
  readonly #turnedAway = new Set<string>();
  #isRunning = false;
  /** How long the last verification took. */
  #millis: number | undefined;
  readonly #pretended = new Map<string, { until: number; waiting: number }>();

  /**
   * Verifies when it is the turn of the lane; undefined when there are too many in it.
   * @param credentials stands for what is verified: tries of a lane with the same ones share a verification
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
   * Takes as long as `verify` and fails, for a name that nobody has. It takes no processor time, because names are
   * easily invented: a flood of them must not make the users wait.
   * @param decoy a verification that fails; called when there was none yet, to learn how long one takes
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
    // Even a job that throws at once must not stop the queue.
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

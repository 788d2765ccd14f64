import { createHash } from 'node:crypto';
import { ApiError } from '../errors/api-error.ts';
import type { RequestKey, Store } from '../store/store.ts';
import { epochSeconds } from '../time/clock.ts';
import type { RunManager } from './run-manager.ts';

/** Identifies a request that a client may send more than once. */
export interface Repeat {
  /** The key that the client chose. */
  key: string;
  /** SHA-256 of the content of the request, in hexadecimal. */
  digest: string;
}

/**
 * Returns the identity of a repeatable request, or undefined if the client sent no key.
 * @param asked the content of the request, which is equal in a repetition
 */
export function repeatOf(key: string | undefined, asked: string | Buffer): Repeat | undefined {
  return key === undefined ? undefined : { key, digest: createHash('sha256').update(asked).digest('hex') };
}

/**
 * Detects repeated requests for runs. If the key of a request was used within the last day, the answer is the run that
 * was started with it.
 */
export class RepeatedRequests {
  readonly #runs: RunManager;
  readonly #store: Store;
  /** Requests that are being processed. */
  readonly #answering = new Map<string, Promise<unknown>>();

  constructor({ runs, store }: { runs: RunManager; store: Store }) {
    this.#runs = runs;
    this.#store = store;
  }

  /**
   * Returns the details of the run as JSON.
   * @param start starts the run if no request with this key has started one; it must store the given key with the run
   */
  async once(
    user: string | null,
    repeat: Repeat | undefined,
    start: (key?: RequestKey) => Promise<string>,
  ): Promise<string> {
    if (repeat === undefined) return start();
    const key: RequestKey = { user, ...repeat, time: epochSeconds() };
    const name = JSON.stringify([user, key.key]);
    // The second of two concurrent requests waits, and then finds the run of the first.
    for (let other = this.#answering.get(name); other !== undefined; other = this.#answering.get(name)) {
      await other.catch(() => undefined);
    }
    const answer = this.#startOnce(key, start);
    this.#answering.set(name, answer);
    try {
      return await answer;
    } finally {
      this.#answering.delete(name);
    }
  }

  async #startOnce(key: RequestKey, start: (key: RequestKey) => Promise<string>): Promise<string> {
    const before = await this.#store.requestedRun(key.user, key.key, key.time);
    if (before === undefined) return start(key);
    if (before.digest !== key.digest) {
      throw new ApiError('HR_REQUEST_KEY_REUSED', `The key ${key.key} was already used for another request`, {
        hint: `Use a new Idempotency-Key for another request; the earlier one has started the run ${before.runId}.`,
      });
    }
    const details = await this.#runs.details(before.runId);
    if (details !== undefined) return details;
    throw new ApiError('HR_RUN_FORGOTTEN', `This request has started the run ${before.runId}, which has been deleted`, {
      hint: 'Use a new Idempotency-Key to start another run; limits.maxRuns sets how many runs are stored.',
    });
  }
}

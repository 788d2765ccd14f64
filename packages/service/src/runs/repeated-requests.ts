import { createHash } from 'node:crypto';
import { ApiError } from '../errors/api-error.ts';
import type { RequestKey, Store } from '../store/store.ts';
import { epochSeconds } from '../time/clock.ts';
import type { RunManager } from './run-manager.ts';

/** How a request is known again that a client sends twice. */
export interface Repeat {
  /** As the client chose it. */
  key: string;
  /** SHA-256 of what it asks for, in hexadecimal. */
  digest: string;
}

/** @param asked what the request asks for; the same again for one that is repeated */
export function repeatOf(key: string | undefined, asked: string | Buffer): Repeat | undefined {
  return key === undefined ? undefined : { key, digest: createHash('sha256').update(asked).digest('hex') };
}

/** Knows the requests for runs that are repeated: whose key was used within the last day gets the run that was started then. */
export class RepeatedRequests {
  readonly #runs: RunManager;
  readonly #store: Store;
  /** Requests that are being answered. */
  readonly #answering = new Map<string, Promise<unknown>>();

  constructor({ runs, store }: { runs: RunManager; store: Store }) {
    this.#runs = runs;
    this.#store = store;
  }

  /**
   * Gives the details of the run as JSON.
   * @param start starts it, if no request with the key has; what it is given has to be stored with the run
   */
  async once(
    user: string | null,
    repeat: Repeat | undefined,
    start: (key?: RequestKey) => Promise<string>,
  ): Promise<string> {
    if (repeat === undefined) return start();
    const key: RequestKey = { user, ...repeat, time: epochSeconds() };
    const name = JSON.stringify([user, key.key]);
    // Of two at once the second one waits, and finds the run of the first.
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
      throw new ApiError('HR_REQUEST_KEY_REUSED', `The key ${key.key} came with another request before`, {
        hint: `Take a new Idempotency-Key for another request; that one has started the run ${before.runId}.`,
      });
    }
    const details = await this.#runs.details(before.runId);
    if (details !== undefined) return details;
    throw new ApiError(
      'HR_RUN_FORGOTTEN',
      `This request has started the run ${before.runId}, which is forgotten by now`,
      {
        hint: 'Take a new Idempotency-Key to run it again; limits.maxRuns says how many runs are remembered.',
      },
    );
  }
}

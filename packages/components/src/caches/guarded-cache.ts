import type { Cache } from './cache.ts';

/**
 * A cache whose errors are reported once and do not fail the work: after an error, it is empty and stores nothing. Also
 * counts how often an entry was found.
 */
export class GuardedCache {
  readonly #cache: Cache;
  readonly #report: (error: unknown) => void;
  readonly #onLookup: (isHit: boolean) => void;
  #isBroken = false;

  /**
   * @param report receives the first error
   * @param onLookup called with the result of each lookup
   */
  constructor(cache: Cache, report: (error: unknown) => void, onLookup: (isHit: boolean) => void) {
    this.#cache = cache;
    this.#report = report;
    this.#onLookup = onLookup;
  }

  /** Counts a lookup that was answered from the cache, or not. */
  count(isHit: boolean): void {
    this.#onLookup(isHit);
  }

  /** Returns an entry, without counting. */
  get(key: string): Promise<Uint8Array | undefined> {
    return this.#guarded(() => this.#cache.get(key));
  }

  async put(key: string, value: Uint8Array): Promise<void> {
    await this.#guarded(() => this.#cache.put(key, value));
  }

  /** Also closes the cache after an error: its connection may still be open. */
  async close(): Promise<void> {
    try {
      await this.#cache.close();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#isBroken) return undefined;
    try {
      return await work();
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  #fail(error: unknown): void {
    if (!this.#isBroken) this.#report(error);
    this.#isBroken = true;
  }
}

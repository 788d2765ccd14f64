import type { Publisher } from '@headrace/engine';

/**
 * Detects that a run has failed, for example because a document has ended its pipeline thread. The results of the
 * chunks in that thread never arrive, so a connector that only waits for results would wait forever.
 */
export class FailureWatch {
  readonly #target: Pick<Publisher, 'settled'>;
  readonly #onFailed: (error: unknown) => void;
  #isWatching = false;
  /** Whether a chunk was published after the current call of `settled`, which does not include it. */
  #hasMore = false;

  constructor(target: Pick<Publisher, 'settled'>, onFailed: (error: unknown) => void) {
    this.#target = target;
    this.#onFailed = onFailed;
  }

  /** Must be called after each published chunk. */
  published(): void {
    this.#hasMore = true;
    if (this.#isWatching) return;
    this.#isWatching = true;
    // After a failure, the watch is over.
    this.#watch().catch(this.#onFailed);
  }

  async #watch(): Promise<void> {
    while (this.#hasMore) {
      this.#hasMore = false;
      try {
        await this.#target.settled();
      } catch (error) {
        // The dead-letter topic, or the report of the chunk, has these documents.
        if ((error as { code?: string }).code !== 'HR_RUN_FAILURES_NOT_KEPT') throw error;
      }
    }
    this.#isWatching = false;
  }
}

const MAX_CHARACTERS = 4 * 1024 * 1024;

/**
 * A limited cache of the details of finished runs that were recently requested, as JSON. The store has the details of
 * all runs.
 */
export class FinishedRuns {
  readonly #answers = new Map<string, string>();
  #characters = 0;

  get(runId: string): string | undefined {
    return this.#answers.get(runId);
  }

  /** Caches the details of a run. Removes the oldest entries if the cache is full. */
  put(runId: string, answer: string): void {
    if (answer.length > MAX_CHARACTERS / 16 || this.#answers.has(runId)) return;
    this.#answers.set(runId, answer);
    this.#characters += answer.length;
    for (const [oldest, { length }] of this.#answers) {
      if (this.#characters <= MAX_CHARACTERS) return;
      this.#answers.delete(oldest);
      this.#characters -= length;
    }
  }

  /** Removes a run whose details have changed after its end. */
  forget(runId: string): void {
    this.#characters -= this.#answers.get(runId)?.length ?? 0;
    this.#answers.delete(runId);
  }

  clear(): void {
    this.#answers.clear();
    this.#characters = 0;
  }
}

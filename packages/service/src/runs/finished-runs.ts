const MAX_BYTES = 8 * 1024 * 1024;

/** The answers for runs that were asked for lately, ready to send. Bounded: the rest is in the store. */
export class FinishedRuns {
  readonly #answers = new Map<string, Buffer>();
  #bytes = 0;

  get(runId: string): Buffer | undefined {
    return this.#answers.get(runId);
  }

  /** Keeps an answer; the ones kept longest make room for it. */
  put(runId: string, answer: Buffer): void {
    if (answer.length > MAX_BYTES / 16 || this.#answers.has(runId)) return;
    this.#answers.set(runId, answer);
    this.#bytes += answer.length;
    for (const [oldest, { length }] of this.#answers) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#answers.delete(oldest);
      this.#bytes -= length;
    }
  }

  clear(): void {
    this.#answers.clear();
    this.#bytes = 0;
  }
}

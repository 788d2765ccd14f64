/** How often the page tries to reach a service that does not answer, in milliseconds. */
const RETRY_MILLIS = 2_000;
/** How long a service may take to answer a simple request, in milliseconds. */
export const SILENCE_MILLIS = 5_000;

class Connection {
  #lost = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();

  /** Whether the service does not answer. */
  get lost(): boolean {
    return this.#lost;
  }

  /** Adds a listener for the moment when the service answers again. Returns a function that removes it. */
  onReturn(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Records that a request got no answer, or none yet. Tries again until the service is ready. */
  reportLoss(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#tryLater();
  }

  #tryLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#probe(), RETRY_MILLIS);
  }

  async #probe(): Promise<void> {
    try {
      const signal = AbortSignal.timeout(SILENCE_MILLIS);
      const { ok } = await fetch('/v1/readyz', { credentials: 'omit', cache: 'no-store', signal });
      if (!ok) return this.#tryLater();
    } catch {
      return this.#tryLater();
    }
    this.#lost = false;
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Whether the service can be reached. */
export const connection = new Connection();

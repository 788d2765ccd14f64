/** Wakes all callers that wait for a change. Each caller then checks whether its condition is true. */
export class Signal {
  #waiters: (() => void)[] = [];

  /** Resolves at the next `notify`. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  notify(): void {
    if (this.#waiters.length === 0) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}

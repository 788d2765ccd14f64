const MAX_VALUES = 150;

/** The values of a measurement since the page was opened, the newest last. */
export class History {
  #values = $state.raw<readonly number[]>([]);

  get values(): readonly number[] {
    return this.#values;
  }

  add(value: number): void {
    // Effects call this: the old values must not become a dependency.
    queueMicrotask(() => {
      this.#values = [...this.#values.slice(1 - MAX_VALUES), value];
    });
  }
}

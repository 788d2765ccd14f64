/**
 * Collects notes about files for the summary of a run. For each kind of note, it has the count and the reason of the
 * first one.
 */
export class WalkNotes {
  readonly #kinds = new Map<string, { count: number; readonly first: string }>();

  /** Adds one or more notes of a kind, such as `files that were not moved`. */
  add(kind: string, why: string, count = 1): void {
    const known = this.#kinds.get(kind);
    if (known === undefined) this.#kinds.set(kind, { count, first: why });
    else known.count += count;
  }

  /** Returns a text for each kind. */
  texts(): string[] {
    return [...this.#kinds].map(([kind, { count, first }]) => {
      return count === 1 ? `${kind}: 1 (${first})` : `${kind}: ${count} (the first one: ${first})`;
    });
  }

  /** Returns the notes of all kinds in one line, or undefined if there are none. */
  get text(): string | undefined {
    return this.#kinds.size === 0 ? undefined : this.texts().join(', ');
  }
}

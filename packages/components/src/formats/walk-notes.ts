/**
 * What the summary of a run says about files in addition to its counts: how many of each kind, and the reason of the
 * first.
 */
export class WalkNotes {
  readonly #kinds = new Map<string, { count: number; readonly first: string }>();

  /** One or more of a kind, such as `files that were not moved`. */
  add(kind: string, why: string, count = 1): void {
    const known = this.#kinds.get(kind);
    if (known === undefined) this.#kinds.set(kind, { count, first: why });
    else known.count += count;
  }

  /** A part of a line for each kind. */
  texts(): string[] {
    return [...this.#kinds].map(([kind, { count, first }]) => {
      return count === 1 ? `${kind}: 1 (${first})` : `${kind}: ${count} (the first one: ${first})`;
    });
  }

  /** All of it in a line; undefined when there is nothing to say. */
  get text(): string | undefined {
    return this.#kinds.size === 0 ? undefined : this.texts().join(', ');
  }
}

/** What the summary of a run says of files besides its counts: how many of each kind, and why the first one. */
export class WalkNotes {
  private readonly kinds = new Map<string, { count: number; readonly first: string }>();

  /** One more of a kind, such as `files that were not moved`. */
  add(kind: string, why: string): void {
    const known = this.kinds.get(kind);
    if (known === undefined) this.kinds.set(kind, { count: 1, first: why });
    else known.count++;
  }

  /** A part of a line for each kind. */
  texts(): string[] {
    return [...this.kinds].map(([kind, { count, first }]) => {
      return count === 1 ? `${kind}: 1 (${first})` : `${kind}: ${count} (the first one: ${first})`;
    });
  }
}

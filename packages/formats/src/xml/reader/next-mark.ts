/** A position beyond the end of every text, which is still a small integer for V8. */
export const NOWHERE = 0x3fffffff;

/**
 * Finds the occurrences of a mark in a text, for positions that only grow. It searches again only after the last
 * occurrence was passed. A search of V8 needs a hundredth of the time that a loop over the characters needs.
 */
export class NextMark {
  readonly #text: string;
  readonly #mark: string;
  #next = -1;

  constructor(text: string, mark: string) {
    this.#text = text;
    this.#mark = mark;
  }

  /** Returns the next occurrence from a position, or `NOWHERE`. */
  from(position: number): number {
    if (this.#next < position) {
      const found = this.#text.indexOf(this.#mark, position);
      this.#next = found < 0 ? NOWHERE : found;
    }
    return this.#next;
  }
}

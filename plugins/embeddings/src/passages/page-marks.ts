import type { Block } from './blocks.ts';

/** The marks of pages in a text. They say on which page a place is, and are no text. */
export class PageMarks {
  readonly #text: string;
  readonly #marks: readonly (Block & { readonly kind: 'page' })[];

  constructor(text: string, blocks: readonly Block[]) {
    this.#text = text;
    this.#marks = blocks.filter((block) => block.kind === 'page');
  }

  /** Returns the page of a place; undefined before the first mark. */
  pageAt(place: number): number | undefined {
    return this.#marks[this.#after(place) - 1]?.number;
  }

  /** Returns a part of the text without marks. */
  slice(start: number, end: number): string {
    let text = '';
    let from = start;
    // The part may begin inside a mark.
    for (let i = Math.max(0, this.#after(start) - 1); i < this.#marks.length; i++) {
      const mark = this.#marks[i] as Block;
      if (mark.start >= end) break;
      if (mark.end <= start) continue;
      text += this.#text.slice(from, mark.start);
      // The empty lines before the mark stay, those after it do not.
      for (from = mark.end; this.#text[from] === '\n'; ) from++;
    }
    return text + this.#text.slice(Math.min(from, end), end);
  }

  /** Returns how many marks begin before a place or at it. */
  #after(place: number): number {
    let [low, high] = [0, this.#marks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#marks[middle] as Block).start <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

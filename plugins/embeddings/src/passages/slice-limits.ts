export interface Slice {
  readonly start: number;
  readonly end: number;
  readonly size: number;
}

const SENTENCES = new Intl.Segmenter(undefined, { granularity: 'sentence' });
const CHARACTERS = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Divides slices of a text that are too large. */
export class SliceLimits {
  readonly max: number;
  readonly sizeOf: (text: string) => number;
  readonly #text: string;

  /** @param max the maximum size of a slice */
  constructor(text: string, max: number, sizeOf: (text: string) => number) {
    this.#text = text;
    this.max = max;
    this.sizeOf = sizeOf;
  }

  size(start: number, end: number): number {
    return this.sizeOf(this.#text.slice(start, end));
  }

  /**
   * Divides a slice into sentences, long sentences into groups of words, and long words between characters. Returns it
   * whole if it is small enough.
   */
  divide(start: number, end: number, max: number): Slice[] {
    const size = this.size(start, end);
    if (size <= max) return [{ start, end, size }];
    const sentences = this.#segments(SENTENCES, start, end);
    if (sentences.length > 1) return sentences.flatMap(([from, to]) => this.divide(from, to, max));
    const words = this.#words(start, end);
    return this.#grouped(words.length > 1 ? words : this.#segments(CHARACTERS, start, end), max);
  }

  /** Returns the start of the first sentence from which the text up to `end` has at most this size; `end` if none has. */
  sentenceStart(start: number, end: number, max: number): number {
    const sentences = this.#segments(SENTENCES, start, end);
    let from = end;
    // The whole passage is never repeated.
    for (const [at] of sentences.slice(1).reverse()) {
      if (this.size(at, end) > max) break;
      from = at;
    }
    return from;
  }

  #segments(segmenter: Intl.Segmenter, start: number, end: number): (readonly [number, number])[] {
    return Array.from(segmenter.segment(this.#text.slice(start, end)), ({ index, segment }) => [
      start + index,
      start + index + segment.length,
    ]);
  }

  #words(start: number, end: number): (readonly [number, number])[] {
    const words = this.#text.slice(start, end).matchAll(/^\s*\S+\s*|\S+\s*/g);
    return Array.from(words, ({ index, 0: word }) => [start + index, start + index + word.length]);
  }

  /** Joins consecutive parts up to the maximum size, found by doubling and halving. Divides parts that are too large. */
  #grouped(parts: readonly (readonly [number, number])[], max: number): Slice[] {
    const slices: Slice[] = [];
    for (let at = 0, guess = 8; at < parts.length; ) {
      const [start, first] = parts[at] as readonly [number, number];
      const endOf = (count: number) => parts[Math.min(parts.length, at + count) - 1]?.[1] as number;
      let fits = 0;
      let tooMany = parts.length - at + 1;
      for (let count = Math.min(guess, tooMany - 1); tooMany - fits > 1; ) {
        if (this.size(start, endOf(count)) <= max) fits = count;
        else tooMany = count;
        count = tooMany > parts.length - at ? Math.min(count * 2, tooMany - 1) : (fits + tooMany) >> 1;
      }
      if (fits > 0) slices.push({ start, end: endOf(fits), size: this.size(start, endOf(fits)) });
      else if (this.#segments(CHARACTERS, start, first).length > 1) {
        for (const slice of this.#grouped(this.#segments(CHARACTERS, start, first), max)) slices.push(slice);
      } else slices.push({ start, end: first, size: this.size(start, first) });
      at += Math.max(1, fits);
      guess = Math.max(1, fits);
    }
    return slices;
  }
}

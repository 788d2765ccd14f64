import type { PageMarks } from './page-marks.ts';

export interface Slice {
  readonly start: number;
  readonly end: number;
  readonly size: number;
}

const SENTENCES = new Intl.Segmenter(undefined, { granularity: 'sentence' });
const CHARACTERS = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** How many characters are measured first, for each unit of the maximum size, before a long slice is measured. */
const PROBE_CHARACTERS = 16;
/** How many estimates are tried before the number of parts is found by halving. */
const ESTIMATES = 6;

/** Divides slices of a text that are too large. */
export class SliceLimits {
  readonly max: number;
  readonly sizeOf: (text: string) => number;
  readonly #text: string;
  readonly #marks: PageMarks;

  /** @param max the maximum size of a slice */
  constructor(text: string, marks: PageMarks, max: number, sizeOf: (text: string) => number) {
    this.#text = text;
    this.#marks = marks;
    this.max = max;
    this.sizeOf = sizeOf;
  }

  size(start: number, end: number): number {
    return this.sizeOf(this.#marks.slice(start, end));
  }

  /**
   * Returns the size of a slice; infinity if its start alone is far above `max`. Counting the tokens of a long block
   * takes as long as counting those of all its passages.
   */
  sizeUpTo(start: number, end: number, max: number): number {
    const most = start + max * PROBE_CHARACTERS;
    // Part of a word may have more tokens than the word, which is one unknown token if it is very long.
    const probe = Math.max(this.#text.lastIndexOf(' ', most), this.#text.lastIndexOf('\n', most));
    // Twice the maximum leaves no doubt, even if the tokens at the border differ from those of the whole slice.
    if (most < end && probe > start && this.size(start, probe) > max * 2) return Number.POSITIVE_INFINITY;
    return this.size(start, end);
  }

  /**
   * Divides a slice into sentences, long sentences into groups of words, and long words between characters. Returns it
   * whole if it is small enough.
   * @param size the size of the slice, if it is known
   */
  divide(start: number, end: number, max: number, size = this.sizeUpTo(start, end, max)): Slice[] {
    if (size <= max) return [{ start, end, size }];
    const sentences = this.#segments(SENTENCES, start, end);
    if (sentences.length > 1) return sentences.flatMap(([from, to]) => this.divide(from, to, max));
    const words = this.#words(start, end);
    if (words.length > 1) return this.#grouped(words, max, ESTIMATES);
    return this.#grouped(this.#segments(CHARACTERS, start, end), max, 0);
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

  /**
   * Joins consecutive parts up to the maximum size. Their number is found by estimates from the sizes measured so far,
   * then by doubling and halving. Divides parts that are too large.
   * @param estimates the most estimates to try: 0 for characters, because a longer part of a word may have fewer tokens
   */
  #grouped(parts: readonly (readonly [number, number])[], max: number, estimates: number): Slice[] {
    const slices: Slice[] = [];
    for (let at = 0, guess = 8; at < parts.length; ) {
      const [start, first] = parts[at] as readonly [number, number];
      const left = parts.length - at;
      const endOf = (count: number) => parts[at + count - 1]?.[1] as number;
      let fits = { count: 0, size: 0 };
      let tooMany = left + 1;
      for (let count = Math.min(guess, left), tries = 1; tooMany - fits.count > 1; tries++) {
        const size = this.size(start, endOf(count));
        if (size <= max) fits = { count, size };
        else tooMany = count;
        const wanted =
          tries <= estimates
            ? Math.floor((count * (max + 0.5)) / Math.max(1, size))
            : tooMany > left
              ? count * 2
              : (fits.count + tooMany) >> 1;
        count = Math.min(Math.max(wanted, fits.count + 1), tooMany - 1);
      }
      if (fits.count > 0) slices.push({ start, end: endOf(fits.count), size: fits.size });
      else if (this.#segments(CHARACTERS, start, first).length > 1) {
        for (const slice of this.#grouped(this.#segments(CHARACTERS, start, first), max, 0)) slices.push(slice);
      } else slices.push({ start, end: first, size: this.size(start, first) });
      at += Math.max(1, fits.count);
      guess = Math.max(1, fits.count);
    }
    return slices;
  }
}

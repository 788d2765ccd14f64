/** Sets of more texts than this are rare. A plain set takes less memory. */
const MAX_TEXTS = 10_000;
/** The number of characters at the end of a text that its hash depends on. */
const HASHED = 12;
/** With more texts of the same hash than this, a plain set is faster. */
const MAX_CHAIN = 8;
/** The places of the table per text. */
const SPREAD = 4;

/**
 * A set of texts that is asked for many new texts, such as cells of a file. `Set` first looks up each new text in the
 * table of all texts of V8. In a loop over new texts this takes 1.3 to 2.3 times as long (2026-11-28, sets of 1 to 500
 * texts); bench/data-path.md has a measurement of a run.
 */
export class TextSet {
  readonly #texts: readonly string[];
  /** The number of the first text of each hash, and for each text the number of the next one, or -1. */
  readonly #heads: Int32Array;
  readonly #next: Int32Array;
  /** Used instead if the hashes of too many texts are equal. */
  readonly #plain: ReadonlySet<string> | undefined;

  constructor(texts: Iterable<string>) {
    const plain = new Set(texts);
    const isSmall = plain.size <= MAX_TEXTS;
    this.#texts = isSmall ? [...plain] : [];
    this.#heads = new Int32Array(2 ** Math.ceil(Math.log2(SPREAD * this.#texts.length + 1))).fill(-1);
    this.#next = new Int32Array(this.#texts.length).fill(-1);
    const lengths = new Uint8Array(this.#heads.length);
    let isLong = false;
    for (const [i, text] of this.#texts.entries()) {
      const place = hashOf(text) & (this.#heads.length - 1);
      this.#next[i] = this.#heads[place] as number;
      this.#heads[place] = i;
      lengths[place] = (lengths[place] as number) + 1;
      isLong = (lengths[place] as number) > MAX_CHAIN;
      if (isLong) break;
    }
    this.#plain = isSmall && !isLong ? undefined : plain;
  }

  has(text: string): boolean {
    if (this.#plain !== undefined) return this.#plain.has(text);
    const heads = this.#heads;
    for (let i = heads[hashOf(text) & (heads.length - 1)] as number; i >= 0; i = this.#next[i] as number) {
      if (this.#texts[i] === text) return true;
    }
    return false;
  }
}

function hashOf(text: string): number {
  const { length } = text;
  let hash = length;
  for (let i = length > HASHED ? length - HASHED : 0; i < length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
  return hash ^ (hash >>> 15);
}

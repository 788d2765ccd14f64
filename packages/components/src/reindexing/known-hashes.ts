import { HASH_WORDS } from './content-hash.ts';

/** A table with this many places takes 128 MiB. */
const MAX_PLACES = 2 ** 23;

/**
 * The hashes of documents that an index has, in memory. Most documents of a run need nothing else. It may have only some
 * of the hashes, so a document without a hash here may be known as well. A hash covers the id of its document, so no two
 * documents have the same.
 */
export class KnownHashes {
  /**
   * The first 32 bits of a hash select its place; if that is taken, the next free one (linear probing). The first two
   * numbers of an empty place are 0. After `remove`, the last two are inverted.
   */
  readonly #words: Uint32Array;
  /** Whether the run has seen the documents. Empty without `marksSeen`. */
  readonly #isSeen: Uint8Array;
  readonly #mask: number;
  #space: number;
  #seen = 0;

  /**
   * @param count how many hashes are expected
   * @param marksSeen whether `see` remembers documents, which takes time for another access to memory
   */
  constructor(count: number, marksSeen: boolean) {
    let places = 16;
    // At most two thirds of the places are taken: then two places are read on average.
    while (places * 2 < count * 3 && places < MAX_PLACES) places *= 2;
    this.#words = new Uint32Array(places * HASH_WORDS);
    this.#isSeen = new Uint8Array(marksSeen ? places : 0);
    this.#mask = places - 1;
    this.#space = Math.floor((places * 2) / 3);
  }

  /** The number of known documents that this run has seen. */
  get seen(): number {
    return this.#seen;
  }

  get isFull(): boolean {
    return this.#space === 0;
  }

  /** Adds hashes until the table is full. */
  add(hashes: Uint32Array): void {
    const words = this.#words;
    for (let at = 0; at < hashes.length && this.#space > 0; at += HASH_WORDS) {
      // A hash that looks like an empty place is not added: its document is compared with the file.
      if (hashes[at] === 0 && hashes[at + 1] === 0) continue;
      let place = (hashes[at] as number) & this.#mask;
      while (words[place * HASH_WORDS] !== 0 || words[place * HASH_WORDS + 1] !== 0) place = (place + 1) & this.#mask;
      for (let i = 0; i < HASH_WORDS; i++) words[place * HASH_WORDS + i] = hashes[at + i] as number;
      this.#space--;
    }
  }

  has(hashes: Uint32Array, position: number): boolean {
    return this.#find(hashes, position) >= 0;
  }

  /** Returns whether a hash is known, and remembers that the run has seen its document. */
  see(hashes: Uint32Array, position: number): boolean {
    const place = this.#find(hashes, position);
    if (place >= 0 && this.#isSeen[place] === 0) {
      this.#isSeen[place] = 1;
      this.#seen++;
    }
    return place >= 0;
  }

  /** Returns whether the run has seen the document with this hash. */
  isSeen(hashes: Uint32Array, position: number): boolean {
    return this.#isSeen[this.#find(hashes, position)] === 1;
  }

  /** Removes the hash of a document of which another version is sent. */
  remove(hashes: Uint32Array, position: number): void {
    const place = this.#find(hashes, position);
    if (place < 0) return;
    if (this.#isSeen[place] === 1) this.#seen--;
    for (let i = HASH_WORDS - 2; i < HASH_WORDS; i++)
      this.#words[place * HASH_WORDS + i] = ~(this.#words[place * HASH_WORDS + i] as number);
  }

  /** Returns the place of a hash, or -1. */
  #find(hashes: Uint32Array, position: number): number {
    const words = this.#words;
    const at = position * HASH_WORDS;
    const first = hashes[at] as number;
    const second = hashes[at + 1] as number;
    for (let from = (first & this.#mask) * HASH_WORDS; ; from = (from + HASH_WORDS) & (words.length - 1)) {
      const one = words[from];
      const two = words[from + 1];
      if (one === 0 && two === 0) return -1;
      const isEqual = one === first && two === second;
      if (isEqual && words[from + 2] === hashes[at + 2] && words[from + 3] === hashes[at + 3]) return from / HASH_WORDS;
    }
  }
}

/** Returns bytes as numbers of 32 bits. */
export function wordsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}

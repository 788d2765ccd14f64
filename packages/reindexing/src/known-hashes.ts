import { HASH_BYTES } from './content-hash.ts';

/** A table with this many places takes 128 MiB. */
const MAX_PLACES = 2 ** 23;
const WORDS = HASH_BYTES / 4;

const EMPTY = 0;
const KNOWN = 1;
const SEEN = 2;
const REMOVED = 3;

/**
 * The hashes of documents that an index has, in memory. Most documents of a run need nothing else. It may have only some
 * of the hashes, so a document without a hash here may be known as well. A hash covers the id of its document, so no two
 * documents have the same.
 */
export class KnownHashes {
  /** The first 32 bits of a hash select its place; if that is taken, the next free one (linear probing). */
  readonly #words: Uint32Array;
  readonly #states: Uint8Array;
  readonly #mask: number;
  #space: number;
  #seen = 0;

  /** @param count how many hashes are expected */
  constructor(count: number) {
    let places = 16;
    // At most two thirds of the places are taken: then two places are read on average.
    while (places * 2 < count * 3 && places < MAX_PLACES) places *= 2;
    this.#words = new Uint32Array(places * WORDS);
    this.#states = new Uint8Array(places);
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
    for (let at = 0; at < hashes.length && this.#space > 0; at += WORDS) {
      let place = (hashes[at] as number) & this.#mask;
      while (this.#states[place] !== EMPTY) place = (place + 1) & this.#mask;
      for (let i = 0; i < WORDS; i++) this.#words[place * WORDS + i] = hashes[at + i] as number;
      this.#states[place] = KNOWN;
      this.#space--;
    }
  }

  /** Returns whether a hash is known, and remembers that the run has seen its document. */
  see(hashes: Uint32Array, position: number): boolean {
    const place = this.#find(hashes, position);
    if (place < 0 || this.#states[place] === REMOVED) return false;
    if (this.#states[place] === KNOWN) {
      this.#states[place] = SEEN;
      this.#seen++;
    }
    return true;
  }

  /** Returns whether the run has seen the document with this hash. */
  isSeen(hashes: Uint32Array, position: number): boolean {
    const place = this.#find(hashes, position);
    return place >= 0 && this.#states[place] === SEEN;
  }

  /** Returns whether `remove` has removed the hash. */
  isRemoved(hashes: Uint32Array, position: number): boolean {
    const place = this.#find(hashes, position);
    return place >= 0 && this.#states[place] === REMOVED;
  }

  /** Removes the hash of a document of which another version is sent. */
  remove(hashes: Uint32Array, position: number): void {
    const place = this.#find(hashes, position);
    if (place < 0) return;
    if (this.#states[place] === SEEN) this.#seen--;
    this.#states[place] = REMOVED;
  }

  /** Returns the place of a hash, or -1. */
  #find(hashes: Uint32Array, position: number): number {
    const words = this.#words;
    const at = position * WORDS;
    const [first, second] = [hashes[at] as number, hashes[at + 1] as number];
    const [third, fourth] = [hashes[at + 2] as number, hashes[at + 3] as number];
    for (let place = first & this.#mask; this.#states[place] !== EMPTY; place = (place + 1) & this.#mask) {
      const from = place * WORDS;
      if (
        words[from] === first &&
        words[from + 1] === second &&
        words[from + 2] === third &&
        words[from + 3] === fourth
      ) {
        return place;
      }
    }
    return -1;
  }
}

/** Returns bytes as numbers of 32 bits. */
export function wordsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}

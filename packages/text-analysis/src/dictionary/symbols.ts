import { hashText, slotOf, slotsFor } from './hashing.ts';
import { IntList, shared } from './shared-memory.ts';
import { TextPool } from './text-pool.ts';

/** The first symbol of words. Smaller symbols are UTF-16 units. */
const WORDS = 0x10000;

/** The symbol of a word that no term contains. */
export const UNKNOWN_WORD = -1;

/** Assigns numbers to the words of terms. */
export class WordNumbers {
  readonly #texts = new TextPool();
  readonly #offsets = new IntList();
  readonly #hashes = new IntList();
  #slots: Int32Array = new Int32Array(1024);

  /** Returns the number of the word between two positions. */
  number(text: string, start: number, end: number): number {
    const hash = hashText(text, start, end);
    const slots = this.#slots;
    let slot = slotOf(hash, slots.length);
    for (; slots[slot] !== 0; slot = slot + 1 === slots.length ? 0 : slot + 1) {
      const word = (slots[slot] as number) - 1;
      if (this.#hashes.get(word) === hash && isWord(this.#texts, this.#offsets.get(word), text, start, end))
        return word;
    }
    const word = this.#hashes.push(hash);
    this.#offsets.push(this.#texts.add(text.slice(start, end)));
    slots[slot] = word + 1;
    if (slotsFor(word + 2) > slots.length) this.#grow();
    return word;
  }

  /** Returns the table that finds words, and for each word number the symbol that the word has in this table. */
  finish(): { readonly table: WordTableData; readonly symbols: Int32Array } {
    const count = this.#hashes.length;
    const size = slotsFor(count);
    const slots = new Int32Array(shared(size * 8));
    const symbols = new Int32Array(count);
    for (let word = 0; word < count; word++) {
      const hash = this.#hashes.get(word);
      let slot = slotOf(hash, size);
      while (slots[slot * 2] !== 0) slot = slot + 1 === size ? 0 : slot + 1;
      slots[slot * 2] = this.#offsets.get(word) + 1;
      slots[slot * 2 + 1] = hash;
      symbols[word] = WORDS + slot;
    }
    return { table: { slots, texts: this.#texts.share() }, symbols };
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    for (let word = 0; word < this.#hashes.length; word++) {
      let slot = slotOf(this.#hashes.get(word), slots.length);
      while (slots[slot] !== 0) slot = slot + 1 === slots.length ? 0 : slot + 1;
      slots[slot] = word + 1;
    }
    this.#slots = slots;
  }
}

/** The words of terms as plain data, in memory that threads can share. */
export interface WordTableData {
  /**
   * Pairs: the offset of a word plus one (0 for a free slot), and its hash. The symbol is computed from the slot
   * number.
   */
  readonly slots: Int32Array;
  readonly texts: Uint8Array;
}

/** Finds the symbols of words. */
export class WordTable {
  readonly #slots: Int32Array;
  readonly #size: number;
  readonly #texts: TextPool;

  constructor({ slots, texts }: WordTableData) {
    this.#slots = slots;
    this.#size = slots.length / 2;
    this.#texts = new TextPool(texts);
  }

  /** Returns the symbol of the word between two positions; `UNKNOWN_WORD` if no term has it. */
  symbol(text: string, start: number, end: number): number {
    const slots = this.#slots;
    const size = this.#size;
    const hash = hashText(text, start, end);
    for (let slot = slotOf(hash, size); ; slot = slot + 1 === size ? 0 : slot + 1) {
      const at = (slots[slot * 2] as number) - 1;
      if (at < 0) return UNKNOWN_WORD;
      if (slots[slot * 2 + 1] === hash && isWord(this.#texts, at, text, start, end)) return WORDS + slot;
    }
  }
}

function isWord(texts: TextPool, at: number, text: string, start: number, end: number): boolean {
  return texts.length(at) === end - start && texts.standsIn(text, start, at);
}

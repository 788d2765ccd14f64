import { hashPair, slotOf } from './hashing.ts';
import type { Letters } from './letters.ts';
import { UNKNOWN_WORD, WordTable } from './symbols.ts';
import { ROOT, type TermTrieData } from './term-trie-builder.ts';
import { TextPool } from './text-pool.ts';

/** A term found in a text. */
export interface TermHit {
  /** The positions in the folded text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly entry: number;
}

/**
 * Finds terms in texts. At each position where a term may begin, it follows the trie as far as the text matches. For
 * whole words, terms and texts are sequences of words and other single characters, so most words of a text cost one
 * look-up. Otherwise they are sequences of UTF-16 units. A term without further symbols in common with others is
 * compared as text. The time is limited by the length of the longest term for each position. In practice, it is a few
 * symbols.
 */
export class TermTrie {
  readonly #nodes: Int32Array;
  readonly #entries: Int32Array;
  readonly #firstUnits: Uint8Array;
  readonly #size: number;
  readonly #texts: TextPool;
  readonly #words: WordTable;
  readonly #letters: Letters | undefined;

  /** @param letters as for the builder of the trie */
  constructor({ nodes, entries, texts, words, firstUnits }: TermTrieData, letters: Letters | undefined) {
    this.#nodes = nodes;
    this.#entries = entries;
    this.#firstUnits = firstUnits;
    this.#size = nodes.length / 3;
    this.#texts = new TextPool(texts);
    this.#words = new WordTable(words);
    this.#letters = letters;
  }

  /** Returns the term of an entry, as written in the dictionary. */
  term(entry: number): string {
    return this.#texts.read(this.#entries[entry * 4 + 1] as number);
  }

  /** Returns the payload of an entry, or the term if it has none. */
  payload(entry: number): string {
    const at = this.#entries[entry * 4 + 2] as number;
    return at < 0 ? this.term(entry) : this.#texts.read(at);
  }

  /** Returns the next entry with the same folded term, or -1 after the last one. */
  variant(entry: number): number {
    return this.#entries[entry * 4 + 3] as number;
  }

  /**
   * Returns all hits in a text, sorted by start, then by end.
   * @param text the folded text
   * @param last returns, after a hit, the last start position that still matters
   */
  find(text: string, last?: (hits: readonly TermHit[]) => number): TermHit[] {
    const hits: TermHit[] = [];
    const letters = this.#letters;
    const firstUnits = this.#firstUnits;
    let limit = text.length;
    let afterLetter = false;
    for (let start = 0; start < text.length && start <= limit; ) {
      const end = letters === undefined ? start : letters.runEnd(text, start);
      const isWord = end > start;
      const unit = text.charCodeAt(start);
      const possible = ((firstUnits[unit >> 3] as number) & (1 << (unit & 7))) !== 0;
      if (possible && (isWord || !afterLetter) && this.#follow(text, start, end, hits) && last !== undefined) {
        limit = last(hits);
      }
      afterLetter = isWord;
      start = isWord ? end : start + 1;
    }
    return hits;
  }

  /**
   * Adds the hits that begin at a position. Returns whether there are any.
   * @param wordEnd the end of the word at that position, or the position itself if there is no word
   */
  #follow(text: string, start: number, wordEnd: number, hits: TermHit[]): boolean {
    const nodes = this.#nodes;
    const letters = this.#letters;
    let node = ROOT;
    let end = wordEnd;
    let found = false;
    for (let position = start; ; ) {
      const symbol = end > position ? this.#words.symbol(text, position, end) : text.charCodeAt(position);
      if (symbol === UNKNOWN_WORD) return found;
      node = this.#child(node, symbol);
      if (node < 0) return found;
      position = end > position ? end : position + 1;
      const held = nodes[node * 3 + 2] as number;
      if (held > 0 && this.#isBoundary(text, position)) {
        hits.push({ start, end: position, entry: held - 1 });
        found = true;
      } else if (held < 0) return this.#followRest(text, start, position, -held - 1, hits) || found;
      if (position === text.length) return found;
      end = letters === undefined ? position : letters.runEnd(text, position);
    }
  }

  /** Adds the hit of an entry that was followed up to a position, if the rest of its term also matches. */
  #followRest(text: string, start: number, position: number, entry: number, hits: TermHit[]): boolean {
    const at = this.#entries[entry * 4] as number;
    const end = start + this.#texts.length(at);
    if (!this.#texts.standsIn(text, position, at, position - start) || !this.#isBoundary(text, end)) return false;
    hits.push({ start, end, entry });
    return true;
  }

  /** Returns whether a term may end at a position: there is no letter, or terms may be inside words. */
  #isBoundary(text: string, position: number): boolean {
    return this.#letters === undefined || position === text.length || !this.#letters.isAt(text, position);
  }

  #child(parent: number, symbol: number): number {
    const nodes = this.#nodes;
    const size = this.#size;
    for (let slot = slotOf(hashPair(parent, symbol), size); ; slot = slot + 1 === size ? 0 : slot + 1) {
      const found = nodes[slot * 3] as number;
      if (found === 0) return -1;
      if (found === parent + 2 && nodes[slot * 3 + 1] === symbol) return slot;
    }
  }
}

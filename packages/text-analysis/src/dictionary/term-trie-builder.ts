import { hashPair, slotOf, slotsFor } from './hashing.ts';
import type { Letters } from './letters.ts';
import { IntList, shared } from './shared-memory.ts';
import { WordNumbers, type WordTableData } from './symbols.ts';
import { TextPool } from './text-pool.ts';

/** The parent of the top nodes. */
export const ROOT = -1;
/** The content of a node without an entry. */
const NO_ENTRY = 0;

/** How a trie reads terms and texts. */
export interface TermSyntax {
  /** The letters of words. If undefined, terms are also found inside words. */
  readonly letters: Letters | undefined;
  /** Converts terms and texts to the form in which they are compared. It must keep the length of a text. */
  readonly fold: (text: string) => string;
}

/**
 * A trie of terms as plain data, in memory that threads can share. Each node is a slot of a hash table, and is found by
 * the slot of its parent and a symbol. Nodes have no list of children.
 */
export interface TermTrieData {
  /**
   * Triples: the slot of the parent plus 2 (the root is -1; 0 for a free slot), the symbol, and the content. The
   * content is 0 for nothing, n if entry n - 1 ends here, or -n if entry n - 1 is the only entry below, with its rest
   * unread.
   */
  readonly nodes: Int32Array;
  /** Quadruples: offsets of the folded term, the term and the payload (-1 means the term); the next variant or -1. */
  readonly entries: Int32Array;
  readonly texts: Uint8Array;
  readonly words: WordTableData;
  /** One bit for each UTF-16 unit: whether a folded term begins with it. */
  readonly firstUnits: Uint8Array;
}

/** Collects terms for a `TermTrie`. */
export class TermTrieBuilder {
  readonly #syntax: TermSyntax;
  readonly #texts = new TextPool();
  readonly #entries = new IntList();
  readonly #words = new WordNumbers();
  readonly #firstUnits = new Uint8Array(0x10000 / 8);
  // Nodes in the order of creation: parents have smaller numbers than their children.
  readonly #parents = new IntList();
  readonly #symbols = new IntList();
  readonly #held = new IntList();
  #slots: Int32Array = new Int32Array(1024);
  /** The offset after the last symbol of the current term. */
  #end = 0;

  constructor(syntax: TermSyntax) {
    this.#syntax = syntax;
  }

  /**
   * Adds a term, unless it is empty or exists. The first payload of a term counts.
   * @param payload the payload; undefined for the term itself
   * @param folded the form for the search, if the term is reported as written
   */
  add(term: string, payload: string | undefined, folded = term): void {
    if (folded === '') return;
    const first = folded.charCodeAt(0);
    this.#firstUnits[first >> 3] = (this.#firstUnits[first >> 3] as number) | (1 << (first & 7));
    let node = ROOT;
    for (let position = 0; ; ) {
      if (node !== ROOT && position === folded.length && this.#held.get(node) > NO_ENTRY) {
        this.#addVariant(this.#held.get(node) - 1, term, payload);
        return;
      }
      if (node !== ROOT && this.#held.get(node) < NO_ENTRY) {
        const other = -this.#held.get(node) - 1;
        if (this.#foldedOf(other) === folded) {
          this.#addVariant(other, term, payload);
          return;
        }
        this.#pushDown(node, other, position);
      }
      if (position === folded.length) {
        this.#held.set(node, this.#newEntry(term, payload, folded) + 1);
        return;
      }
      const symbol = this.#symbolAt(folded, position);
      position = this.#end;
      const child = this.#find(node, symbol);
      if (child < 0) {
        this.#held.set(this.#newNode(node, symbol), -this.#newEntry(term, payload, folded) - 1);
        return;
      }
      node = child;
    }
  }

  finish(): TermTrieData {
    const { table, symbols } = this.#words.finish();
    const count = this.#parents.length;
    const size = slotsFor(count);
    const nodes = new Int32Array(shared(size * 12));
    const slotOfNode = new Int32Array(count);
    for (let node = 0; node < count; node++) {
      const number = this.#parents.get(node);
      const parent = number === ROOT ? ROOT : (slotOfNode[number] as number);
      const read = this.#symbols.get(node);
      const symbol = read < 0 ? (symbols[-read - 1] as number) : read;
      let slot = slotOf(hashPair(parent, symbol), size);
      while (nodes[slot * 3] !== 0) slot = slot + 1 === size ? 0 : slot + 1;
      nodes[slot * 3] = parent + 2;
      nodes[slot * 3 + 1] = symbol;
      nodes[slot * 3 + 2] = this.#held.get(node);
      slotOfNode[node] = slot;
    }
    const firstUnits = new Uint8Array(shared(this.#firstUnits.length));
    firstUnits.set(this.#firstUnits);
    return { nodes, entries: this.#entries.share(), texts: this.#texts.share(), words: table, firstUnits };
  }

  /** Turns the first symbol of the only entry below a node into a separate node. */
  #pushDown(node: number, entry: number, position: number): void {
    const folded = this.#foldedOf(entry);
    if (position === folded.length) {
      this.#held.set(node, entry + 1);
      return;
    }
    this.#held.set(node, NO_ENTRY);
    this.#held.set(this.#newNode(node, this.#symbolAt(folded, position)), -entry - 1);
  }

  /** Adds a term whose folded form exists, such as `Rose` after `rose`. Does nothing if the term itself exists. */
  #addVariant(entry: number, term: string, payload: string | undefined): void {
    for (let last = entry; ; ) {
      if (this.#texts.read(this.#entries.get(last * 4 + 1)) === term) return;
      const next = this.#entries.get(last * 4 + 3);
      if (next < 0) {
        const folded = this.#entries.get(entry * 4);
        this.#entries.set(last * 4 + 3, this.#pushEntry(folded, this.#texts.add(term), payload));
        return;
      }
      last = next;
    }
  }

  #newEntry(term: string, payload: string | undefined, folded: string): number {
    const at = this.#texts.add(folded);
    return this.#pushEntry(at, folded === term ? at : this.#texts.add(term), payload);
  }

  #pushEntry(folded: number, term: number, payload: string | undefined): number {
    const entry = this.#entries.push(folded) / 4;
    this.#entries.push(term);
    this.#entries.push(payload === undefined ? -1 : this.#texts.add(payload));
    this.#entries.push(-1);
    return entry;
  }

  #foldedOf(entry: number): string {
    return this.#texts.read(this.#entries.get(entry * 4));
  }

  /** Returns the symbol at a position: a unit, or a negative number for a word (a run of letters). Sets `end`. */
  #symbolAt(text: string, position: number): number {
    this.#end = this.#syntax.letters?.runEnd(text, position) ?? position;
    if (this.#end > position) return -this.#words.number(text, position, this.#end) - 1;
    this.#end++;
    return text.charCodeAt(position);
  }

  #newNode(parent: number, symbol: number): number {
    const node = this.#parents.push(parent);
    this.#symbols.push(symbol);
    this.#held.push(NO_ENTRY);
    if (slotsFor(node + 1) <= this.#slots.length) this.#occupy(node);
    else {
      this.#slots = new Int32Array(this.#slots.length * 2);
      for (let i = 0; i <= node; i++) this.#occupy(i);
    }
    return node;
  }

  #occupy(node: number): void {
    const slots = this.#slots;
    let slot = slotOf(hashPair(this.#parents.get(node), this.#symbols.get(node)), slots.length);
    while (slots[slot] !== 0) slot = slot + 1 === slots.length ? 0 : slot + 1;
    slots[slot] = node + 1;
  }

  #find(parent: number, symbol: number): number {
    const slots = this.#slots;
    for (let slot = slotOf(hashPair(parent, symbol), slots.length); ; slot = slot + 1 === slots.length ? 0 : slot + 1) {
      const node = (slots[slot] as number) - 1;
      if (node < 0 || (this.#parents.get(node) === parent && this.#symbols.get(node) === symbol)) return node;
    }
  }
}

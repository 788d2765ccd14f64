/**
 * The maximum number of keywords for a native expression that searches for any of them. It is several times faster than
 * the table, and most texts contain no keyword.
 */
const MAX_EXPECTED = 32;

/**
 * Finds keywords in texts as whole words, all in one pass, with the automaton of Aho and Corasick (1975). Its table is
 * dense over the characters of the keywords. Texts and keywords are compared by UTF-16 units.
 */
export class KeywordMatcher {
  /** The column of each UTF-16 unit in the table, or 0 for units that occur in no keyword. */
  readonly #columns: Uint16Array;
  readonly #width: number;
  /** The next state for a state (a row) and a unit (a column). State 0 is the start. */
  readonly #next: Int32Array;
  /** The length of the keyword of a state, or 0 if the state is only the beginning of keywords. */
  readonly #keywordLength: Int32Array;
  /** The state of the longest suffix of a state's text that begins a keyword. */
  readonly #suffix: Int32Array;
  /** The state of the longest keyword at the end of a state's text, often the state itself, or 0. */
  readonly #ending: Int32Array;
  /** A text with a keyword must match this expression. Undefined if there are too many keywords. */
  readonly #expected: RegExp | undefined;

  /** @param ignoreCase true to compare lower-case forms, for each unit separately. Empty keywords are ignored. */
  constructor(keywords: readonly string[], ignoreCase: boolean) {
    const alphabet = new Map<number, number>();
    const children: Map<number, number>[] = [new Map()];
    const lengths = [0];
    const fold = ignoreCase ? lowerCaseUnits() : undefined;
    for (const keyword of keywords) {
      let state = 0;
      for (let i = 0; i < keyword.length; i++) {
        const unit = keyword.charCodeAt(i);
        const folded = fold === undefined ? unit : (fold[unit] as number);
        const column = alphabet.get(folded) ?? alphabet.size + 1;
        alphabet.set(folded, column);
        const row = children[state] as Map<number, number>;
        state = row.get(column) ?? children.push(new Map()) - 1;
        row.set(column, state);
        if (state === lengths.length) lengths.push(0);
      }
      lengths[state] = keyword.length;
    }
    this.#columns = new Uint16Array(0x10000);
    if (fold === undefined) for (const [unit, column] of alphabet) this.#columns[unit] = column;
    else for (let unit = 0; unit < 0x10000; unit++) this.#columns[unit] = alphabet.get(fold[unit] as number) ?? 0;
    this.#width = alphabet.size + 1;
    this.#keywordLength = Int32Array.from(lengths);
    this.#suffix = new Int32Array(children.length);
    this.#ending = new Int32Array(children.length);
    this.#next = new Int32Array(children.length * this.#width);
    this.#link(children);
    if (keywords.length <= MAX_EXPECTED) this.#expected = expectation(keywords, this.#columns);
  }

  /**
   * Returns whether the text contains a keyword without a letter directly before or after it. Digits and `_` are no
   * letters.
   */
  containsWord(text: string): boolean {
    const columns = this.#columns;
    const width = this.#width;
    const next = this.#next;
    const keywordLength = this.#keywordLength;
    const suffix = this.#suffix;
    const ending = this.#ending;
    // No keyword begins before the first match, as a whole word or not.
    const from = this.#expected === undefined ? 0 : text.search(this.#expected);
    if (from < 0) return false;
    let state = 0;
    for (let i = from; i < text.length; i++) {
      state = next[state * width + (columns[text.charCodeAt(i)] as number)] as number;
      let keyword = ending[state] as number;
      if (keyword === 0 || (i + 1 < text.length && isAlphabetic(text.charCodeAt(i + 1)))) continue;
      for (; keyword !== 0; keyword = ending[suffix[keyword] as number] as number) {
        const start = i + 1 - (keywordLength[keyword] as number);
        if (start === 0 || !isAlphabetic(text.charCodeAt(start - 1))) return true;
      }
    }
    return false;
  }

  /** Fills the table, breadth first. If a keyword does not continue, the state of its longest suffix continues. */
  #link(children: readonly Map<number, number>[]): void {
    const width = this.#width;
    const next = this.#next;
    const keywordLength = this.#keywordLength;
    const suffix = this.#suffix;
    const ending = this.#ending;
    const queue = [0];
    for (const state of queue) {
      const row = state * width;
      const fallback = (suffix[state] as number) * width;
      if (state !== 0) next.copyWithin(row, fallback, fallback + width);
      ending[state] = keywordLength[state] === 0 ? (ending[suffix[state] as number] as number) : state;
      for (const [column, child] of children[state] as Map<number, number>) {
        if (state !== 0) suffix[child] = next[fallback + column] as number;
        next[row + column] = child;
        queue.push(child);
      }
    }
  }
}

/** Returns an expression for any of the keywords. Each unit matches all units of the same column. */
function expectation(keywords: readonly string[], columns: Uint16Array): RegExp {
  const classes = new Map<number, string>();
  for (const [unit, column] of columns.entries()) {
    if (column > 0) classes.set(column, `${classes.get(column) ?? ''}\\u${unit.toString(16).padStart(4, '0')}`);
  }
  const pattern = (keyword: string) =>
    Array.from({ length: keyword.length }, (_, i) => `[${classes.get(columns[keyword.charCodeAt(i)] as number)}]`);
  // The flag `u` is not set, because the table uses units, not surrogate pairs.
  return new RegExp(
    keywords
      .filter((keyword) => keyword !== '')
      .map((keyword) => pattern(keyword).join(''))
      .join('|'),
  );
}

/** Returns whether a single UTF-16 unit is a letter (alphabetic in Unicode). Surrogates are not letters. */
function isAlphabetic(unit: number): boolean {
  if (unit < 0x80) return (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
  return /^\p{Alphabetic}$/u.test(String.fromCharCode(unit));
}

let lowerCase: Uint16Array | undefined;

/** Returns the lower-case form of every single UTF-16 unit. */
function lowerCaseUnits(): Uint16Array {
  lowerCase ??= Uint16Array.from({ length: 0x10000 }, (_, unit) =>
    String.fromCharCode(unit).toLowerCase().charCodeAt(0),
  );
  return lowerCase;
}

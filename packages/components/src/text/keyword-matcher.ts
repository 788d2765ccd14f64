/**
 * Finds keywords in texts as whole words, all of them in one pass: the automaton of Aho and Corasick (1975), as a
 * dense table over the characters that occur in keywords. Texts and keywords are compared by UTF-16 units.
 */
export class KeywordMatcher {
  /** The column of each UTF-16 unit in the table; 0 for units that occur in no keyword. */
  private readonly columns: Uint16Array;
  private readonly width: number;
  /** The state that follows a state (a row) on a unit (a column). State 0 is the start. */
  private readonly next: Int32Array;
  /** The length of the keyword that ends in a state; 0 when there is none. */
  private readonly keywordLength: Int32Array;
  /** The state of the next shorter keyword that ends where this state's text ends; 0 when there is none. */
  private readonly shorter: Int32Array;

  /** @param ignoreCase compare lower-case forms, each unit by itself. Empty keywords are passed over. */
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
    this.columns = new Uint16Array(0x10000);
    if (fold === undefined) for (const [unit, column] of alphabet) this.columns[unit] = column;
    else for (let unit = 0; unit < 0x10000; unit++) this.columns[unit] = alphabet.get(fold[unit] as number) ?? 0;
    this.width = alphabet.size + 1;
    this.keywordLength = Int32Array.from(lengths);
    this.shorter = new Int32Array(children.length);
    this.next = this.link(children);
  }

  /** Whether a keyword stands in the text with no letter right before or after it. Digits and `_` are no letters. */
  containsWord(text: string): boolean {
    const { columns, width, next, keywordLength, shorter } = this;
    let state = 0;
    for (let i = 0; i < text.length; i++) {
      state = next[state * width + (columns[text.charCodeAt(i)] as number)] as number;
      let ending = keywordLength[state] === 0 ? (shorter[state] as number) : state;
      if (ending === 0 || (i + 1 < text.length && isAlphabetic(text.charCodeAt(i + 1)))) continue;
      for (; ending !== 0; ending = shorter[ending] as number) {
        const start = i + 1 - (keywordLength[ending] as number);
        if (start === 0 || !isAlphabetic(text.charCodeAt(start - 1))) return true;
      }
    }
    return false;
  }

  /** Fills the table, breadth first: where a keyword does not go on, the state of its longest suffix does. */
  private link(children: readonly Map<number, number>[]): Int32Array {
    const { width, keywordLength, shorter } = this;
    const next = new Int32Array(children.length * width);
    const suffix = new Int32Array(children.length);
    const queue = [0];
    for (const state of queue) {
      const fallback = suffix[state] as number;
      if (state !== 0) next.copyWithin(state * width, fallback * width, (fallback + 1) * width);
      for (const [column, child] of children[state] as Map<number, number>) {
        const longest = state === 0 ? 0 : (next[fallback * width + column] as number);
        suffix[child] = longest;
        shorter[child] = keywordLength[longest] === 0 ? (shorter[longest] as number) : longest;
        next[state * width + column] = child;
        queue.push(child);
      }
    }
    return next;
  }
}

/** Whether a UTF-16 unit is a letter by itself, in Unicode's sense of alphabetic; halves of pairs are not. */
function isAlphabetic(unit: number): boolean {
  if (unit < 0x80) return (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
  return /^\p{Alphabetic}$/u.test(String.fromCharCode(unit));
}

let lowerCase: Uint16Array | undefined;

/** The lower-case form of every UTF-16 unit by itself. */
function lowerCaseUnits(): Uint16Array {
  lowerCase ??= Uint16Array.from({ length: 0x10000 }, (_, unit) =>
    String.fromCharCode(unit).toLowerCase().charCodeAt(0),
  );
  return lowerCase;
}

/** Matches a backslash or a control character, except line ends. */
const SPECIAL = /[\\\0-\x09\x0b\x0c\x0e-\x1f]/;

/**
 * A text from which the values of columns were cut. One search in it, the first time it is needed, replaces the search
 * for characters that must be escaped in each value.
 */
export class SourceText {
  readonly #text: string;
  readonly #others: readonly string[];
  /** True if the text is known to have no control characters except line ends. */
  readonly #lineEndsOnly: boolean;
  #isPlain: boolean | undefined = undefined;

  /** @param others which of a quote and the line ends the values may contain, if the text does */
  constructor(text: string, others: readonly ('"' | '\n' | '\r')[], lineEndsOnly = false) {
    this.#text = text;
    this.#others = others;
    this.#lineEndsOnly = lineEndsOnly;
  }

  /** True if JSON and CSV can contain the values between quotes as they are. */
  get isPlain(): boolean {
    const text = this.#text;
    this.#isPlain ??=
      !(this.#lineEndsOnly ? text.includes('\\') : SPECIAL.test(text)) &&
      text.isWellFormed() &&
      !this.#others.some((character) => text.includes(character));
    return this.#isPlain;
  }
}

/** The texts from which the texts of several documents were cut. Their other values have another origin. */
export class SourceTexts {
  readonly #texts: SourceText[] = [];

  add(text: SourceText): void {
    if (this.#texts.at(-1) !== text) this.#texts.push(text);
  }

  /** True if JSON and CSV can contain the texts of the documents between quotes as they are. */
  get isPlain(): boolean {
    return this.#texts.every(({ isPlain }) => isPlain);
  }
}

/** Returns whether each value is a text or missing. */
export function hasOnlyTexts(column: readonly unknown[]): boolean {
  for (let row = 0; row < column.length; row++) {
    const value = column[row];
    if (typeof value !== 'string' && value !== undefined) return false;
  }
  return true;
}

/** Matches what JSON must escape, except halves of surrogate pairs. */
const ESCAPED = /["\\\0-\x1f]/;
/** The average length of texts that `writeValue` writes faster than this search finds nothing. */
const LONG = 100;

/**
 * Returns whether each value is missing, or a short text that JSON can contain without escapes. It searches all values
 * together, which is much faster than one by one. False for texts that are long on average.
 */
export function isPlainText(column: readonly unknown[]): boolean {
  // All documents of a file have the same path and the same run.
  const [first] = column;
  if (typeof first === 'string' && column.every((value) => value === first)) return isPlain(first);
  let characters = 0;
  for (let row = 0; row < column.length; row++) {
    const value = column[row];
    if (typeof value === 'string') characters += value.length;
    else if (value !== undefined) return false;
  }
  if (characters > LONG * column.length) return false;
  // The blank separates halves of a surrogate pair at the end of one text and the start of the next.
  return isPlain(column.join(' '));
}

function isPlain(text: string): boolean {
  return !ESCAPED.test(text) && text.isWellFormed();
}

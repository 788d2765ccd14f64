/** Matches a backslash or a control character. Line ends are missing, because a source tells where its values have them. */
const SPECIAL = /[\\\0-\x09\x0b\x0c\x0e-\x1f]/;

/**
 * A text from which the values of columns were cut. One search in it, at the time when somebody asks, replaces the search
 * for characters that must be escaped in each value.
 */
export class SourceText {
  readonly #text: string;
  readonly #others: readonly string[];
  #isPlain: boolean | undefined = undefined;

  /** @param others which of a quote and the line ends the values may contain, if the text does */
  constructor(text: string, others: readonly ('"' | '\n' | '\r')[]) {
    this.#text = text;
    this.#others = others;
  }

  /** True if JSON and CSV can contain the values between quotes as they are. */
  get isPlain(): boolean {
    const text = this.#text;
    this.#isPlain ??=
      !SPECIAL.test(text) && text.isWellFormed() && !this.#others.some((character) => text.includes(character));
    return this.#isPlain;
  }
}

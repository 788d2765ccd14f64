const UNKNOWN = 0;
const NO_LETTER = 1;
const LETTER = 2;
/** The first half of a surrogate pair, which may be a letter together with the second half. */
const PAIR = 3;

/** Decides which characters form words. */
export class Letters {
  readonly #letter: RegExp;
  readonly #pairs: boolean;
  /** The kind of each UTF-16 unit, filled on demand. */
  readonly #kinds = new Uint8Array(0x10000);

  /**
   * @param letter matches a letter
   * @param pairs true if characters of two UTF-16 units can be letters
   */
  constructor(letter: RegExp, pairs: boolean) {
    this.#letter = letter;
    this.#pairs = pairs;
  }

  /** Returns the end of the letters at a position, or the position itself if there is no letter. */
  runEnd(text: string, position: number): number {
    const kinds = this.#kinds;
    const { length } = text;
    for (let at = position; at < length; at++) {
      const unit = text.charCodeAt(at);
      const kind = kinds[unit] as number;
      if (kind === LETTER) continue;
      if (kind === NO_LETTER || !this.#isLetter(text, at, unit)) return at;
      if (kinds[unit] === PAIR) at++;
    }
    return length;
  }

  /** Returns whether a letter begins at a position, which is within the text. */
  isAt(text: string, position: number): boolean {
    const unit = text.charCodeAt(position);
    const kind = this.#kinds[unit] as number;
    return kind === LETTER || (kind !== NO_LETTER && this.#isLetter(text, position, unit));
  }

  #isLetter(text: string, position: number, unit: number): boolean {
    const kinds = this.#kinds;
    const letter = this.#letter;
    if (kinds[unit] === UNKNOWN) {
      const isPair = this.#pairs && unit >= 0xd800 && unit <= 0xdbff;
      kinds[unit] = isPair ? PAIR : letter.test(String.fromCharCode(unit)) ? LETTER : NO_LETTER;
    }
    if (kinds[unit] !== PAIR) return kinds[unit] === LETTER;
    return letter.test(String.fromCodePoint(text.codePointAt(position) as number));
  }
}

/**
 * Counts the alphabetic characters of Unicode as letters, including vowel signs, if they have one UTF-16 unit.
 */
export const alphabeticUnits = new Letters(/^\p{Alphabetic}$/u, false);

/** Counts Unicode's category L as letters, in all planes. Vowel signs and other marks are not letters. */
export const letterCodePoints = new Letters(/^\p{L}$/u, true);

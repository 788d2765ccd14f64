const UNKNOWN = 0;
const NO_LETTER = 1;
const LETTER = 2;

/** Tells which characters make words. */
export interface Letters {
  /** How many UTF-16 units the letter at a position has; 0 when there is none, or the text ends there. */
  lengthAt(text: string, position: number): number;
}

/** Letters are what Unicode calls alphabetic, vowel signs included; only characters of one UTF-16 unit count. */
export const alphabeticUnits: Letters = tableOf(/^\p{Alphabetic}$/u, false);

/** Letters are those of Unicode's category L, in all planes; vowel signs and other marks are none. */
export const letterCodePoints: Letters = tableOf(/^\p{L}$/u, true);

function tableOf(letter: RegExp, pairs: boolean): Letters {
  const kinds = new Uint8Array(0x10000);
  const kindOf = (unit: number) => {
    const kind = letter.test(String.fromCharCode(unit)) ? LETTER : NO_LETTER;
    kinds[unit] = kind;
    return kind;
  };
  return {
    lengthAt(text, position) {
      if (position >= text.length) return 0;
      const unit = text.charCodeAt(position);
      const kind = kinds[unit] as number;
      if (kind === LETTER) return 1;
      if (unit < 0xd800 || unit > 0xdbff || !pairs) return kind === UNKNOWN && kindOf(unit) === LETTER ? 1 : 0;
      const codePoint = text.codePointAt(position) as number;
      return codePoint > 0xffff && letter.test(String.fromCodePoint(codePoint)) ? 2 : 0;
    },
  };
}

/** The tests of `java.lang.Character` for one UTF-16 unit, as OpenNLP uses them. */

const WHITESPACE = /^[\t-\r\u001c-\u001f\p{Z}]$/u;
const LETTER = /^\p{L}$/u;
const UPPER_CASE = /^\p{Uppercase}$/u;
const DIGIT = /^\p{Nd}$/u;
const ALPHABETIC = /^\p{Alphabetic}$/u;

export function isWhitespace(unit: string): boolean {
  return WHITESPACE.test(unit);
}

export function isLetter(unit: string): boolean {
  return LETTER.test(unit);
}

export function isUpperCase(unit: string): boolean {
  return UPPER_CASE.test(unit);
}

export function isDigit(unit: string): boolean {
  return DIGIT.test(unit);
}

export function isAlphabetic(unit: string): boolean {
  return ALPHABETIC.test(unit);
}

/** Returns the text in lower case, one code point for each code point: İ becomes i. */
export function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  // Without special characters, both have the same length, so the whole text can be converted.
  if (lower.length === text.length && !/[Σ]/.test(text)) return lower;
  return Array.from(text, (character) => String.fromCodePoint(character.toLowerCase().codePointAt(0) as number)).join(
    '',
  );
}

const SENTENCE_START = /(?:^|(?<=[.?!] ))\S/gu;

/**
 * Returns the text in lower case, the first character of each word in title case. Words begin after white space only.
 */
export function titleCase(text: string): string {
  const lower = text.toLowerCase();
  let result = '';
  let copied = 0;
  let inWord = false;
  for (let i = 0; i < lower.length; i++) {
    const code = lower.charCodeAt(i);
    if (isWhitespace(code)) inWord = false;
    else if (!inWord) {
      inWord = true;
      // Most words begin with such a letter.
      const plain = code >= 97 && code <= 122;
      const character = plain ? '' : String.fromCodePoint(lower.codePointAt(i) as number);
      result += lower.slice(copied, i) + (plain ? String.fromCharCode(code - 32) : titleCharacter(character));
      copied = i + (plain ? 1 : character.length);
    }
  }
  return result + lower.slice(copied);
}

/**
 * Returns the text in lower case, with a capital at the start and after each `.`, `?` or `!` with one blank after it.
 */
export function sentenceCase(text: string): string {
  return text.toLowerCase().replace(SENTENCE_START, upperCharacter);
}

/** Returns Java's `Character.isWhitespace`, which excludes no-break spaces. */
function isWhitespace(code: number): boolean {
  if (code < 0x80) return code === 32 || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
  return (
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a && code !== 0x2007) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x205f ||
    code === 0x3000
  );
}

/** Returns the upper case form of a character if it is one character, else the character itself (`ß`). */
function upperCharacter(character: string): string {
  const upper = character.toUpperCase();
  return upper.length === character.length ? upper : character;
}

const DIGRAPHS: ReadonlyMap<string, string> = new Map([
  ['ǆ', 'ǅ'],
  ['ǉ', 'ǈ'],
  ['ǌ', 'ǋ'],
  ['ǳ', 'ǲ'],
]);

/**
 * Returns the title case form of a character in lower case, by Unicode's simple mapping, which JavaScript does not
 * have.
 */
function titleCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x80) return character.toUpperCase();
  // Georgian letters have capitals, but titles do not use them.
  if (code >= 0x10d0 && code <= 0x10ff) return character;
  // Greek vowels with an iota have a title form of one character, but upper case of two.
  if (code >= 0x1f80 && code <= 0x1faf) return String.fromCharCode(code | 8);
  if (code === 0x1fb3 || code === 0x1fc3 || code === 0x1ff3) return String.fromCharCode(code + 9);
  return DIGRAPHS.get(character) ?? upperCharacter(character);
}

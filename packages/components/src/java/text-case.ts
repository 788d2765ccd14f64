// Java's white space (Character.isWhitespace), behind which a word begins: no-break spaces do not count.
const WORD_START = /(?<![^\t-\r\u001c-\u0020\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000])\S/gu;
const SENTENCE_START = /(?:^|(?<=[.?!] ))\S/gu;

/** The text in lower case, the first character of each word in title case. Words begin after white space only. */
export function titleCase(text: string): string {
  return text.toLowerCase().replace(WORD_START, titleCharacter);
}

/** The text in lower case, with a capital at its start and behind each `.`, `?` or `!` that one blank follows. */
export function sentenceCase(text: string): string {
  return text.toLowerCase().replace(SENTENCE_START, upperCharacter);
}

/** The upper case form of a character when that is one character too, else the character itself (`ß`). */
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

/** The title case form of a character in lower case, by Unicode's simple mapping, which JavaScript does not have. */
function titleCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x80) return character.toUpperCase();
  // Georgian letters have capitals, but no titles are written with them.
  if (code >= 0x10d0 && code <= 0x10ff) return character;
  // Greek vowels with an iota have a title form of one character, but upper case of two.
  if (code >= 0x1f80 && code <= 0x1faf) return String.fromCharCode(code | 8);
  if (code === 0x1fb3 || code === 0x1fc3 || code === 0x1ff3) return String.fromCharCode(code + 9);
  return DIGRAPHS.get(character) ?? upperCharacter(character);
}

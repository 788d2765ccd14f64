/** The possible meanings of a byte in XML. A byte may have several. */
export const NAME_START = 1;
export const NAME = 2;
export const SPACE = 4;

/**
 * The meaning of each UTF-8 byte. Bytes of longer characters count as parts of names, without a check whether a name
 * may contain the character.
 */
export const MEANING: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte);
  if (byte >= 0x80 || /[A-Za-z_:]/.test(char)) return NAME_START | NAME;
  if (/[0-9.-]/.test(char)) return NAME;
  return /[ \t\r\n]/.test(char) ? SPACE : 0;
});

/** The bytes that end a run of plain characters in an attribute value. */
export const VALUE_STOPS: Uint8Array = stops('<&"\'');

/** Returns which bytes are one of these characters, or a line end (to count lines) or control character. */
export function stops(chars: string): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => {
    const char = String.fromCharCode(byte);
    return chars.includes(char) || (byte < 32 && char !== '\t' && char !== '\r') ? 1 : 0;
  });
}

export const LF = 10;
export const CR = 13;
export const EXCLAMATION = 33;
export const DOUBLE_QUOTE = 34;
export const HASH = 35;
export const AMPERSAND = 38;
export const SINGLE_QUOTE = 39;
export const SLASH = 47;
export const SEMICOLON = 59;
export const LESS = 60;
export const EQUALS = 61;
export const GREATER = 62;
export const QUESTION = 63;
export const OPEN_BRACKET = 91;
export const CLOSE_BRACKET = 93;

/** Returns whether these bytes are at this position, up to the end of the available bytes. */
export function startsWith(bytes: Uint8Array, at: number, to: number, start: Uint8Array): boolean {
  for (let i = 0; i < start.length && at + i < to; i++) if (bytes[at + i] !== start[i]) return false;
  return true;
}

/** Returns whether two ranges have the same bytes. */
export function sameBytes(bytes: Uint8Array, from: number, to: number, otherFrom: number, otherTo: number): boolean {
  if (to - from !== otherTo - otherFrom) return false;
  for (let i = 0; i < to - from; i++) if (bytes[from + i] !== bytes[otherFrom + i]) return false;
  return true;
}

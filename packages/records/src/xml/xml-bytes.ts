/** The possible meanings of a byte in XML. Several may apply at once. */
export const NAME_START = 1;
export const NAME = 2;
export const SPACE = 4;

/**
 * The meaning of each byte of UTF-8. Bytes of longer characters count as parts of names; whether a name may contain
 * them is not checked.
 */
export const MEANING: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte);
  if (byte >= 0x80 || /[A-Za-z_:]/.test(char)) return NAME_START | NAME;
  if (/[0-9.-]/.test(char)) return NAME;
  return /[ \t\r\n]/.test(char) ? SPACE : 0;
});

/** The bytes that end a run of plain text, including line ends (for counting) and control characters. */
export const TEXT_STOPS: Uint8Array = stops('<&]');

/** The bytes that end a run of plain characters in the value of an attribute. */
export const VALUE_STOPS: Uint8Array = stops('<&"\'');

function stops(chars: string): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => {
    const char = String.fromCharCode(byte);
    return chars.includes(char) || (byte < 32 && char !== '\t' && char !== '\r') ? 1 : 0;
  });
}

export const LF = 10;
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

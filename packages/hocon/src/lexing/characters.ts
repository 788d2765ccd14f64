/** The classes of the characters below 128: characters that end unquoted text, and white space. */
export const RESERVED = 1;
export const SPACE = 2;

export const asciiClass = new Uint8Array(128);
for (const c of '$"{}[]:=,+#`^?!@*&\\') asciiClass[c.charCodeAt(0)] = RESERVED;
for (const c of '\t\n\v\f\r\x1c\x1d\x1e\x1f ') asciiClass[c.charCodeAt(0)] = SPACE;

/**
 * Returns true for white space as the reference defines it: every Unicode space and separator, and the byte-order mark.
 */
export function isSpace(code: number): boolean {
  if (code < 128) return asciiClass[code] === SPACE;
  return (
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

/**
 * Returns true for characters that end unquoted text: reserved characters and white space. The caller checks for
 * comments.
 */
export function endsWord(code: number): boolean {
  return code < 128 ? asciiClass[code] !== 0 : isSpace(code);
}

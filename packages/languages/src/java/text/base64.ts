const STANDARD = /^[A-Za-z0-9+/]*={0,2}$/;

/** Matches one or several base64 texts in sequence, each with its padding. */
const SEVERAL = /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)*$/;

/**
 * Decodes one or several texts of standard base64 in sequence. White space is ignored.
 * Returns undefined if the text is not base64 or lacks padding.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replace(/\s+/g, '');
  if (compact.length % 4 !== 0) return undefined;
  if (STANDARD.test(compact)) return Buffer.from(compact, 'base64');
  if (!SEVERAL.test(compact)) return undefined;
  return Buffer.concat((compact.match(/[^=]+=*/g) ?? []).map((one) => Buffer.from(one, 'base64')));
}

/**
 * Returns the number of bytes that a text in padded standard base64 encodes, by the rules of Jackson: white space is
 * allowed only between groups of four characters, and padding can end any group.
 * Returns undefined if the text is not base64.
 */
export function base64Size(text: string): number | undefined {
  // Fast path: most texts have neither white space nor inner padding.
  if (text.length % 4 === 0 && STANDARD.test(text)) return Buffer.byteLength(text, 'base64');
  let size = 0;
  let at = 0;
  for (;;) {
    while (at < text.length && text.charCodeAt(at) <= 32) at++;
    if (at >= text.length) return size;
    if (at + 4 > text.length || !isDigit(text, at) || !isDigit(text, at + 1)) return undefined;
    const padded = text[at + 3] === '=';
    if (!padded && !isDigit(text, at + 3)) return undefined;
    if (padded && text[at + 2] === '=') size += 1;
    else if (!isDigit(text, at + 2)) return undefined;
    else size += padded ? 2 : 3;
    at += 4;
  }
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 47 && code <= 57) || code === 43;
}

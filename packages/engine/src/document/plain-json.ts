/** Texts up to this length are not checked: in the worst case the parser needs about 50 MiB for one. */
const MAX_UNCHECKED = 1024 * 1024;
/** The maximum nesting of a longer text. */
const MAX_DEPTH = 1000;

/**
 * Returns the value of a JSON text of a server, a file or a document, as `JSON.parse` does. Throws a `SyntaxError`.
 *
 * The parser of V8 keeps about 50 bytes outside its heap for each list and object that is open. So 50 MB of opening
 * brackets would need 2.7 GB that no limit of the thread covers. A long text that is nested deeply is refused.
 */
export function parseJson(text: string): unknown {
  if (text.length > MAX_UNCHECKED && isDeep(text)) {
    throw new SyntaxError(`The JSON is nested deeper than ${MAX_DEPTH} levels`);
  }
  return JSON.parse(text);
}

function isDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c === 34) {
      at = endOfString(text, at);
    } else if (c === 91 || c === 123) {
      if (++depth > MAX_DEPTH) return true;
    } else if (c === 93 || c === 125) {
      depth--;
    }
  }
  return false;
}

/** Returns the offset of the quote that ends the string, or the length of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c === 34) return at;
    if (c === 92) at++;
  }
  return text.length;
}

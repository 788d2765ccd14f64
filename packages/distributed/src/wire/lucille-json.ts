/** The escapes of a JSON text: codes of control characters, and single characters. */
const ESCAPE = /\\(?:u00..|.)/g;

/**
 * Returns a JSON text with the bytes that Lucille writes. Its library (Jackson) writes the codes of control characters
 * in capitals: `\u001F`, not `\u001f`.
 */
export function lucilleJson(json: string): string {
  return json.includes('\\u00') ? json.replace(ESCAPE, withCapitals) : json;
}

function withCapitals(code: string): string {
  return code.length === 2 ? code : `\\u${code.slice(2).toUpperCase()}`;
}

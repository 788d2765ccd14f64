/** The approximate size of a piece in characters. The tokenizer needs time in the square of the length of a word. */
const PIECE = 2048;
/** In documents, names such as `<|endoftext|>` are plain text. */
const PLAIN = { disallowedSpecial: new Set<string>() };

/**
 * Returns the longest start of a text with at most `limit` tokens of `cl100k_base`, the encoding of OpenAI's embedding
 * models. The start ends with a whole character.
 * The tokenizer is loaded only for texts that may be too long: a token has at least one byte.
 */
export async function cutToTokens(text: string, limit: number): Promise<string> {
  if (Buffer.byteLength(text) <= limit) return text;
  const { encode } = await import('gpt-tokenizer/encoding/cl100k_base');
  const count = (piece: string) => encode(piece, PLAIN).length;
  let left = limit;
  for (let from = 0; from < text.length; ) {
    const piece = text.slice(from, pieceEnd(text, from));
    const tokens = count(piece);
    if (tokens > left) return text.slice(0, from) + startOf(piece, left, count);
    left -= tokens;
    from += piece.length;
  }
  return text;
}

/**
 * Returns the end of a piece: before the last blank after a word, where a token always ends, or else between two
 * characters.
 */
function pieceEnd(text: string, from: number): number {
  const far = from + PIECE;
  if (far >= text.length) return text.length;
  for (let at = far; at > from + 1; at--) {
    if (text[at] === ' ' && /[\p{L}\p{N}\p{P}]/u.test(text[at - 1] as string)) return at;
  }
  return isLowSurrogate(text, far) ? far - 1 : far;
}

/**
 * Finds the longest start with at most `limit` tokens by binary search. The library's decoder corrupts characters that
 * are cut.
 */
function startOf(text: string, limit: number, count: (text: string) => number): string {
  let fits = 0;
  for (let tooLong = text.length; tooLong - fits > 1; ) {
    const middle = (fits + tooLong) >>> 1;
    if (count(text.slice(0, middle)) <= limit) fits = middle;
    else tooLong = middle;
  }
  return text.slice(0, isLowSurrogate(text, fits) ? fits - 1 : fits);
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

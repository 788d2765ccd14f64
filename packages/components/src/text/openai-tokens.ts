/** Texts are encoded in pieces of about this many characters: the library takes the square of the length of a word. */
const PIECE = 2048;
/** Names such as `<|endoftext|>` are plain text in documents. */
const PLAIN = { disallowedSpecial: new Set<string>() };

/**
 * The start of a text that has at most so many tokens of `cl100k_base`, the encoding of OpenAI's embedding models; it ends
 * with a whole character. The tokenizer is loaded for texts that may be too long: a token has at least one byte.
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

/** The end of a piece: before the last blank that a word precedes, where tokens end in any case; otherwise between characters. */
function pieceEnd(text: string, from: number): number {
  const far = from + PIECE;
  if (far >= text.length) return text.length;
  for (let at = far; at > from + 1; at--) {
    if (text[at] === ' ' && /[\p{L}\p{N}\p{P}]/u.test(text[at - 1] as string)) return at;
  }
  return isLowSurrogate(text, far) ? far - 1 : far;
}

/** The longest start with at most so many tokens, found by halving; the library's own decoder mixes up characters that are cut. */
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

import iconv from 'iconv-lite';

/** The bytes that decide about the encoding. */
const SAMPLE_BYTES = 4096;
const ENCODINGS = ['UTF-32LE', 'UTF-32BE', 'UTF-16LE', 'UTF-16BE'];
/** Text has none of them: control characters, surrogates alone, and characters without a meaning. */
const NOT_TEXT = /[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\ufffd\p{Cs}\p{Co}\p{Cn}]/u;
/** Blanks, line ends and the punctuation of Chinese and Japanese. A few bytes of a binary file rarely have one. */
const SEPARATOR = /[ \t\r\n\u3000-\u3002]/;

/**
 * Returns the encoding of text in UTF-16 or UTF-32 without a byte-order mark. Returns undefined for other text, which
 * has no zero bytes, and for binary files.
 */
export function unmarkedUnicode(bytes: Uint8Array): string | undefined {
  const sample = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SAMPLE_BYTES));
  if (bytes.length % 2 === 1 || !sample.includes(0)) return undefined;
  let best: { readonly encoding: string; readonly blocks: number } | undefined;
  for (const encoding of ENCODINGS) {
    if (encoding.startsWith('UTF-32') && bytes.length % 4 !== 0) continue;
    // The sample may end between the two halves of a character.
    const text = iconv.decode(sample, encoding, { stripBOM: false }).replace(/[\ud800-\udbff]$/, '');
    if (NOT_TEXT.test(text) || !SEPARATOR.test(text)) continue;
    // With the wrong order of bytes, the characters are spread over many blocks of 256.
    const blocks = new Set(Array.from(text, (char) => (char.codePointAt(0) as number) >> 8)).size;
    if (best === undefined || blocks < best.blocks) best = { encoding, blocks };
  }
  return best?.encoding;
}

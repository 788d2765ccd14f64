const LF = 10;
const SPACE = 32;
const SHORT = 16;

/** The words that one call reads. A function that is called often is compiled once, a long loop twice. */
const BLOCK_WORDS = 4096;

/**
 * Returns true if UTF-8 text contains no control character below U+0020 except LF. Reads sixteen bytes together, which
 * takes a fraction of the time of a regular expression.
 */
export function hasNoControlsButLf(bytes: Uint8Array): boolean {
  const { buffer, byteOffset, length } = bytes;
  if (length < SHORT) return isClean(bytes, 0, length);
  const aligned = (4 - (byteOffset & 3)) & 3;
  const words = new Int32Array(buffer, byteOffset + aligned, (length - aligned) >> 2);
  const end = words.length & ~3;
  for (let start = 0; start < end; start += BLOCK_WORDS) {
    if (!areClean(words, start, Math.min(start + BLOCK_WORDS, end), bytes, aligned)) return false;
  }
  return isClean(bytes, 0, aligned) && isClean(bytes, aligned + end * 4, length);
}

function areClean(words: Int32Array, start: number, end: number, bytes: Uint8Array, aligned: number): boolean {
  for (let i = start; i < end; i += 4) {
    const found =
      lowBytes(words[i] as number) |
      lowBytes(words[i + 1] as number) |
      lowBytes(words[i + 2] as number) |
      lowBytes(words[i + 3] as number);
    if ((found & 0x80808080) === 0) continue;
    const at = aligned + i * 4;
    if (!isClean(bytes, at, at + 16)) return false;
  }
  return true;
}

/** Returns a word whose bytes have the highest bit if they are below 32, or to the left of such a byte. */
function lowBytes(word: number): number {
  return (word - 0x20202020) & ~word;
}

function isClean(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte < SPACE && byte !== LF) return false;
  }
  return true;
}

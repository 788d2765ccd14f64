import { isAscii, isUtf8 } from 'node:buffer';
import { labelDecoder } from './charset.ts';

/** The maximum size of the sample, which starts at the first byte that is not ASCII. */
export const SAMPLE_BYTES = 64 * 1024;
/** The number of bytes at the start that are checked for an encoding with two bytes per character. */
const HEAD_BYTES = 256;
/** A text with at least this many valid characters per invalid sequence is UTF-8 with a few broken bytes. */
const VALID_PER_BROKEN = 3;
/** The minimum confidence of a guess. Below it, a Western European encoding is more likely. */
const MIN_CONFIDENCE = 30;
const FALLBACK = 'windows-1252';
/** Encodings that were already excluded, because they have a byte-order mark or zero bytes. */
const WIDE = /^utf-(16|32)/i;
const ESCAPE = 0x1b;
const DOLLAR = 0x24;
/**
 * The replacement for a broken byte. A replacement character in the text counts as broken too, because it usually was.
 */
const REPLACEMENT = '\ufffd';

/** Longer marks are first, because the mark of UTF-32 begins like the mark of UTF-16. */
const MARKS: readonly (readonly [mark: string, encoding: string])[] = [
  ['0000feff', 'utf-32be'],
  ['fffe0000', 'utf-32le'],
  ['efbbbf', 'utf-8'],
  ['feff', 'utf-16be'],
  ['fffe', 'utf-16le'],
];

/** Returns the encoding of a byte-order mark, or undefined without a mark. A mark has at most four bytes. */
export function markedEncoding(head: Buffer): string | undefined {
  const start = head.toString('hex', 0, 4);
  return MARKS.find(([mark]) => start.startsWith(mark))?.[1];
}

/** Returns the UTF-16 variant of a text without a mark. Such a text is mostly ASCII, so every second byte is zero. */
export function unmarkedUtf16(head: Buffer): string | undefined {
  if (head.length < 2) return undefined;
  const zeros: [even: number, odd: number] = [0, 0];
  const length = Math.min(head.length, HEAD_BYTES);
  for (let i = 0; i < length; i++) if (head[i] === 0) zeros[(i % 2) as 0 | 1]++;
  const most = length / 2;
  if (zeros[1] > most * 0.6 && zeros[0] < most * 0.1) return 'utf-16le';
  if (zeros[0] > most * 0.6 && zeros[1] < most * 0.1) return 'utf-16be';
  return undefined;
}

/**
 * Returns the first position at which the remaining encodings differ: a byte that is not ASCII, or the escape of
 * two-byte text in ISO-2022. Returns -1 if there is none.
 */
export function firstTelling(bytes: Buffer): number {
  let at = bytes.indexOf(ESCAPE);
  while (at >= 0 && at + 1 < bytes.length && bytes[at + 1] !== DOLLAR) at = bytes.indexOf(ESCAPE, at + 1);
  if (isAscii(bytes)) return at;
  const end = at < 0 ? bytes.length : at;
  for (let i = 0; i < end; i++) if ((bytes[i] as number) > 0x7f) return i;
  return at;
}

/**
 * Guesses the encoding of a text without a mark. The sample has at most `SAMPLE_BYTES` and begins at the position that
 * `firstTelling` returns. A `utf-8` text may have a few broken bytes.
 */
export async function guessEncoding(sample: Buffer): Promise<string> {
  const isCut = sample.length === SAMPLE_BYTES;
  if (isMostlyUtf8(isCut ? withoutCutOff(sample) : sample)) return 'utf-8';
  const { analyse } = await import('chardet');
  const found = analyse(sample).find(({ confidence, name }) => confidence >= MIN_CONFIDENCE && !WIDE.test(name))?.name;
  return found !== undefined && labelDecoder(found) !== undefined ? standardName(found) : FALLBACK;
}

/**
 * Returns whether at least three of four sequences of non-ASCII bytes are valid UTF-8. In other encodings almost none
 * are valid, so one broken byte does not change the decoding of the rest of a file.
 */
function isMostlyUtf8(sample: Buffer): boolean {
  if (isAscii(sample)) return !sample.includes(ESCAPE);
  if (isUtf8(sample)) return true;
  let valid = 0;
  let broken = 0;
  for (const char of sample.toString()) {
    if (char === REPLACEMENT) broken++;
    else if (char > '\x7f') valid++;
  }
  return valid >= broken * VALID_PER_BROKEN;
}

/** Returns the name in the Encoding Standard, if it has one: a guess of ISO-8859-1 means windows-1252. */
function standardName(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return label.toLowerCase();
  }
}

/** Returns the sample without an incomplete character at its end. */
function withoutCutOff(sample: Buffer): Buffer {
  let start = sample.length - 1;
  while (start >= 0 && sample.length - start < 4 && ((sample[start] as number) & 0xc0) === 0x80) start--;
  const first = sample[start] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return sample.length - start < length ? sample.subarray(0, start) : sample;
}

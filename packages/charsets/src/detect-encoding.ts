import { isAscii, isUtf8 } from 'node:buffer';
import { labelDecoder } from './charset.ts';

/** So many bytes from the first one on that is not ASCII are looked at. */
export const SAMPLE_BYTES = 64 * 1024;
/** So many bytes at the beginning show whether there are two bytes a character. */
const HEAD_BYTES = 256;
/** So many valid characters for each place that is not UTF-8 show that a text is UTF-8 with a few broken bytes. */
const VALID_PER_BROKEN = 3;
/** A guess below this is worth less than the assumption that a text is Western European. */
const MIN_CONFIDENCE = 30;
const FALLBACK = 'windows-1252';
/** Encodings that a mark or zeros would have shown before. */
const WIDE = /^utf-(16|32)/i;
const ESCAPE = 0x1b;
const DOLLAR = 0x24;
/** What a broken byte becomes. One that the text has itself counts as broken, too: mostly it was. */
const REPLACEMENT = '\ufffd';

/** Longer marks first: that of UTF-32 begins like one of UTF-16. */
const MARKS: readonly (readonly [mark: string, encoding: string])[] = [
  ['0000feff', 'utf-32be'],
  ['fffe0000', 'utf-32le'],
  ['efbbbf', 'utf-8'],
  ['feff', 'utf-16be'],
  ['fffe', 'utf-16le'],
];

/** The encoding that a byte-order mark says; undefined without one. A mark has four bytes at most. */
export function markedEncoding(head: Buffer): string | undefined {
  const start = head.toString('hex', 0, 4);
  return MARKS.find(([mark]) => start.startsWith(mark))?.[1];
}

/** UTF-16 without a mark: mostly ASCII characters, so that every other byte is zero. */
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
 * Where the text shows first what it is encoded in: at a byte that is not ASCII, or at the escape that begins text of two
 * bytes a character in ISO-2022. Up to there all encodings that are left mean the same. -1 when nothing shows it.
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
 * What a text without a mark is encoded in, from a sample of at most `SAMPLE_BYTES` that begins where it shows. `utf-8` may
 * have a few broken bytes.
 */
export async function guessEncoding(sample: Buffer): Promise<string> {
  const isCut = sample.length === SAMPLE_BYTES;
  if (isMostlyUtf8(isCut ? withoutCutOff(sample) : sample)) return 'utf-8';
  const { analyse } = await import('chardet');
  const found = analyse(sample).find(({ confidence, name }) => confidence >= MIN_CONFIDENCE && !WIDE.test(name))?.name;
  return found !== undefined && labelDecoder(found) !== undefined ? standardName(found) : FALLBACK;
}

/**
 * Whether at least three of four places with bytes that are not ASCII are valid UTF-8. In other encodings hardly any are,
 * so one broken byte does not turn the rest of a file into other characters.
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

/** The name in the Encoding Standard, where it has one: a guess of ISO-8859-1 means windows-1252. */
function standardName(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return label.toLowerCase();
  }
}

/** Without the beginning of a character at the end of a sample. */
function withoutCutOff(sample: Buffer): Buffer {
  let start = sample.length - 1;
  while (start >= 0 && sample.length - start < 4 && ((sample[start] as number) & 0xc0) === 0x80) start--;
  const first = sample[start] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return sample.length - start < length ? sample.subarray(0, start) : sample;
}

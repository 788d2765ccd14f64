import { isAscii } from 'node:buffer';

const SHIFT_OUT = 0x0e;
/** The bytes that decide about HZ, from the first Chinese text on. */
const SAMPLE_BYTES = 64 * 1024;
const TILDE = '~';
/** Chinese in HZ: pairs of bytes of GB 2312 between `~{` and `~}`, in one line. */
const HZ_TEXT = /~\{((?:[!-w][!-~])+)~\}/g;
/** All other uses of the tilde in HZ. */
const HZ_OTHERS = /~~|~\r?\n/g;
/** Punctuation and the 3,755 frequent characters of GB 2312, by their first bytes. */
const FREQUENT = /^[!-#0-W]/;
/** A text with fewer Chinese characters may be a program or a format of numbers. */
const MIN_CHINESE = 2;

/**
 * Returns the encoding of text that has only bytes of ASCII, and marks other characters by sequences: ISO-2022-KR,
 * ISO-2022-CN or HZ-GB-2312. Returns undefined for other text, including ISO-2022-JP.
 */
export function escapedEncoding(bytes: Buffer): 'ISO-2022-KR' | 'ISO-2022-CN' | 'HZ-GB-2312' | undefined {
  if (!isAscii(bytes)) return undefined;
  if (bytes.includes(SHIFT_OUT)) {
    if (bytes.includes('\x1b$)C')) return 'ISO-2022-KR';
    if (bytes.includes('\x1b$)A') || bytes.includes('\x1b$)G')) return 'ISO-2022-CN';
  }
  const start = bytes.indexOf('~{');
  if (start < 0) return undefined;
  const sample = bytes.subarray(start, start + SAMPLE_BYTES);
  // Chinese text never continues in the next line.
  const end = start + SAMPLE_BYTES < bytes.length ? sample.lastIndexOf('\n') : sample.length;
  return isHz(sample.toString('latin1', 0, end)) ? 'HZ-GB-2312' : undefined;
}

function isHz(text: string): boolean {
  const characters: string[] = [];
  const others = text.replace(HZ_TEXT, (_, pairs: string) => {
    characters.push(...(pairs.match(/../g) ?? []));
    return '';
  });
  if (others.replace(HZ_OTHERS, '').includes(TILDE)) return false;
  const frequent = characters.filter((pair) => FREQUENT.test(pair)).length;
  return characters.length >= MIN_CHINESE && frequent > characters.length / 2;
}

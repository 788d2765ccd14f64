import { isAscii, isUtf8 } from 'node:buffer';
import { ebcdicDecoder } from './ebcdic.ts';

/** The bytes that decide. */
const SAMPLE_BYTES = 4096;
/** A shorter text has too few words. */
const MIN_BYTES = 16;
const BLANK = 0x40;
/** The bytes below the blank that texts have: tab, form feed, carriage return, and the two line ends. */
const CONTROLS = new Set([0x05, 0x0c, 0x0d, 0x15, 0x25]);
/** The part of blanks, of which markup has few. Records of fixed length are filled with blanks. */
const MIN_BLANKS = 0.02;
const MAX_BLANKS = 0.95;
/** The part of the characters, without blanks, that must be letters of the language or digits. */
const MIN_LETTERS = 0.6;

/** The code pages that are tried. If several are equally likely, the first one is used, as in Tika. */
const PAGES: readonly (readonly [name: string, letters: RegExp])[] = [
  ...['IBM500', 'IBM037', 'IBM1047', 'IBM273', 'IBM297', 'IBM278', 'IBM277', 'IBM280', 'IBM284'].map(
    (name) => [name, /[A-Za-z0-9]/g] as const,
  ),
  ['IBM424', /[\u05d0-\u05eaA-Za-z0-9]/g],
  ['IBM420', /[\u0620-\u064a\ufe70-\ufefcA-Za-z0-9]/g],
];

/** Characters that are rare in texts, in each of the languages. */
const RARE = /[^\p{L}\p{M}\s\d.,;:!?'"()\-/&%=+*<>@#$_[\]{}|\\]/gu;
/** Characters inside words that are not letters: a sign for another code page, in which they are letters. */
const IN_WORD = /(?<=\p{Ll})[^\p{L}\p{M}\s\d.,;:!?'"()\-/&%=+*<>_\\](?=\p{Ll})|(?<=\p{Ll})\p{Lu}(?=\p{Ll})/gu;

/**
 * Returns the code page of text in EBCDIC, or undefined for other files. In EBCDIC the blank is 0x40, which is `@` in
 * ASCII, and a text has neither the blank nor the line end of ASCII.
 */
export function ebcdicEncoding(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (sample.length < MIN_BYTES || !hasBlanks(sample) || isOtherUtf8(sample)) return undefined;
  let best: { readonly name: string; readonly cost: number } | undefined;
  for (const [name, letters] of PAGES) {
    const text = ebcdicDecoder(name)?.decode(sample, false) ?? '';
    // Markup is the same in all code pages, and would hide the letters of a language.
    const shown = text.replace(/<[^<>]*>|\s/g, '');
    const rare = shown.match(RARE)?.length ?? 0;
    if ((shown.match(letters)?.length ?? 0) < shown.length * MIN_LETTERS || rare > shown.length / 20) continue;
    const cost = rare + (text.match(IN_WORD)?.length ?? 0);
    if (best === undefined || cost < best.cost) best = { name, cost };
  }
  return best?.name;
}

function hasBlanks(sample: Uint8Array): boolean {
  let blanks = 0;
  for (const byte of sample) {
    if (byte === BLANK) blanks++;
    else if (byte < BLANK && !CONTROLS.has(byte)) return false;
  }
  return blanks > sample.length * MIN_BLANKS && blanks < sample.length * MAX_BLANKS;
}

/**
 * Returns whether text is UTF-8. The letters of Hebrew in EBCDIC have the bytes of ASCII letters, so only line ends
 * distinguish a Hebrew text from ASCII letters with `@`.
 */
function isOtherUtf8(sample: Uint8Array): boolean {
  if (isAscii(sample)) return !sample.some((byte) => byte < BLANK);
  // The sample may end inside a character.
  return [0, 1, 2, 3].some((cut) => isUtf8(sample.subarray(0, sample.length - cut)));
}

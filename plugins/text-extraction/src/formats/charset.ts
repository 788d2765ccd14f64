import { analyse, detect } from 'chardet';
import { charsetDecoder, ebcdicEncoding, escapedEncoding } from 'headrace/charsets';
import { unmarkedUnicode } from './unmarked-unicode.ts';

/** Text and the name of its encoding. */
export interface DecodedText {
  readonly text: string;
  readonly encoding: string;
}

/** The bytes that decide about the encoding. */
const SAMPLE_BYTES = 64 * 1024;

/** How ISO-2022 starts text with two bytes for each character. */
const ESCAPE = '\x1b$';

/**
 * Decodes text. A byte-order mark decides, then the named encoding, then the certain signs of an encoding, then UTF-8 if
 * the bytes are valid. Any other encoding is a guess.
 */
export function decodeText(bytes: Uint8Array, named?: string): DecodedText {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const marked = markOf(bytes);
  if (marked !== undefined) return decodedBy(buffer, marked);
  if (named !== undefined && isEncoding(named)) {
    return decodedBy(buffer, named, /^(utf|iso|ibm)/i.test(named) ? named.toUpperCase() : named.toLowerCase());
  }
  const certain = unmarkedEncoding(buffer);
  if (certain !== undefined) return decodedBy(buffer, certain);
  // Tika names ASCII like this.
  if (bytes.every((byte) => byte < 0x80 && byte !== 0))
    return { text: buffer.toString('latin1'), encoding: 'ISO-8859-1' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' };
  } catch {
    const sample = buffer.subarray(0, SAMPLE_BYTES);
    return decodedBy(buffer, isIbm866(sample) ? 'IBM866' : guessEncoding(sample));
  }
}

/** Whether text can be decoded by this name. */
function isEncoding(name: string): boolean {
  return charsetDecoder(name) !== undefined;
}

/**
 * Returns the encoding of text without a byte-order mark whose bytes show it: UTF-16 and UTF-32 by their zero bytes,
 * EBCDIC by its blanks, ISO-2022 and HZ by the sequences that begin and end text of other letters.
 */
export function unmarkedEncoding(bytes: Buffer): string | undefined {
  const found = unmarkedUnicode(bytes) ?? ebcdicEncoding(bytes) ?? escapedEncoding(bytes);
  if (found !== undefined) return found;
  return bytes.includes(ESCAPE) && detect(bytes) === 'ISO-2022-JP' ? 'ISO-2022-JP' : undefined;
}

/**
 * Returns a name that a file has as ASCII text in its bytes, if the file can be in this encoding. A page that says
 * UTF-16 or EBCDIC in ASCII is wrong.
 */
export function namedInAscii(name: string | undefined): string | undefined {
  const isPossible = name !== undefined && isEncoding(name) && decodedBy(Buffer.from(name), name).text === name;
  return isPossible ? name : undefined;
}

/** Decodes text by a known name of its encoding. */
export function decodedBy(bytes: Buffer, name: string, encoding = name): DecodedText {
  return { text: charsetDecoder(name)?.decode(bytes, false) ?? '', encoding };
}

/**
 * Returns the most probable encoding in which the bytes are text. The library ranks by frequent letters, so for a short
 * text its first guess may be an encoding that has no characters for some of the bytes.
 */
function guessEncoding(bytes: Buffer): string {
  const guesses = analyse(bytes).flatMap(({ name }) => (isEncoding(name) ? name : []));
  return guesses.find((name) => isText(decodedBy(bytes, name).text)) ?? guesses[0] ?? 'windows-1252';
}

/** Whether almost all characters are defined. A damaged byte in a long text does not count. */
function isText(text: string): boolean {
  const undefinedCharacters = text.match(/[\u0080-\u009f\ufffd]/g)?.length ?? 0;
  return undefinedCharacters * 200 <= text.length;
}

/**
 * Whether the bytes are Russian text of DOS, which the library does not know: all letters are in two ranges, and the
 * most frequent ones are between 0xa0 and 0xaf, where other encodings of Russian have almost none.
 */
function isIbm866(bytes: Uint8Array): boolean {
  let letters = 0;
  let frequent = 0;
  for (const byte of bytes) {
    if (byte < 0x80) continue;
    if ((byte > 0xaf && byte < 0xe0) || byte > 0xf1) return false;
    letters++;
    if (byte >= 0xa0 && byte <= 0xaf) frequent++;
  }
  return letters >= 20 && frequent > letters * 0.4;
}

/** Returns the encoding that a byte-order mark names. */
export function markOf([first, second, third, fourth]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'UTF-8';
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'UTF-32LE' : 'UTF-16LE';
  if (first === 0 && second === 0 && third === 0xfe && fourth === 0xff) return 'UTF-32BE';
  return first === 0xfe && second === 0xff ? 'UTF-16BE' : undefined;
}

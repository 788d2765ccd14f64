import { detect } from 'chardet';
import iconv from 'iconv-lite';

/** Text and the name of its encoding. */
export interface DecodedText {
  readonly text: string;
  readonly encoding: string;
}

/** The bytes that decide about the encoding. */
const SAMPLE_BYTES = 64 * 1024;

/**
 * Decodes text. A byte-order mark decides, then the named encoding, then UTF-8 if the bytes are valid. Any other
 * encoding is a guess.
 */
export function decodeText(bytes: Uint8Array, named?: string): DecodedText {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const marked = markOf(bytes);
  if (marked !== undefined) return { text: iconv.decode(buffer, marked), encoding: marked };
  if (named !== undefined && iconv.encodingExists(named)) {
    const encoding = /^(utf|iso)-/i.test(named) ? named.toUpperCase() : named.toLowerCase();
    return { text: iconv.decode(buffer, named), encoding };
  }
  // Tika names ASCII like this.
  if (bytes.every((byte) => byte < 0x80 && byte !== 0))
    return { text: buffer.toString('latin1'), encoding: 'ISO-8859-1' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' };
  } catch {
    const guess = detect(buffer.subarray(0, SAMPLE_BYTES)) ?? 'windows-1252';
    const encoding = iconv.encodingExists(guess) ? guess : 'windows-1252';
    return { text: iconv.decode(buffer, encoding), encoding };
  }
}

function markOf([first, second, third, fourth]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'UTF-8';
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'UTF-32LE' : 'UTF-16LE';
  return first === 0xfe && second === 0xff ? 'UTF-16BE' : undefined;
}

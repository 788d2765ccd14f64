import { type CharsetDecoder, charsetDecoder } from './charset.ts';

/** The number of bytes that are searched for a declaration. */
const HEAD_BYTES = 5 * 1024;
const BYTE_ORDER_MARKS: readonly (readonly [bytes: readonly number[], charset: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
];
const DECLARATION =
  /<meta\s[^>]*?charset\s*=\s*["']*\s*([^\s"'>;/]+)|^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)["']/gi;

/**
 * Decodes an HTML file. The charset is that of its byte-order mark, or else the given one, or else the first known
 * charset that the file declares at its beginning, or else UTF-8.
 */
export function htmlText(bytes: Uint8Array, charset: string | undefined): string {
  const mark = BYTE_ORDER_MARKS.find(([start]) => start.every((byte, i) => bytes[i] === byte));
  const decoder =
    charsetDecoder(mark?.[1] ?? charset ?? '') ?? declared(bytes) ?? (charsetDecoder('utf-8') as CharsetDecoder);
  return decoder.decode(bytes, false);
}

function declared(bytes: Uint8Array): CharsetDecoder | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES)).toString('latin1');
  for (const [, inMeta, inDeclaration] of head.matchAll(DECLARATION)) {
    const decoder = charsetDecoder((inMeta ?? inDeclaration) as string);
    if (decoder !== undefined) return decoder;
  }
  return undefined;
}

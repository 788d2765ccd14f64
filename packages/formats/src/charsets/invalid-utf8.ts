/** The bytes of U+FFFD in UTF-8. */
export const REPLACEMENT: Buffer = Buffer.from('\ufffd');

/** Returns the number of bytes that decoding as UTF-8 does not preserve. */
export function invalidUtf8Bytes(bytes: Buffer): number {
  const text = bytes.toString();
  let replaced = -replacements(bytes);
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) replaced++;
  return bytes.length - (Buffer.byteLength(text) - replaced * REPLACEMENT.length);
}

/** Returns how often text in UTF-8 contains U+FFFD. */
export function replacements(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(REPLACEMENT); at >= 0; at = bytes.indexOf(REPLACEMENT, at + REPLACEMENT.length)) count++;
  return count;
}

/** Returns the position of the first byte that decoding as UTF-8 does not preserve. */
export function firstInvalidUtf8(bytes: Buffer): number {
  const decoded = Buffer.from(bytes.toString());
  let at = 0;
  while (bytes[at] === decoded[at]) at++;
  return at;
}

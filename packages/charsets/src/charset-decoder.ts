/** Turns bytes into text, piece by piece. Bytes that mean nothing in the charset become U+FFFD. */
export interface CharsetDecoder {
  /** @param more whether more bytes follow: a character may be cut off at the end of these then */
  decode(bytes: Uint8Array, more: boolean): string;
}

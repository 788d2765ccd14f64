/** Decodes bytes to text, in pieces. Bytes that are invalid in the charset become U+FFFD. */
export interface CharsetDecoder {
  /** @param more whether more bytes follow, so that a character may be incomplete at the end of these */
  decode(bytes: Uint8Array, more: boolean): string;
}

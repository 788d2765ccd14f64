/** Decodes bytes to text, piece by piece. Bytes that are invalid in the charset become U+FFFD. */
export interface CharsetDecoder {
  /** @param more true if more bytes follow, so that these bytes may end with an incomplete character */
  decode(bytes: Uint8Array, more: boolean): string;
}

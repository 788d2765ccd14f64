/** The bytes of a file, in pieces of any size. A piece may be overwritten when the next piece is read. */
export type ByteSource = AsyncIterable<Uint8Array>;

/** Bytes of a source, in pieces of any size. The next call may overwrite a piece. */
export type ByteSource = AsyncIterable<Uint8Array>;

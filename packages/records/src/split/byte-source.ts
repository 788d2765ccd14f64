/** Bytes of a source, in pieces of any size. A piece may be overwritten when the next one is asked for. */
export type ByteSource = AsyncIterable<Uint8Array>;

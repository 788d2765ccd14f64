import type { ByteSource } from './byte-source.ts';

const NO_BYTES = Buffer.alloc(0);

/** Reads the bytes of a compressed file step by step; bytes that were read too far can be put back. */
export class PackedInput {
  /** The number of bytes received from the source. */
  taken = 0;
  readonly #pieces: AsyncIterator<Uint8Array>;
  /** The next chunk, which is read ahead while the previous one is unpacked. */
  #coming: Promise<IteratorResult<Uint8Array>> | undefined;
  #rest: Buffer = NO_BYTES;

  constructor(source: ByteSource) {
    this.#pieces = source[Symbol.asyncIterator]();
  }

  /** Returns the next bytes, at least one; undefined at the end. */
  async next(): Promise<Buffer | undefined> {
    const rest = this.#rest;
    this.#rest = NO_BYTES;
    return rest.length > 0 ? rest : this.#read();
  }

  /** Puts back the last bytes that `next` returned. */
  unread(bytes: Buffer): void {
    this.#rest = bytes;
  }

  /** Returns the next bytes without consuming them; fewer at the end. */
  async peek(count: number): Promise<Buffer> {
    while (this.#rest.length < count) {
      const more = await this.#read();
      if (more === undefined) break;
      this.#rest = Buffer.concat([this.#rest, more]);
    }
    return this.#rest.subarray(0, count);
  }

  /** Consumes and returns exactly this number of bytes. Throws if the file ends before. */
  async take(count: number): Promise<Buffer> {
    const bytes = await this.peek(count);
    if (bytes.length < count) throw new TruncatedError();
    this.#rest = this.#rest.subarray(count);
    return bytes;
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  async #read(): Promise<Buffer | undefined> {
    for (;;) {
      const { done, value } = await (this.#coming ?? this.#pieces.next());
      if (done === true) {
        this.#coming = Promise.resolve({ done, value: undefined });
        return undefined;
      }
      // The source may reuse the buffer of the chunk.
      const piece = Buffer.from(value);
      this.#coming = this.#pieces.next();
      // The caller that reads the next chunk gets the error. Until then Node must not see an unhandled rejection.
      this.#coming.catch(() => undefined);
      this.taken += piece.length;
      if (piece.length > 0) return piece;
    }
  }
}

/** The error for a compressed file or an archive that ends too early. */
export class TruncatedError extends Error {
  override readonly name = 'TruncatedError';

  constructor() {
    super('it is truncated: unexpected end of file');
  }
}

/** Returns the error for an empty file: compressed files and archives are never empty. */
export function nothingIn(): Error {
  return new Error('it is empty: its upload may have been interrupted');
}

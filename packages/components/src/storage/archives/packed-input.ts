import type { ByteSource } from '../../formats/byte-source.ts';

const NOTHING = Buffer.alloc(0);

/** The bytes of a compressed file, read bit by bit; what was read too far can be given back. */
export class PackedInput {
  /** How many bytes have come. */
  taken = 0;
  readonly #pieces: AsyncIterator<Uint8Array>;
  /** Read ahead, while the piece before is being unpacked. */
  #coming: Promise<IteratorResult<Uint8Array>> | undefined;
  #rest: Buffer = NOTHING;

  constructor(source: ByteSource) {
    this.#pieces = source[Symbol.asyncIterator]();
  }

  /** The next bytes, one at least; undefined at the end. */
  async next(): Promise<Buffer | undefined> {
    const rest = this.#rest;
    this.#rest = NOTHING;
    return rest.length > 0 ? rest : this.#read();
  }

  /** Returns back the last bytes of what `next` gave. */
  unread(bytes: Buffer): void {
    this.#rest = bytes;
  }

  /** The next bytes, which are not taken; fewer at the end. */
  async peek(count: number): Promise<Buffer> {
    while (this.#rest.length < count) {
      const more = await this.#read();
      if (more === undefined) break;
      this.#rest = Buffer.concat([this.#rest, more]);
    }
    return this.#rest.subarray(0, count);
  }

  /** Exactly so many bytes. Throws if the file ends before. */
  async take(count: number): Promise<Buffer> {
    const bytes = await this.peek(count);
    if (bytes.length < count) throw cutOff();
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
      // The source may use the memory of the piece again.
      const piece = Buffer.from(value);
      this.#coming = this.#pieces.next();
      // Thrown to who wants the next piece.
      this.#coming.catch(() => undefined);
      this.taken += piece.length;
      if (piece.length > 0) return piece;
    }
  }
}

/** The error for a compressed file that ends too early. */
export function cutOff(): Error {
  return new Error('it is cut off: unexpected end of file');
}

/** The error for a file of no bytes, which no compressed file and no archive is. */
export function nothingIn(): Error {
  return new Error('it is empty, as files are whose upload was broken off');
}

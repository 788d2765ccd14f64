/** The bytes of the length of a frame, as a number in little-endian order. */
const LENGTH_BYTES = 6;

/** Returns the bytes before the content of a frame. */
export function frameHeader(length: number): Uint8Array {
  const header = Buffer.alloc(LENGTH_BYTES);
  header.writeUIntLE(length, 0, LENGTH_BYTES);
  return header;
}

/** Cuts a stream of bytes into frames: each has its length before it. */
export class FrameReader {
  readonly #maxBytes: number;
  readonly #onFrame: (content: Buffer) => void;
  readonly #header = Buffer.alloc(LENGTH_BYTES);
  #headerBytes = 0;
  #content: Buffer | undefined;
  #contentBytes = 0;

  /** @param maxBytes the maximum length of a frame */
  constructor(maxBytes: number, onFrame: (content: Buffer) => void) {
    this.#maxBytes = maxBytes;
    this.#onFrame = onFrame;
  }

  /** Adds the next bytes of the stream. Throws if a frame is too long. */
  add(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#content === undefined) {
        const taken = Math.min(LENGTH_BYTES - this.#headerBytes, bytes.length - at);
        this.#header.set(bytes.subarray(at, at + taken), this.#headerBytes);
        this.#headerBytes += taken;
        at += taken;
        if (this.#headerBytes < LENGTH_BYTES) return;
        const length = this.#header.readUIntLE(0, LENGTH_BYTES);
        if (length > this.#maxBytes) throw new Error(`a message has ${length} bytes, more than ${this.#maxBytes}`);
        // Not from the pool, so that the content is aligned and shares no memory.
        this.#content = Buffer.from(new ArrayBuffer(length));
        this.#contentBytes = 0;
      }
      const taken = Math.min(this.#content.length - this.#contentBytes, bytes.length - at);
      this.#content.set(bytes.subarray(at, at + taken), this.#contentBytes);
      this.#contentBytes += taken;
      at += taken;
      this.#finish();
    }
  }

  #finish(): void {
    const content = this.#content;
    if (content === undefined || this.#contentBytes < content.length) return;
    this.#content = undefined;
    this.#headerBytes = 0;
    this.#onFrame(content);
  }
}

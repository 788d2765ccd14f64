import { DATA_ROW, HEADER_BYTES } from './data-rows.ts';

/** The size at which a chunk is passed on. */
const PIECE_BYTES = 256 * 1024;
/** The maximum time for which the rows of a slow query wait for more rows. */
const PIECE_MILLIS = 20;
/** A larger message is announced before it is read. */
const LARGE_BYTES = 1024 * 1024;

/**
 * Reads the stream between the socket and the driver. It collects the messages with rows without decoding them, and
 * passes all other messages to the driver.
 * The thread that reads a large table then only copies bytes, and the pipeline threads decode them.
 */
export class DataRowCollector {
  /** Receives complete messages with rows, and owns their memory. If it is undefined, the driver receives the rows. */
  onRows: ((bytes: Uint8Array<ArrayBuffer>, rows: number) => void) | undefined;
  /** Called with the size of a large message when it begins, and with 0 when it is complete. */
  onLarge: ((bytes: number) => void) | undefined;
  readonly #forward: (bytes: Buffer) => void;
  /** The beginning of a message whose header is incomplete. */
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerLength = 0;
  /** The number of remaining bytes of the current message, and whether it is a row. */
  #remaining = 0;
  #isRow = false;
  #isLarge = false;
  #piece = new Uint8Array(0);
  #filled = 0;
  /** The size of the complete messages in the chunk, and their number. */
  #whole = 0;
  #rows = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(forward: (bytes: Buffer) => void) {
    this.#forward = forward;
  }

  /** Reads bytes from the socket. */
  push(bytes: Buffer): void {
    let at = this.#headerLength > 0 ? this.#completeHeader(bytes) : 0;
    if (this.#headerLength > 0) return;
    let from = at;
    let end = -1;
    let rows = 0;
    for (;;) {
      if (this.#remaining > 0) {
        const step = Math.min(this.#remaining, bytes.length - at);
        at += step;
        this.#remaining -= step;
        if (this.#remaining > 0) break;
        if (this.#isLarge) this.#announce(0);
        end = at;
        rows++;
      }
      if (bytes.length - at < HEADER_BYTES) break;
      const isRow = this.onRows !== undefined && bytes[at] === DATA_ROW;
      if (isRow !== this.#isRow) {
        this.#pass(bytes, from, at, end, rows);
        from = at;
        end = -1;
        rows = 0;
        this.#isRow = isRow;
      }
      this.#remaining = 1 + bytes.readUInt32BE(at + 1);
      if (this.#remaining > LARGE_BYTES) this.#announce(this.#remaining);
    }
    this.#pass(bytes, from, at, end, rows);
    if (at < bytes.length) this.#headerLength = bytes.copy(this.#header, 0, at);
  }

  /** Passes on the complete rows. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const piece = this.#piece;
    const filled = this.#filled;
    const whole = this.#whole;
    const rows = this.#rows;
    if (rows === 0) return;
    this.#piece = new Uint8Array(Math.max(PIECE_BYTES + 64 * 1024, (filled - whole) * 2));
    this.#piece.set(piece.subarray(whole, filled));
    this.#filled = filled - whole;
    this.#whole = 0;
    this.#rows = 0;
    this.onRows?.(piece.subarray(0, whole), rows);
  }

  /** Reads the rest of a message header. Returns the offset after it. */
  #completeHeader(bytes: Buffer): number {
    const taken = bytes.copy(this.#header, this.#headerLength, 0, HEADER_BYTES - this.#headerLength);
    this.#headerLength += taken;
    if (this.#headerLength < HEADER_BYTES) return taken;
    this.#headerLength = 0;
    this.#isRow = this.onRows !== undefined && this.#header[0] === DATA_ROW;
    this.#remaining = this.#header.readUInt32BE(1) + 1 - HEADER_BYTES;
    if (this.#remaining > LARGE_BYTES) this.#announce(this.#remaining);
    const end = this.#remaining === 0 ? HEADER_BYTES : -1;
    this.#pass(Buffer.from(this.#header), 0, HEADER_BYTES, end, end < 0 ? 0 : 1);
    return taken;
  }

  #announce(bytes: number): void {
    this.#isLarge = bytes > 0;
    this.onLarge?.(bytes);
  }

  /** @param end the end of the last complete message, or -1 if there is none */
  #pass(bytes: Buffer, from: number, to: number, end: number, rows: number): void {
    if (to === from) return;
    if (!this.#isRow) {
      this.#forward(bytes.subarray(from, to));
      return;
    }
    const needed = this.#filled + to - from;
    if (needed > this.#piece.length) {
      const larger = new Uint8Array(Math.max(PIECE_BYTES + 64 * 1024, needed * 2));
      larger.set(this.#piece.subarray(0, this.#filled));
      this.#piece = larger;
    }
    bytes.copy(this.#piece, this.#filled, from, to);
    if (end >= 0) this.#whole = this.#filled + end - from;
    this.#filled = needed;
    this.#rows += rows;
    if (this.#whole >= PIECE_BYTES) this.flush();
    else if (this.#rows > 0) this.#timer ??= setTimeout(() => this.flush(), PIECE_MILLIS);
  }
}

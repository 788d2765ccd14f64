import type { Undo } from '../execution/undo.ts';
import { release } from '../transport/release.ts';

/** The number of characters that are joined before they are converted to bytes, because each native call is slow. */
const JOIN_CHARACTERS = 16 * 1024;
/** The bytes of a longer text are counted before. The largest possible number would be too much memory. */
const COUNTED_CHARACTERS = 256 * 1024;
const FIRST_CAPACITY = 64 * 1024;
/** A larger batch is an exception, and says nothing about the next one. */
const MAX_EXPECTED = 8 * 1024 * 1024;
/** The rest of a batch may be small. So the expected length shrinks by no more than this factor. */
const LEAST_SHRINK = 0.75;
/** The part of the expected length, as a power of two, by which a batch may be longer without another buffer. */
const MARGIN_BITS = 3;
const GROWTH = 1.5;

/**
 * Collects texts as UTF-8. Converts them to bytes early: texts that live until the end of a batch outlive the young
 * generation of V8. The garbage collector would then copy every piece of them.
 */
export class ByteWriter {
  /** The approximate number of characters since the last `take`. */
  characters = 0;
  #pending = '';
  #buffer: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(0);
  #length = 0;
  #lastLength = FIRST_CAPACITY;

  write(text: string): void {
    this.characters += text.length;
    this.#pending += text;
    if (this.#pending.length >= JOIN_CHARACTERS) this.#encode();
  }

  /** Returns the number of bytes since the last `take`. */
  measure(): number {
    if (this.#pending !== '') this.#encode();
    return this.#length;
  }

  /**
   * Marks the end of the text. The undo is not valid after a `take`. It is safe even if V8 interrupted a write, because
   * writes only change bytes after the mark, and a larger buffer has the same bytes before it.
   */
  mark(): Undo {
    const { characters } = this;
    const pending = this.#pending;
    const length = this.#length;
    return () => {
      this.characters = characters;
      this.#pending = pending;
      this.#length = length;
    };
  }

  /** Returns the bytes since the last call, in separate memory that can be transferred. */
  take(): Uint8Array<ArrayBuffer> {
    if (this.#pending !== '') this.#encode();
    const bytes = this.#buffer.subarray(0, this.#length);
    if (this.#length > 0) {
      const shrunk = Math.round(this.#lastLength * LEAST_SHRINK);
      this.#lastLength = Math.min(MAX_EXPECTED, Math.max(this.#length, shrunk));
    }
    this.#buffer = Buffer.allocUnsafeSlow(0);
    this.#length = 0;
    this.characters = 0;
    return bytes;
  }

  #encode(): void {
    const text = this.#pending;
    this.#pending = '';
    // UTF-8 needs at most three bytes for a UTF-16 unit.
    this.#reserve(text.length > COUNTED_CHARACTERS ? Buffer.byteLength(text) : text.length * 3);
    this.#length += this.#buffer.write(text, this.#length, 'utf8');
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#buffer.length) return;
    // Batches have similar sizes, so the size of earlier batches is a good estimate.
    const expected = this.#lastLength + (this.#lastLength >> MARGIN_BITS) + more;
    const capacity = Math.max(needed, this.#buffer.length === 0 ? expected : this.#buffer.length * GROWTH);
    const larger = Buffer.allocUnsafeSlow(capacity);
    const smaller = this.#buffer;
    smaller.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
    // A buffer lives long enough to reach the old generation, which is collected rarely.
    release(smaller);
  }
}

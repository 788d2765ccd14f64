import { filled } from './filled-array.ts';

/**
 * Short texts in ASCII that are written in sequence and become strings with one call. A string that is joined
 * from its parts is an object for each part, and the collector copies them all.
 */
export class TextBlock {
  #bytes = Buffer.allocUnsafe(1 << 15);
  #view = viewOf(this.#bytes);
  #ends = new Int32Array(1 << 10);
  #length = 0;
  #count = 0;

  /** Where texts are written. Read it again after each `reserve`. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** A view of `bytes`. */
  get view(): DataView {
    return this.#view;
  }

  /** Returns where the next text begins in `bytes`, which has at least `most` bytes after it. */
  reserve(most: number): number {
    const at = this.#length;
    if (at + most > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * (at + most));
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
      this.#view = viewOf(larger);
    }
    return at;
  }

  /** Ends the text that was written, before a position in `bytes`. */
  end(at: number): void {
    if (this.#count === this.#ends.length) {
      const longer = new Int32Array(2 * this.#count);
      longer.set(this.#ends);
      this.#ends = longer;
    }
    this.#ends[this.#count++] = at;
    this.#length = at;
  }

  /** Writes a text in ASCII. */
  write(text: string): void {
    const at = this.reserve(text.length);
    this.end(writeText(this.#bytes, at, text));
  }

  /** Returns the texts, and forgets them. */
  takeAll(): string[] {
    const all = this.#bytes.toString('latin1', 0, this.#length);
    const ends = this.#ends;
    const texts = filled('', this.#count);
    let from = 0;
    for (let i = 0; i < texts.length; i++) {
      const end = ends[i] as number;
      texts[i] = all.substring(from, end);
      from = end;
    }
    this.clear();
    return texts;
  }

  /** Forgets the texts. */
  clear(): void {
    this.#length = this.#count = 0;
  }
}

/** Writes a text in ASCII, and returns the position after it. */
export function writeText(bytes: Uint8Array, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
  return at + text.length;
}

/** Returns a view of the same memory. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** The three digits of the integers from 0 to 999, and an unused byte: the first digit is in the lowest byte. */
export const THREE_DIGITS = Int32Array.from({ length: 1000 }, (_, i) => wordOf(String(i).padStart(3, '0')));

/** Returns the first four bytes of a text as a number, for `DataView`. The first one is its lowest byte. */
export function wordOf(text: string): number {
  return Buffer.from(text.slice(0, 4).padEnd(4, '\0'), 'latin1').readInt32LE();
}

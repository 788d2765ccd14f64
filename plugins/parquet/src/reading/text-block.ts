import { filled } from './filled-array.ts';

/**
 * Short texts in ASCII that are written in sequence and become strings with one call. A string that is joined
 * from its parts is an object for each part, and the collector copies them all.
 */
export class TextBlock {
  #bytes = Buffer.allocUnsafe(1 << 15);
  #ends = new Int32Array(1 << 10);
  #length = 0;
  #count = 0;

  /** Where texts are written. Read it again after each `reserve`. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Returns where the next text begins in `bytes`, which has room for `most` bytes after it. */
  reserve(most: number): number {
    const at = this.#length;
    if (at + most > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * (at + most));
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
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

const ONE = new TextBlock();

/** Returns the one text that a function writes. */
export function textOf(write: (to: TextBlock) => void): string {
  ONE.clear();
  write(ONE);
  return ONE.takeAll()[0] as string;
}

/** Writes a text in ASCII, and returns the position after it. */
export function writeText(bytes: Uint8Array, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
  return at + text.length;
}

/** Writes an integer from 0 to 99 with two digits. */
export function writeTwoDigits(bytes: Uint8Array, at: number, value: number): void {
  const tens = (value / 10) | 0;
  bytes[at] = ZERO + tens;
  bytes[at + 1] = ZERO + value - tens * 10;
}

/** Writes an integer from 0 to 999 with three digits. */
export function writeThreeDigits(bytes: Uint8Array, at: number, value: number): void {
  const hundreds = (value / 100) | 0;
  bytes[at] = ZERO + hundreds;
  writeTwoDigits(bytes, at + 1, value - hundreds * 100);
}

const ZERO = 48;

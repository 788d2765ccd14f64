/**
 * Short texts in ASCII that are written in sequence and become strings with one call. A string that is joined
 * from its parts is an object for each part, and the collector copies them all.
 */
export class TextBlock {
  #bytes = Buffer.allocUnsafe(1 << 12);
  #length = 0;
  #ends: number[] = [];

  /** Writes the part of a text between two positions, which must be ASCII. */
  write(text: string, from = 0, end = text.length): void {
    const at = this.#reserve(end - from) - from;
    for (let i = from; i < end; i++) this.#bytes[at + i] = text.charCodeAt(i);
  }

  /** Writes an integer from 0 to 999,999,999 with leading zeros. */
  writeDigits(value: number, count: number): void {
    const at = this.#reserve(count);
    let rest = value | 0;
    for (let i = at + count - 1; i >= at; i--) {
      const next = (rest / 10) | 0;
      this.#bytes[i] = 48 + rest - next * 10;
      rest = next;
    }
  }

  /** Ends the text that was written. */
  end(): void {
    this.#ends.push(this.#length);
  }

  /** Returns the texts, and forgets them. */
  takeAll(): string[] {
    const all = this.#bytes.toString('latin1', 0, this.#length);
    const texts: string[] = [];
    let from = 0;
    for (const end of this.#ends) {
      texts.push(all.substring(from, end));
      from = end;
    }
    this.clear();
    return texts;
  }

  clear(): void {
    this.#length = 0;
    this.#ends = [];
  }

  /** Returns where the next bytes are written. */
  #reserve(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * this.#length);
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
    }
    return at;
  }
}

/** Returns the one text that a function writes. */
export function textOf(write: (to: TextBlock) => void): string {
  const block = new TextBlock();
  write(block);
  block.end();
  return block.takeAll()[0] as string;
}

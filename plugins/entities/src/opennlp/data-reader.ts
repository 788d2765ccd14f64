/** Reads what `java.io.DataOutputStream` writes. Throws a RangeError at the end of the data. */
export class DataReader {
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  skip(count: number): void {
    this.#at += count;
  }

  double(): number {
    this.#at += 8;
    return this.#view.getFloat64(this.#at - 8);
  }

  /** Reads a number of items, and the items. */
  list<T>(read: () => T): T[] {
    const count = this.#view.getInt32(this.#at);
    this.#at += 4;
    // Each item has at least two bytes.
    if (count < 0 || count > this.#bytes.length / 2)
      throw new Error(`the model has a list of ${count} items, which cannot be`);
    return Array.from({ length: count }, read);
  }

  /** Reads a text in the modified UTF-8 of Java: each UTF-16 unit is encoded by itself, and 0 has two bytes. */
  text(): string {
    const length = this.#view.getUint16(this.#at);
    this.#at += 2;
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('the model is cut off');
    const units: number[] = [];
    while (this.#at < end) {
      const byte = this.#view.getUint8(this.#at++);
      if (byte < 0x80) units.push(byte);
      else if (byte < 0xe0) units.push(((byte & 0x1f) << 6) | this.#next());
      else units.push(((byte & 0x0f) << 12) | (this.#next() << 6) | this.#next());
    }
    return String.fromCharCode(...units);
  }

  #next(): number {
    return this.#view.getUint8(this.#at++) & 0x3f;
  }
}

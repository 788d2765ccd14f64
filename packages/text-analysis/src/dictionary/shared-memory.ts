/** Creates memory of this many bytes that threads can share. */
export function shared(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(bytes);
}

/** A growing list of 32-bit integers. */
export class IntList {
  length = 0;
  #items: Int32Array = new Int32Array(1024);

  get(index: number): number {
    return this.#items[index] as number;
  }

  set(index: number, value: number): void {
    this.#items[index] = value;
  }

  /** Adds a value and returns its index. */
  push(value: number): number {
    if (this.length === this.#items.length) {
      const larger = new Int32Array(this.length * 2);
      larger.set(this.#items);
      this.#items = larger;
    }
    this.#items[this.length] = value;
    return this.length++;
  }

  /** Returns a copy of the values in memory that threads can share. */
  share(): Int32Array {
    const copy = new Int32Array(shared(this.length * 4));
    copy.set(this.#items.subarray(0, this.length));
    return copy;
  }
}

/**
 * Rows of counts in memory that one thread writes and others read without a message, even after the thread has ended.
 * They are doubles, because counts can exceed 2^32.
 */
export class SharedRows<N extends string> {
  readonly buffer: SharedArrayBuffer;
  readonly #names: readonly N[];
  readonly #cells: Float64Array;

  /** @param memory the number of rows, or the memory of another instance with the same names */
  constructor(names: readonly N[], memory: number | SharedArrayBuffer) {
    this.#names = names;
    this.buffer =
      typeof memory === 'number'
        ? new SharedArrayBuffer(memory * names.length * Float64Array.BYTES_PER_ELEMENT)
        : memory;
    this.#cells = new Float64Array(this.buffer);
  }

  add(name: N, amount: number, row = 0): void {
    (this.#cells[row * this.#names.length + this.#names.indexOf(name)] as number) += amount;
  }

  write(counts: Readonly<Record<N, number>>, row = 0): void {
    let at = row * this.#names.length;
    for (const name of this.#names) this.#cells[at++] = counts[name];
  }

  read(row = 0): Record<N, number> {
    const counts: Partial<Record<N, number>> = {};
    let at = row * this.#names.length;
    for (const name of this.#names) counts[name] = this.#cells[at++] as number;
    return counts as Record<N, number>;
  }
}

import { maxValueBytes } from 'headrace/engine';

/** The rows of a file that the table has deleted. */
export class DeletedRows {
  readonly #rows: number;
  readonly #bits: Uint8Array;
  #count = 0;

  /** @param rows the number of rows of the file */
  constructor(rows: number) {
    const bytes = Math.ceil(rows / 8);
    if (bytes > maxValueBytes()) throw new Error(`its ${rows} rows are too many for a file with deleted rows`);
    this.#rows = rows;
    this.#bits = new Uint8Array(bytes);
  }

  /** How many rows are deleted. */
  get count(): number {
    return this.#count;
  }

  /**
   * Returns whether a row is deleted.
   * @param row the number of the row, from 0
   */
  has(row: number): boolean {
    return (((this.#bits[byteOf(row)] as number) >>> (row % 8)) & 1) === 1;
  }

  /** Deletes a row. Throws if the file does not have it. */
  add(row: number): void {
    if (!(row >= 0 && row < this.#rows))
      throw new Error(`the row ${row} is deleted, and the file has ${this.#rows} rows`);
    if (this.has(row)) return;
    this.#bits[byteOf(row)] = (this.#bits[byteOf(row)] as number) | (1 << (row % 8));
    this.#count++;
  }

  /** Deletes all rows from one to before another one. */
  addRange(from: number, to: number): void {
    if (to > this.#rows) throw new Error(`the row ${to - 1} is deleted, and the file has ${this.#rows} rows`);
    for (let row = from; row < to; row++) this.add(row);
  }

  /** Returns how many rows from one to before another one are deleted. */
  countBetween(from: number, to: number): number {
    let count = 0;
    for (let row = from; row < to; row++) if (this.has(row)) count++;
    return count;
  }

  /** Returns the first row after which this many rows are not deleted, counted from `from`, at most `to`. */
  afterKept(from: number, to: number, kept: number): number {
    let row = from;
    for (let left = kept; left > 0 && row < to; row++) if (!this.has(row)) left--;
    return row;
  }

  /** Returns a bit for each row from one to before another one; undefined if none of them is deleted. */
  slice(from: number, to: number): Uint8Array | undefined {
    let bits: Uint8Array | undefined;
    for (let row = from; row < to; row++) {
      if (row % 8 === 0 && this.#bits[byteOf(row)] === 0) {
        row += 7;
        continue;
      }
      if (!this.has(row)) continue;
      bits ??= new Uint8Array(Math.ceil((to - from) / 8));
      const at = row - from;
      bits[at >>> 3] = (bits[at >>> 3] as number) | (1 << (at & 7));
    }
    return bits;
  }
}

/** The numbers of rows may have more than 32 bits. */
function byteOf(row: number): number {
  return Math.floor(row / 8);
}

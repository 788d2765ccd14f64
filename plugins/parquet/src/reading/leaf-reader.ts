import { filled } from './filled-array.ts';
import type { Block, PageReader } from './page-reader.ts';

const NO_BLOCK = { count: 0, definitions: [], repetitions: [], values: [] };
/** How many values of a column with lists are read together. */
const BLOCK_VALUES = 1024;

/** Reads the values of a column in sequence, over its pages. */
export class LeafReader<V> {
  readonly #pages: PageReader<V>;
  /** The definition level of a value that is not null. Parquet stores a level for each value. */
  readonly #full: number;
  #block: Block<V> = NO_BLOCK;
  /** The position of the next value in the block, with and without counting nulls. */
  #at = 0;
  #valueAt = 0;
  #ended = false;
  /** Where `reset` returns to, and the blocks that were read since. */
  #mark: { readonly block: Block<V>; readonly at: number; readonly valueAt: number } | undefined;
  #since: Block<V>[] = [];
  /** Blocks that are read again, in order. */
  #again: Block<V>[] = [];

  constructor(pages: PageReader<V>, full: number) {
    this.#pages = pages;
    this.#full = full;
  }

  /** Marks the current position for `reset`, and forgets the mark before it. */
  mark(): void {
    this.#mark = { block: this.#block, at: this.#at, valueAt: this.#valueAt };
    this.#since = [];
  }

  /** Returns to the mark. The values after it are not converted again. */
  reset(): void {
    if (this.#mark === undefined) throw new Error('a column has no mark');
    const { block, at, valueAt } = this.#mark;
    [this.#block, this.#at, this.#valueAt] = [block, at, valueAt];
    this.#again = [...this.#since, ...this.#again];
    this.#since = [];
  }

  /** Returns whether there is another value. */
  get hasNext(): boolean {
    return this.#fill(BLOCK_VALUES);
  }

  /** Reads the next block, of at most `most` values, if the current one has ended. Returns false after the last one. */
  #fill(most: number): boolean {
    if (this.#at < this.#block.count) return true;
    const block = this.#again.shift() ?? (this.#ended ? undefined : this.#pages.next(most));
    if (block === undefined) {
      this.#ended = true;
      return false;
    }
    if (this.#mark !== undefined) this.#since.push(block);
    this.#at = this.#valueAt = 0;
    this.#block = block;
    return true;
  }

  /** The definition level of the next value. Call it only if there is one. */
  get definition(): number {
    return this.#block.definitions[this.#at] ?? this.#full;
  }

  /** The repetition level of the next value. Call it only if there is one. */
  get repetition(): number {
    return this.#block.repetitions[this.#at] ?? 0;
  }

  /** Returns the next value, or undefined if it is missing in its row. Throws if the column is too short. */
  next(): V | undefined {
    if (!this.hasNext) throw new Error('a column ends before the rows of its row group');
    const exists = this.definition === this.#full;
    this.#at++;
    return exists ? this.#block.values[this.#valueAt++] : undefined;
  }

  /**
   * Skips rows, and before them the rest of a row that began in an earlier page. Throws if the column is too short.
   */
  skipRows(count: number): void {
    if (!this.#pages.hasLists) {
      this.skip(count);
      return;
    }
    const skipRest = () => {
      while (this.hasNext && this.repetition > 0) this.next();
    };
    skipRest();
    for (let row = 0; row < count; row++) {
      this.next();
      skipRest();
    }
  }

  /** Skips values without converting them. Throws if the column is too short. Do not `reset` to before them. */
  skip(count: number): void {
    let left = count;
    for (; left > 0 && (this.#at < this.#block.count || this.#again.length > 0); left--) this.next();
    if (left > 0) this.#pages.skip(left);
  }

  /**
   * Returns the next values of a column without lists; undefined for each that is missing. Throws if the column is too
   * short.
   */
  take(count: number): (V | undefined)[] {
    let taken: (V | undefined)[] | undefined;
    for (let filledTo = 0; filledTo < count; ) {
      if (!this.#fill(count - filledTo)) throw new Error('a column ends before the rows of its row group');
      const { definitions, values, count: found } = this.#block;
      const from = this.#at;
      const end = Math.min(found, from + count - filledTo);
      this.#at = end;
      // The values of a column without gaps are taken as they are.
      if (from === 0 && end === count && values.length === count) return values;
      taken ??= filled<V | undefined>(undefined, count);
      if (definitions.length === 0) {
        for (let i = from; i < end; i++) taken[filledTo++] = values[this.#valueAt++];
      } else {
        const full = this.#full;
        let valueAt = this.#valueAt;
        for (let i = from; i < end; i++, filledTo++) {
          if (definitions[i] === full) taken[filledTo] = values[valueAt++];
        }
        this.#valueAt = valueAt;
      }
    }
    return taken ?? [];
  }
}

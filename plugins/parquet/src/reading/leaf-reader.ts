import type { Page, PageReader } from './page-reader.ts';

const NO_PAGE = { count: 0, definitions: [], repetitions: [], values: [] };

/** Reads the values of a column in sequence, over its pages. */
export class LeafReader<V> {
  readonly #pages: PageReader<V>;
  /** The definition level of a value that is not null. Parquet stores a level for each value. */
  readonly #full: number;
  #page: Page<V> = NO_PAGE;
  /** The position of the next value in the page, with and without counting nulls. */
  #at = 0;
  #valueAt = 0;
  #ended = false;

  constructor(pages: PageReader<V>, full: number) {
    this.#pages = pages;
    this.#full = full;
  }

  /** Returns whether there is another value. */
  get hasNext(): boolean {
    if (this.#at < this.#page.count) return true;
    if (this.#ended) return false;
    const page = this.#pages.next();
    this.#at = this.#valueAt = 0;
    this.#page = page ?? NO_PAGE;
    this.#ended = page === undefined;
    return page !== undefined;
  }

  /** The definition level of the next value. Call it only if there is one. */
  get definition(): number {
    return this.#page.definitions[this.#at] ?? this.#full;
  }

  /** The repetition level of the next value. Call it only if there is one. */
  get repetition(): number {
    return this.#page.repetitions[this.#at] ?? 0;
  }

  /** Returns the next value, or undefined if it is missing in its row. Throws if the column is too short. */
  next(): V | undefined {
    if (!this.hasNext) throw new Error('a column ends before the rows of its row group');
    const exists = this.definition === this.#full;
    this.#at++;
    return exists ? this.#page.values[this.#valueAt++] : undefined;
  }

  /**
   * Skips rows, and before them the rest of a row that began in an earlier page. Throws if the column is too short.
   */
  skipRows(count: number): void {
    const skipRest = () => {
      while (this.hasNext && this.repetition > 0) this.next();
    };
    skipRest();
    for (let row = 0; row < count; row++) {
      this.next();
      skipRest();
    }
  }

  /**
   * Returns the next values of a column without lists; undefined for each that is missing. Throws if the column is too
   * short.
   */
  take(count: number): (V | undefined)[] {
    const taken: (V | undefined)[] = [];
    while (taken.length < count) {
      if (!this.hasNext) throw new Error('a column ends before the rows of its row group');
      const { definitions, values } = this.#page;
      const end = Math.min(this.#page.count, this.#at + count - taken.length);
      if (definitions.length === 0) {
        for (let i = this.#at; i < end; i++) taken.push(values[this.#valueAt++]);
      } else {
        for (let i = this.#at; i < end; i++) {
          taken.push(definitions[i] === this.#full ? values[this.#valueAt++] : undefined);
        }
      }
      this.#at = end;
    }
    return taken;
  }
}

/** A power of two. */
const PLACES = 4096;

/**
 * What was made of some numbers lately, at most a few thousand of them: each has one place, which it shares with others,
 * and the last one to come has it.
 */
export class RecentValues<T> {
  readonly #keys = new Int32Array(PLACES).fill(-1);
  readonly #values: T[] = [];
  readonly #make: (key: number) => T;

  /** @param make makes the value of a number that is not at hand */
  constructor(make: (key: number) => T) {
    this.#make = make;
  }

  /** @param key 0 or more */
  get(key: number): T {
    const place = key & (PLACES - 1);
    if (this.#keys[place] !== key) {
      this.#values[place] = this.#make(key);
      this.#keys[place] = key;
    }
    return this.#values[place] as T;
  }
}

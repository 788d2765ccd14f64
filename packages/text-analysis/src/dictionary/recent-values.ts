/** The number of slots, a power of two. */
const PLACES = 4096;

/**
 * A cache of values by number, for at most a few thousand values. Several numbers share a slot, and the last one
 * replaces the previous one.
 */
export class RecentValues<T> {
  readonly #keys = new Int32Array(PLACES).fill(-1);
  readonly #values: T[] = [];
  readonly #make: (key: number) => T;

  /** @param make creates the value of a number that is not in the cache */
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

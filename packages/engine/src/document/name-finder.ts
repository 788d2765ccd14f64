/** V8 never stores a text shorter than this as a part of another text, which would stay in memory. */
const MIN_PART = 13;

/**
 * Finds the positions of names in a list. A loop over documents asks for the same names in the same order. So the
 * name that followed the last one, and the last one, are compared first. This is faster than a map, in particular if it
 * is the same string.
 */
export class NameFinder {
  readonly #positions: Map<string, number>;
  /** For each position: the name, as it was last asked for. */
  readonly #names: string[];
  /** For each position: the other position that was asked for after it. */
  readonly #followers: number[];
  #last = 0;

  /** @param names distinct names */
  constructor(names: readonly string[]) {
    this.#positions = new Map(names.map((name, at) => [name, at]));
    this.#names = [...names];
    this.#followers = names.map((_, at) => at);
  }

  get count(): number {
    return this.#names.length;
  }

  /** Returns the position of a name, or -1. */
  find(name: string): number {
    const last = this.#last;
    const next = this.#followers[last] as number;
    if (this.#names[next] === name) {
      this.#last = next;
      return next;
    }
    return this.#names[last] === name ? last : this.#search(name);
  }

  /** Adds a new name at the end. Returns its position. */
  add(name: string): number {
    const at = this.#names.length;
    this.#positions.set(name, at);
    this.#names.push(name);
    this.#followers.push(at);
    return at;
  }

  #search(name: string): number {
    const at = this.#positions.get(name);
    if (at === undefined) return -1;
    if (name.length < MIN_PART) this.#names[at] = name;
    this.#followers[this.#last] = at;
    this.#last = at;
    return at;
  }
}

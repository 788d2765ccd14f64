/** Numbers that follow from a seed (mulberry32). */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0, below `n`. */
  below(n) {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % n;
  }

  /** Whether something with this share happens. */
  chance(share) {
    return this.below(1_000_000) < share * 1_000_000;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /** The list in another order. */
  shuffled(list) {
    const result = [...list];
    for (let i = result.length - 1; i > 0; i--) {
      const other = this.below(i + 1);
      [result[i], result[other]] = [result[other], result[i]];
    }
    return result;
  }
}

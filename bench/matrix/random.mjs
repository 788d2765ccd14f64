/** Pseudo-random numbers that depend only on a seed (Mulberry32). */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** Returns a whole number from 0 to `n - 1`. */
  below(n) {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % n;
  }

  /** Returns true with this probability. */
  chance(share) {
    return this.below(1_000_000) < share * 1_000_000;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /** Returns the list in random order. */
  shuffled(list) {
    const result = [...list];
    for (let i = result.length - 1; i > 0; i--) {
      const other = this.below(i + 1);
      [result[i], result[other]] = [result[other], result[i]];
    }
    return result;
  }
}

const WINDOW = 5;

/** Documents per second over the last few samples, taken about once a second. */
export class DocsRate {
  readonly #samples: { seconds: number; documents: number }[] = [];

  /** @param documents how many were finished at this time */
  sample(seconds: number, documents: number): void {
    this.#samples.push({ seconds, documents });
    if (this.#samples.length > WINDOW + 1) this.#samples.shift();
  }

  get perSecond(): number {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.seconds <= first.seconds) return 0;
    return roundRate((last.documents - first.documents) / (last.seconds - first.seconds));
  }
}

/** A rate has one decimal. */
export function roundRate(rate: number): number {
  return Math.round(rate * 10) / 10;
}

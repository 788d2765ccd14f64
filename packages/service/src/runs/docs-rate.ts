const WINDOW = 5;

/** Computes the documents per second over the last few samples, which are taken about once a second. */
export class DocsRate {
  readonly #samples: { seconds: number; documents: number }[] = [];

  /** @param documents the number of documents that were finished at this time */
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

/** Rounds a rate to one decimal. */
export function roundRate(rate: number): number {
  return Math.round(rate * 10) / 10;
}

/** The time after which a part is posted, so that a large batch does not delay progress. */
export const PART_MILLIS = 250;
/** The approximate interval between two readings of the clock, and the maximum number of documents between them. */
const LOOK_MILLIS = 10;
const MAX_LOOKS_APART = 64;
/** The minimum duration of a pass, as a multiple of the time for decoding the finished documents again. */
const PASS_FOR_SKIPPING = 10;

/**
 * Measures the passes over a batch and decides when a pass must end. A pass decodes its batch from the start. The
 * longer it takes to skip the finished documents, the longer the pass may take.
 */
export class PassClock {
  readonly #now: () => number;
  #skippingMillis = 0;
  #passMillis = 0;
  #passStarted = 0;
  #lastLook = 0;
  #looksApart = 1;
  #untilLook = 1;

  /** @param now returns the current time in milliseconds; never 0 */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Call this before the first pass of a batch. */
  startBatch(): void {
    this.#skippingMillis = 0;
  }

  /** Call this when a pass starts to decode. */
  startPass(): void {
    this.#passStarted = 0;
    this.#lastLook = this.#now();
  }

  /** True if the pass has reached the first unfinished document. */
  get isWorking(): boolean {
    return this.#passStarted !== 0;
  }

  /**
   * Must be called when the pass reaches the first unfinished document. The time for decoding finished documents again
   * does not count as work of the stages.
   * @param skipped true if finished documents were decoded again
   */
  startWork(skipped: boolean): void {
    const now = this.#now();
    this.#skippingMillis = skipped ? now - this.#lastLook : 0;
    this.#passMillis = Math.max(PART_MILLIS, PASS_FOR_SKIPPING * this.#skippingMillis);
    this.#passStarted = this.#lastLook = now;
    this.#untilLook = this.#looksApart = 1;
  }

  /**
   * The time on the clock that a pass may take in addition to its work: for repeated decoding, and for a part that is
   * due.
   */
  get allowanceMillis(): number {
    return 2 * PART_MILLIS + 2 * PASS_FOR_SKIPPING * this.#skippingMillis;
  }

  /**
   * Returns true if the pass must end.
   * @param documents the number of documents since the last call
   */
  isOver(documents: number): boolean {
    this.#untilLook -= documents;
    if (this.#untilLook > 0) return false;
    const now = this.#now();
    // Reading the clock takes as long as setting a field. So it is read rarely while documents are fast, and for every
    // slow document.
    const millisPerDocument = (now - this.#lastLook) / this.#looksApart;
    // The distance at most doubles, because fast documents may be followed by slow ones.
    const apart = Math.min(2 * this.#looksApart, MAX_LOOKS_APART, Math.floor(LOOK_MILLIS / millisPerDocument));
    this.#looksApart = Math.max(1, apart);
    this.#untilLook = this.#looksApart;
    this.#lastLook = now;
    return now - this.#passStarted > this.#passMillis;
  }
}

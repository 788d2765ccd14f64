/** A part is posted after this long, so that a large batch does not delay progress. */
export const PART_MILLIS = 250;
/** The clock is read about this often, and at least once in this many documents. */
const LOOK_MILLIS = 10;
const MAX_LOOKS_APART = 64;
/** A pass is this many times as long as the time to decode the finished documents again. */
const PASS_FOR_SKIPPING = 10;

/**
 * Measures the passes over a batch, and decides when a pass has taken long enough. A pass decodes its batch from the
 * start: the longer it takes to skip the finished documents, the longer the pass may be.
 */
export class PassClock {
  readonly #now: () => number;
  #skippingMillis = 0;
  #passMillis = 0;
  #passStarted = 0;
  #lastLook = 0;
  #looksApart = 1;
  #untilLook = 1;

  /** @param now a clock, in milliseconds; never 0 */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Call this before the first pass of a batch. */
  startBatch(): void {
    this.#skippingMillis = 0;
  }

  /** Call this when a pass begins to decode. */
  startPass(): void {
    this.#passStarted = 0;
    this.#lastLook = this.#now();
  }

  /** Whether the pass has reached the first unfinished document. */
  get isWorking(): boolean {
    return this.#passStarted !== 0;
  }

  /**
   * Call this when the pass reaches the first unfinished document. The time to decode finished documents again is not
   * work of the stages.
   * @param skipped whether something was decoded again
   */
  startWork(skipped: boolean): void {
    const now = this.#now();
    this.#skippingMillis = skipped ? now - this.#lastLook : 0;
    this.#passMillis = Math.max(PART_MILLIS, PASS_FOR_SKIPPING * this.#skippingMillis);
    this.#passStarted = this.#lastLook = now;
    this.#untilLook = this.#looksApart = 1;
  }

  /** How much longer than its work a pass may take on the clock: for repeated decoding, and for a part that is due. */
  get allowanceMillis(): number {
    return 2 * PART_MILLIS + 2 * PASS_FOR_SKIPPING * this.#skippingMillis;
  }

  /**
   * Whether the pass has taken long enough.
   * @param documents how many were processed since the last call
   */
  isOver(documents: number): boolean {
    this.#untilLook -= documents;
    if (this.#untilLook > 0) return false;
    const now = this.#now();
    // Reading the clock costs as much as setting a field. So it is read rarely while documents are fast, and for every
    // slow document.
    const millisPerDocument = (now - this.#lastLook) / this.#looksApart;
    // At most twice as far as before, because documents that were fast may become slow.
    const apart = Math.min(2 * this.#looksApart, MAX_LOOKS_APART, Math.floor(LOOK_MILLIS / millisPerDocument));
    this.#looksApart = Math.max(1, apart);
    this.#untilLook = this.#looksApart;
    this.#lastLook = now;
    return now - this.#passStarted > this.#passMillis;
  }
}

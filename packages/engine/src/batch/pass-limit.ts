/**
 * The time limit of a pass, as a fraction of the limit of a document. When V8 interrupts a pass, the current document
 * is processed alone with its full limit. So a document that uses its full limit costs little more than the limit, at
 * any position in a pass.
 */
export const PASS_PART = 1 / 16;
/** The time on the clock for reading a record if the thread gets no processor time, as a multiple of the limit. */
const STARVED_READING = 16;

/**
 * The time limit of the passes over a batch. Most passes get a small fraction of the limit of a document. A pass that
 * was interrupted before it had read one record is repeated with the full limit. The next repetition gets several
 * limits, because the machine may be busy.
 */
export class PassLimit {
  /** The time limit of a document in milliseconds. */
  readonly #documentMillis: number;
  /** The number of consecutive passes that were interrupted before they had read a record. */
  #unread = 0;
  #isAlone = false;

  /** @param documentMillis the time limit of a document in milliseconds */
  constructor(documentMillis: number) {
    this.#documentMillis = documentMillis;
  }

  /** Call this before the first pass of a batch. */
  startBatch(): void {
    this.#unread = 0;
    this.#isAlone = false;
  }

  /**
   * True if the rest of the batch is processed one document at a time, because a pass was interrupted during a
   * document.
   */
  get isAlone(): boolean {
    return this.#isAlone;
  }

  /** The time limit of the next pass in milliseconds. */
  get millis(): number {
    if (this.#unread > 1) return STARVED_READING * this.#documentMillis;
    return this.#isAlone || this.#unread > 0 ? this.#documentMillis : PASS_PART * this.#documentMillis;
  }

  /** Call this when a pass has read a record. */
  noteRead(): void {
    this.#unread = 0;
  }

  /** Call this when V8 interrupted a pass during the processing of a document. */
  noteEndedAtDocument(): void {
    this.#isAlone = true;
  }

  /**
   * Must be called when V8 interrupted a pass during the reading of a record.
   * @param usedMillis the processor time of the pass
   * @returns true to read the record again with more time; false if it has used all its time
   */
  noteEndedUnread(usedMillis: number): boolean {
    const limit = this.#documentMillis;
    if (this.#unread > 1 || (this.millis >= limit && usedMillis >= limit)) return false;
    this.#unread = this.millis < limit ? 1 : 2;
    return true;
  }
}

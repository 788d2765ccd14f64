/**
 * A pass may take this part of a document's time limit. When V8 ends it, the document in progress is processed alone,
 * with its full time limit. So a document that uses up its limit costs little more than the limit itself, at any
 * position in a pass.
 */
export const PASS_PART = 1 / 16;
/** How many times its limit the reading of a record may take on the clock if the thread gets no processor time. */
const STARVED_READING = 16;

/**
 * How long a pass over a batch may take before V8 ends it. Most passes get a small part of a document's limit. A pass
 * that ended before it had read one record is repeated with the whole limit, then with several limits, because the
 * machine may be busy.
 */
export class PassLimit {
  /** What a document may compute, in milliseconds. */
  readonly #documentMillis: number;
  /** How many passes in a row ended before they had read anything. */
  #unread = 0;
  #isAlone = false;

  /** @param documentMillis what a document may compute */
  constructor(documentMillis: number) {
    this.#documentMillis = documentMillis;
  }

  /** Call this before the first pass of a batch. */
  startBatch(): void {
    this.#unread = 0;
    this.#isAlone = false;
  }

  /** Whether the rest of the batch is processed document by document, because a pass was ended during a document. */
  get isAlone(): boolean {
    return this.#isAlone;
  }

  /** How long the next pass may take. */
  get millis(): number {
    if (this.#unread > 1) return STARVED_READING * this.#documentMillis;
    return this.#isAlone || this.#unread > 0 ? this.#documentMillis : PASS_PART * this.#documentMillis;
  }

  /** A pass has read a record. */
  noteRead(): void {
    this.#unread = 0;
  }

  /** V8 ended a pass while it processed a document. */
  noteEndedAtDocument(): void {
    this.#isAlone = true;
  }

  /**
   * V8 ended a pass while it read one record.
   * @param usedMillis processor time of the pass
   * @returns whether to read the record again with more time; false if it has used all its time
   */
  noteEndedUnread(usedMillis: number): boolean {
    const limit = this.#documentMillis;
    if (this.#unread > 1 || (this.millis >= limit && usedMillis >= limit)) return false;
    this.#unread = this.millis < limit ? 1 : 2;
    return true;
  }
}

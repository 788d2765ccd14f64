/**
 * A pass is ended after this part of what a document may compute: then the document that it was at is processed alone,
 * with all its time. So a document that uses up its limit costs little more than that, wherever in a pass it comes.
 */
export const PASS_PART = 1 / 16;
/** How many times as long as its limit the reading of a record may take where the thread gets no processor. */
const STARVED_READING = 16;

/**
 * How long a pass over a batch may take before V8 ends it. Most passes get a small part of a document's limit. A pass
 * that was ended before it had read one record is tried again with the whole limit, then with several: the machine may
 * be busy.
 */
export class PassLimit {
  /** What a document may compute, in milliseconds. */
  readonly #documentMillis: number;
  /** How many passes in a row were ended before they had read anything. */
  #unread = 0;
  #isAlone = false;

  /** @param documentMillis what a document may compute */
  constructor(documentMillis: number) {
    this.#documentMillis = documentMillis;
  }

  /** To be called before the first pass of a batch. */
  startBatch(): void {
    this.#unread = 0;
    this.#isAlone = false;
  }

  /** Whether the rest of the batch is processed document by document: a pass was ended at one of them. */
  get isAlone(): boolean {
    return this.#isAlone;
  }

  /** How long the next pass may take. */
  get millis(): number {
    if (this.#unread > 1) return STARVED_READING * this.#documentMillis;
    return this.#isAlone || this.#unread > 0 ? this.#documentMillis : PASS_PART * this.#documentMillis;
  }

  /** A pass has read something. */
  noteRead(): void {
    this.#unread = 0;
  }

  /** A pass was ended while it processed a document. */
  noteEndedAtDocument(): void {
    this.#isAlone = true;
  }

  /**
   * A pass was ended while it read one record.
   * @param usedMillis processor time of the pass
   * @returns whether the record is to be read again, with more time; false when it has had all its time
   */
  noteEndedUnread(usedMillis: number): boolean {
    const limit = this.#documentMillis;
    if (this.#unread > 1 || (this.millis >= limit && usedMillis >= limit)) return false;
    this.#unread = this.millis < limit ? 1 : 2;
    return true;
  }
}

import { SHORT_PART } from '../execution/deadline.ts';

/** The time after which a part is posted, so that a large batch does not delay progress. */
export const PART_MILLIS = 250;
/** The approximate interval between two readings of the clock, and the maximum number of documents between them. */
const LOOK_MILLIS = 10;
const MAX_LOOKS_APART = 64;
/** The minimum duration of a pass, as a multiple of the time for decoding the finished documents again. */
const PASS_FOR_SKIPPING = 10;
/** The time on the clock for reading a record if the thread gets no processor time, as a multiple of the limit. */
const STARVED_READING = 16;

/**
 * The time of the passes over a batch: when V8 interrupts a pass, and when it ends by itself, between two documents.
 * Most passes get a small fraction of the limit of a document. A pass that was interrupted before it had read one
 * record is repeated with the full limit. The next repetition gets several limits, because the machine may be busy.
 * A pass decodes its batch from the start. The longer it takes to skip the finished documents, the longer the pass may
 * take.
 */
export class PassTime {
  /** The time limit of a document in milliseconds. */
  readonly #documentMillis: number;
  readonly #now: () => number;
  /** The number of consecutive passes that were interrupted before they had read a record. */
  #unread = 0;
  #skippingMillis = 0;
  #passMillis = 0;
  #passStarted = 0;
  #lastLook = 0;
  #looksApart = 1;
  #untilLook = 1;

  /**
   * @param documentMillis the time limit of a document in milliseconds
   * @param now returns the current time in milliseconds; never 0
   */
  constructor(documentMillis: number, now: () => number = () => performance.now()) {
    this.#documentMillis = documentMillis;
    this.#now = now;
  }

  /** Call this before the first pass of a batch. */
  startBatch(): void {
    this.#unread = 0;
    this.#skippingMillis = 0;
  }

  /** Call this when a pass starts to decode. */
  startPass(): void {
    this.#passStarted = 0;
    this.#lastLook = this.#now();
  }

  /**
   * The time on the clock after which V8 interrupts the next pass, in milliseconds. In addition to its work, a pass may
   * decode finished documents again, and process documents until a part is due.
   * @param isAlone true if the pass only decodes documents, which are then processed alone
   */
  limitMillis(isAlone: boolean): number {
    return this.#workMillis(isAlone) + 2 * PART_MILLIS + 2 * PASS_FOR_SKIPPING * this.#skippingMillis;
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

  /** Call this when a pass has read a record. */
  noteRead(): void {
    this.#unread = 0;
  }

  /**
   * Must be called when V8 interrupted a pass during the reading of a record.
   * @param isAlone see `limitMillis`
   * @param usedMillis the processor time of the pass
   * @returns true to read the record again with more time; false if it has used all its time
   */
  noteEndedUnread(isAlone: boolean, usedMillis: number): boolean {
    const limit = this.#documentMillis;
    const isFull = this.#workMillis(isAlone) >= limit;
    if (this.#unread > 1 || (isFull && usedMillis >= limit)) return false;
    this.#unread = isFull ? 2 : 1;
    return true;
  }

  #workMillis(isAlone: boolean): number {
    const limit = this.#documentMillis;
    if (this.#unread > 1) return STARVED_READING * limit;
    return isAlone || this.#unread > 0 ? limit : SHORT_PART * limit;
  }
}

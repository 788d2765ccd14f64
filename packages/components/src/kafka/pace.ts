/** The minimum time with messages in progress, in milliseconds, over which a rate is measured. */
const SAMPLE_MS = 200;
/** A chunk has the messages of an eighth of a second. After a kill, at most a few chunks are processed again. */
const PIECE_SECONDS = 1 / 8;
const MAX_PIECE = 1000;
/**
 * At most the messages of four seconds are in progress. A partition can then be released, or a run stopped, within
 * seconds.
 */
const SECONDS_IN_PROGRESS = 4;
/** At least this many messages are in progress, because some slow stages process many documents together. */
const MIN_IN_PROGRESS = 256;
/** The assumed rate before the first measurement, in messages per second. */
const FIRST_RATE = 256;

/**
 * Measures how fast messages finish. From the rate follow the size of a chunk and the maximum number of messages in
 * progress.
 */
export class Pace {
  #rate = FIRST_RATE;
  /** The time up to which `millis` is counted. */
  #since = 0;
  #millis = 0;
  #counted = 0;
  /** The number of messages in progress. */
  #inProgress = 0;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The maximum number of messages in a chunk. */
  get piece(): number {
    return Math.max(1, Math.min(MAX_PIECE, Math.round(this.#rate * PIECE_SECONDS)));
  }

  /** Returns true if more messages may be sent. */
  get hasCapacity(): boolean {
    return this.#inProgress < Math.max(MIN_IN_PROGRESS, this.#rate * SECONDS_IN_PROGRESS);
  }

  sent(messages: number): void {
    // Time in which nothing is in progress does not count.
    if (this.#inProgress === 0) this.#since = this.#now();
    this.#inProgress += messages;
  }

  finished(messages: number): void {
    this.#inProgress -= messages;
    this.#counted += messages;
    const now = this.#now();
    this.#millis += now - this.#since;
    this.#since = now;
    if (this.#millis >= SAMPLE_MS) this.#rate = (this.#counted / this.#millis) * 1000;
    // The sample is too short to measure the rate exactly, so the rate at most doubles.
    else if (this.#counted >= (this.#rate * SAMPLE_MS) / 1000) this.#rate *= 2;
    else return;
    this.#millis = 0;
    this.#counted = 0;
  }
}

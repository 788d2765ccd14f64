/** A rate is measured over at least so many milliseconds of work. */
const SAMPLE_MS = 200;
/** Messages travel in pieces of an eighth of a second of work, so that a kill repeats little that has been written. */
const PIECE_SECONDS = 1 / 8;
const MAX_PIECE = 1000;
/** What is in progress is finished before a partition is given up, or the run is stopped: within seconds. */
const UNDER_WAY_SECONDS = 4;
/** Never fewer, so that slow stages that take many documents at once get them. */
const MIN_UNDER_WAY = 256;
/** Before anything is known. */
const FIRST_RATE = 256;

/** How fast messages are brought to their end, and how many to send at once and to have in progress therefore. */
export class Pace {
  #rate = FIRST_RATE;
  /** When the time of the sample was counted last. */
  #since = 0;
  #millis = 0;
  #counted = 0;
  /** How many are in progress. */
  #underWay = 0;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** How many messages are sent together, at most. */
  get piece(): number {
    return Math.max(1, Math.min(MAX_PIECE, Math.round(this.#rate * PIECE_SECONDS)));
  }

  /** Whether more may be sent. */
  get hasCapacity(): boolean {
    return this.#underWay < Math.max(MIN_UNDER_WAY, this.#rate * UNDER_WAY_SECONDS);
  }

  sent(messages: number): void {
    // Time in which nothing is in progress does not count.
    if (this.#underWay === 0) this.#since = this.#now();
    this.#underWay += messages;
  }

  finished(messages: number): void {
    this.#underWay -= messages;
    this.#counted += messages;
    const now = this.#now();
    this.#millis += now - this.#since;
    this.#since = now;
    if (this.#millis >= SAMPLE_MS) this.#rate = (this.#counted / this.#millis) * 1000;
    // Twice at a time: what is finished at one moment may have taken longer than it looks.
    else if (this.#counted >= (this.#rate * SAMPLE_MS) / 1000) this.#rate *= 2;
    else return;
    this.#millis = 0;
    this.#counted = 0;
  }
}

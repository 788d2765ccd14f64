/**
 * The maximum number of runs that wait for another run. Each has a thread, so it needs memory. If there are more, new runs
 * stay in the queue until one of these continues.
 */
const MAX_WAITING = 16;

/**
 * The places of the runs that have begun. A run that waits for another one with the same destination gives its place back,
 * and takes one again before it continues. So the runs in places never wait, and each wait ends: a run waits only for runs
 * that have begun, and those get a place before the runs in the queue.
 */
export class RunPlaces<Run> {
  readonly #places: number;
  #begun = 0;
  /** The runs without a place, and for those whose wait is over, the function that lets them continue. */
  readonly #waiting = new Map<Run, (() => void) | undefined>();

  constructor(places: number) {
    this.#places = places;
  }

  /** The number of runs that have begun and not ended, with those that wait. */
  get begun(): number {
    return this.#begun;
  }

  /** The number of runs that have begun and wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Gives the free places to the runs that may continue. Returns whether there is still one for a run that begins. */
  mayBegin(): boolean {
    for (const [run, goOn] of this.#waiting) {
      if (goOn === undefined) continue;
      if (!this.#hasFree()) return false;
      this.#waiting.delete(run);
      goOn();
    }
    return this.#hasFree() && this.#waiting.size < MAX_WAITING;
  }

  begin(): void {
    this.#begun++;
  }

  end(run: Run): void {
    this.#begun--;
    this.#waiting.delete(run);
  }

  /** A run begins to wait. */
  wait(run: Run): void {
    this.#waiting.set(run, undefined);
  }

  /** The wait of a run is over. Resolves when it has a place again; never if it ends before. */
  whenPlaced(run: Run): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(run, resolve));
  }

  #hasFree(): boolean {
    return this.#begun - this.#waiting.size < this.#places;
  }
}

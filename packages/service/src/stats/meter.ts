import { type Clock, monotonic } from '../time/clock.ts';
import { Ewma, TICK_SECONDS } from './ewma.ts';

/** The number of ticks after which every average is zero. An idle meter does not need to apply more of them. */
const TICKS_TO_ZERO = (24 * 3600) / TICK_SECONDS;

/** Counts events, and measures their rate: in total and over the last 1, 5 and 15 minutes. */
export class Meter {
  readonly #clock: Clock;
  readonly #start: number;
  readonly #averages = [new Ewma(1), new Ewma(5), new Ewma(15)] as const;
  #lastTick: number;
  #count = 0;

  constructor(clock: Clock = monotonic) {
    this.#clock = clock;
    this.#start = clock();
    this.#lastTick = this.#start;
  }

  mark(events = 1): void {
    this.#catchUp();
    this.#count += events;
    for (const average of this.#averages) average.update(events);
  }

  get count(): number {
    return this.#count;
  }

  /** Returns the events per second. */
  rates(): { m1: number; m5: number; m15: number; mean: number } {
    this.#catchUp();
    const elapsed = this.#clock() - this.#start;
    const [m1, m5, m15] = this.#averages;
    return { m1: m1.rate, m5: m5.rate, m15: m15.rate, mean: elapsed <= 0 ? 0 : this.#count / elapsed };
  }

  /** Applies the ticks that are due. They are computed on request, so no timer is needed. */
  #catchUp(): void {
    const due = Math.floor((this.#clock() - this.#lastTick) / TICK_SECONDS);
    if (due <= 0) return;
    this.#lastTick += due * TICK_SECONDS;
    for (let i = Math.min(due, TICKS_TO_ZERO); i > 0; i--) for (const average of this.#averages) average.tick();
  }
}

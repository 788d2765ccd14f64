import { type Clock, monotonic } from '../time/clock.ts';

const SIZE = 1028;
const ALPHA = 0.015;
/** Weights grow as e^(alpha * seconds). Rescaling after this time keeps them in the range of a double. */
const RESCALE_SECONDS = 3600;

/**
 * A sample of values that prefers the last five minutes: forward-decaying priority sampling (Cormode and others,
 * "Forward Decay", ICDE 2009), with the size and the factor of Dropwizard Metrics. The sample contains the values with
 * the highest priorities, in a heap whose root has the lowest priority.
 */
export class DecayingReservoir {
  readonly #clock: Clock;
  readonly #priorities = new Float64Array(SIZE);
  readonly #values = new Float64Array(SIZE);
  readonly #weights = new Float64Array(SIZE);
  #size = 0;
  #start: number;

  constructor(clock: Clock = monotonic) {
    this.#clock = clock;
    this.#start = clock();
  }

  update(value: number): void {
    const now = this.#clock();
    if (now - this.#start >= RESCALE_SECONDS) this.#rescale(now);
    const weight = Math.exp(ALPHA * (now - this.#start));
    const priority = weight / (1 - Math.random());
    if (this.#size < SIZE) {
      this.#siftUp(this.#size++, priority, value, weight);
    } else if (priority > (this.#priorities[0] as number)) {
      this.#siftDown(priority, value, weight);
    }
  }

  /** Returns the sampled values with their weights, in no particular order. */
  sample(): { value: number; weight: number }[] {
    return Array.from({ length: this.#size }, (_, i) => ({
      value: this.#values[i] as number,
      weight: this.#weights[i] as number,
    }));
  }

  #siftUp(from: number, priority: number, value: number, weight: number): void {
    let i = from;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if ((this.#priorities[parent] as number) <= priority) break;
      this.#move(parent, i);
      i = parent;
    }
    this.#put(i, priority, value, weight);
  }

  #siftDown(priority: number, value: number, weight: number): void {
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= SIZE) break;
      if (child + 1 < SIZE && (this.#priorities[child + 1] as number) < (this.#priorities[child] as number)) child++;
      if ((this.#priorities[child] as number) >= priority) break;
      this.#move(child, i);
      i = child;
    }
    this.#put(i, priority, value, weight);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#priorities[from] as number, this.#values[from] as number, this.#weights[from] as number);
  }

  #put(i: number, priority: number, value: number, weight: number): void {
    this.#priorities[i] = priority;
    this.#values[i] = value;
    this.#weights[i] = weight;
  }

  #rescale(now: number): void {
    const factor = Math.exp(-ALPHA * (now - this.#start));
    this.#start = now;
    for (let i = 0; i < this.#size; i++) {
      (this.#priorities[i] as number) *= factor;
      (this.#weights[i] as number) *= factor;
    }
  }
}

import { type Clock, monotonic } from '../time/clock.ts';
import { Histogram } from './histogram.ts';
import { Meter } from './meter.ts';

/** A count that events increase or decrease. */
export class Counter {
  #count = 0;

  add(amount = 1): void {
    this.#count += amount;
  }

  get count(): number {
    return this.#count;
  }
}

/** How often something is done, and how long it takes, in seconds. */
export class Timer {
  readonly meter: Meter;
  readonly histogram: Histogram;

  constructor(clock: Clock = monotonic) {
    this.meter = new Meter(clock);
    this.histogram = new Histogram(clock);
  }

  update(seconds: number): void {
    this.meter.mark();
    this.histogram.update(seconds);
  }
}

/** The measurements of a service by name; asking for a name the first time makes it. */
export class Metrics {
  readonly counters = new Map<string, Counter>();
  readonly gauges = new Map<string, () => number>();
  readonly histograms = new Map<string, Histogram>();
  readonly meters = new Map<string, Meter>();
  readonly timers = new Map<string, Timer>();
  readonly #clock: Clock;

  constructor(clock: Clock = monotonic) {
    this.#clock = clock;
  }

  counter(name: string): Counter {
    return this.counters.getOrInsertComputed(name, () => new Counter());
  }

  /** A number that is read when somebody asks. */
  gauge(name: string, read: () => number): void {
    this.gauges.set(name, read);
  }

  histogram(name: string): Histogram {
    return this.histograms.getOrInsertComputed(name, () => new Histogram(this.#clock));
  }

  meter(name: string): Meter {
    return this.meters.getOrInsertComputed(name, () => new Meter(this.#clock));
  }

  timer(name: string): Timer {
    return this.timers.getOrInsertComputed(name, () => new Timer(this.#clock));
  }
}

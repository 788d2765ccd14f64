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

/** Measures how often something happens, and how long it takes in seconds. */
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

/** The measurements of a service by name. A measurement is created when its name is used for the first time. */
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

  /** Adds a number that is read on request. */
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

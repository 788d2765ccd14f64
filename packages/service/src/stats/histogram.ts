import { type Clock, monotonic } from '../time/clock.ts';
import { DecayingReservoir } from './decaying-reservoir.ts';

/** The distribution of values. Recent values have more weight. */
export interface Distribution {
  min: number;
  max: number;
  mean: number;
  stddev: number;
  p50: number;
  p75: number;
  p95: number;
  p98: number;
  p99: number;
  p999: number;
}

/** Counts values and keeps a sample of them. */
export class Histogram {
  readonly #reservoir: DecayingReservoir;
  #count = 0;
  #sum = 0;

  constructor(clock: Clock = monotonic) {
    this.#reservoir = new DecayingReservoir(clock);
  }

  update(value: number): void {
    this.#count++;
    this.#sum += value;
    this.#reservoir.update(value);
  }

  get count(): number {
    return this.#count;
  }

  /** The sum of all values, including those that are not in the sample. */
  get sum(): number {
    return this.#sum;
  }

  distribution(): Distribution {
    const sample = this.#reservoir.sample().sort((a, b) => a.value - b.value);
    const total = sample.reduce((sum, { weight }) => sum + weight, 0);
    // The weight of a very old value underflows to zero.
    if (sample.length === 0 || total === 0) return EMPTY;
    const mean = sample.reduce((sum, { value, weight }) => sum + value * weight, 0) / total;
    const variance = sample.reduce((sum, { value, weight }) => sum + weight * (value - mean) ** 2, 0) / total;
    const quantile = (q: number) => {
      let below = 0;
      for (const { value, weight } of sample) {
        below += weight;
        if (below >= q * total) return value;
      }
      return (sample.at(-1) as { value: number }).value;
    };
    return {
      min: (sample[0] as { value: number }).value,
      max: (sample.at(-1) as { value: number }).value,
      mean,
      stddev: Math.sqrt(variance),
      p50: quantile(0.5),
      p75: quantile(0.75),
      p95: quantile(0.95),
      p98: quantile(0.98),
      p99: quantile(0.99),
      p999: quantile(0.999),
    };
  }
}

const EMPTY: Distribution = Object.freeze({
  min: 0,
  max: 0,
  mean: 0,
  stddev: 0,
  p50: 0,
  p75: 0,
  p95: 0,
  p98: 0,
  p99: 0,
  p999: 0,
});

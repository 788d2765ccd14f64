import { Type } from '@headrace/engine';
import type { RunDetails } from '../api/run-details.ts';

/** The maximum number of samples of a run. When there are more, every second one is removed. */
const MAX_SAMPLES = 300;
/** A running run stores its samples after so many measurements. */
const STORE_STEP = 10;

const Sample = Type.Object({
  time: Type.Number({ description: 'Seconds since the epoch' }),
  finished: Type.Integer({ description: 'Documents that had succeeded, failed or were dropped' }),
  failed: Type.Integer(),
  pending: Type.Integer({ description: 'Documents in flight' }),
});

/** The counts of a run over time. */
export const RunSamplesAnswer = Type.Object({
  items: Type.Array(Sample, { maxItems: MAX_SAMPLES + 1, description: 'Oldest first' }),
});

type Progress = Pick<RunDetails['progress'], 'succeeded' | 'failed' | 'dropped' | 'pending'>;
type SampleValues = readonly [time: number, finished: number, failed: number, pending: number];

/**
 * The counts of a run over time, in a bounded number of samples. A long run has one sample for each of its equal parts:
 * the distance between samples doubles when there are too many.
 */
export class RunSamples {
  #samples: SampleValues[] = [];
  /** Of so many measurements, one becomes a sample. */
  #step = 1;
  #measured = 0;
  /** The newest measurement, which is always shown. */
  #last: SampleValues | undefined;
  #nextStore = 1;

  /** Adds a measurement. Call it in equal intervals. */
  add(time: number, progress: Progress): void {
    const sample = valuesOf(time, progress);
    this.#last = sample;
    if (this.#measured++ % this.#step !== 0) return;
    this.#samples.push(sample);
    if (this.#samples.length <= MAX_SAMPLES) return;
    this.#samples = this.#samples.filter((_, i) => i % 2 === 0);
    this.#step *= 2;
  }

  /**
   * Returns the samples as JSON if they must be stored now: at the end of a run, and after some measurements. Each time,
   * all of them are written.
   */
  toStore(done: boolean): string | undefined {
    if (!done && this.#measured < this.#nextStore) return undefined;
    this.#nextStore = this.#measured + STORE_STEP;
    return this.toJson();
  }

  /** Returns the samples as JSON. */
  toJson(): string {
    const last = this.#last === undefined || this.#last === this.#samples.at(-1) ? [] : [this.#last];
    const items = [...this.#samples, ...last].map(([time, finished, failed, pending]) => ({
      time,
      finished,
      failed,
      pending,
    }));
    return JSON.stringify({ items });
  }
}

/** Returns the time of the newest of these samples, which are JSON, or 0 if there are none. */
export function lastSampleTime(json: string): number {
  const { items } = JSON.parse(json) as { items: { time: number }[] };
  return items.at(-1)?.time ?? 0;
}

function valuesOf(time: number, { succeeded, failed, dropped, pending }: Progress): SampleValues {
  return [Math.round(time * 1000) / 1000, succeeded + failed + dropped, failed, pending];
}

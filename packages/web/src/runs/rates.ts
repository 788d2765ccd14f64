import type { RunSample } from '../api/types.ts';

/** A measured rate: the time in seconds since the epoch, and the documents per second. */
export type RateSample = readonly [time: number, docsPerSecond: number];

/** A rate over less time would show how the documents are counted, not how fast they are. */
const MIN_SECONDS = 0.5;

/** Returns the rate at each sample: the documents since an earlier sample. The first one has the rate after it. */
export function ratesOf(samples: readonly RunSample[]): RateSample[] {
  const rates: RateSample[] = [];
  const [first] = samples;
  let start = 0;
  for (const { time, finished } of samples) {
    while ((samples[start + 1]?.time ?? time) <= time - MIN_SECONDS) start++;
    const before = samples[start] as RunSample;
    if (time <= before.time || rates.at(-1)?.[0] === time) continue;
    const rate = Math.max(0, finished - before.finished) / (time - before.time);
    if (rates.length === 0) rates.push([(first as RunSample).time, rate]);
    rates.push([time, rate]);
  }
  return rates;
}

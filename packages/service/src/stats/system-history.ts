import { type Static, Type } from '@headrace/engine';
import { epochSeconds } from '../time/clock.ts';
import type { Metrics } from './metrics.ts';
import type { SystemMeter } from './system-stats.ts';

/** The distance between samples, and how many of them make an hour. */
const INTERVAL_SECONDS = 10;
const MAX_SAMPLES = 360;

const percent = Type.Number({ minimum: 0, maximum: 100 });

const SystemSample = Type.Object({
  time: Type.Number({ description: 'Seconds since the epoch' }),
  cpu: percent,
  ram: percent,
  heap: percent,
  storage: percent,
  requests: Type.Integer({ description: 'Answered requests since the start of the service' }),
  running: Type.Integer({ description: 'Running runs' }),
  queued: Type.Integer({ description: 'Waiting runs' }),
});

/** The resource use and the work of the service over the last hour. */
export const SystemHistoryAnswer = Type.Object({
  intervalSeconds: Type.Integer(),
  items: Type.Array(SystemSample, { maxItems: MAX_SAMPLES, description: 'Oldest first' }),
});

/** Measures the service at equal intervals, and keeps the measurements of the last hour. */
export class SystemHistory {
  readonly #meter: SystemMeter;
  readonly #metrics: Metrics;
  readonly #items: Static<typeof SystemSample>[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param meter measures the processor since its last call, so that nothing else may use it */
  constructor(meter: SystemMeter, metrics: Metrics) {
    this.#meter = meter;
    this.#metrics = metrics;
  }

  /** Starts to measure. `onError` receives the error of a failed measurement. */
  start(onError: (error: unknown) => void): void {
    const measure = () => void this.sample().catch(onError);
    measure();
    this.#timer = setInterval(measure, INTERVAL_SECONDS * 1000).unref();
  }

  async sample(): Promise<void> {
    const { cpu, ram, heap, storage } = await this.#meter.read();
    const { gauges } = this.#metrics;
    this.#items.push({
      time: Math.round(epochSeconds()),
      cpu: cpu.percent,
      ram: ram.percent,
      heap: heap.percent,
      storage: storage.percent,
      requests: this.#metrics.timer('http.requests').meter.count,
      running: gauges.get('runs.running')?.() ?? 0,
      queued: gauges.get('runs.queued')?.() ?? 0,
    });
    if (this.#items.length > MAX_SAMPLES) this.#items.shift();
  }

  toJson(): string {
    return JSON.stringify({ intervalSeconds: INTERVAL_SECONDS, items: this.#items });
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

import { type Static, Type } from '@headrace/engine';
import type { Histogram } from './histogram.ts';
import type { Meter } from './meter.ts';
import type { Metrics } from './metrics.ts';

/** The version of the format, as in the JSON of Dropwizard Metrics. */
const FORM_VERSION = '4.0.0';

const meterFields = {
  count: Type.Number(),
  m1_rate: Type.Number(),
  m5_rate: Type.Number(),
  m15_rate: Type.Number(),
  mean_rate: Type.Number(),
  units: Type.String(),
};

const distributionFields = {
  min: Type.Number(),
  max: Type.Number(),
  mean: Type.Number(),
  stddev: Type.Number(),
  p50: Type.Number(),
  p75: Type.Number(),
  p95: Type.Number(),
  p98: Type.Number(),
  p99: Type.Number(),
  p999: Type.Number(),
};

const byName = <T extends Parameters<typeof Type.Record>[1]>(schema: T) => Type.Record(Type.String(), schema);

/** The schema of all measurements in the format of Dropwizard Metrics. Rates are per second, durations in seconds. */
export const MetricsAnswer = Type.Object(
  {
    version: Type.String(),
    gauges: byName(Type.Object({ value: Type.Number() })),
    counters: byName(Type.Object({ count: Type.Number() })),
    histograms: byName(Type.Object({ count: Type.Number(), ...distributionFields })),
    meters: byName(Type.Object(meterFields)),
    timers: byName(
      Type.Object({ ...meterFields, ...distributionFields, duration_units: Type.String(), rate_units: Type.String() }),
    ),
  },
  { $id: 'Metrics' },
);

export function metricsToJson(metrics: Metrics): Static<typeof MetricsAnswer> {
  return {
    version: FORM_VERSION,
    gauges: mapNames(metrics.gauges, (read) => ({ value: read() })),
    counters: mapNames(metrics.counters, ({ count }) => ({ count })),
    histograms: mapNames(metrics.histograms, histogramToJson),
    meters: mapNames(metrics.meters, meterToJson),
    timers: mapNames(metrics.timers, ({ meter, histogram }) => ({
      ...histogram.distribution(),
      ...meterToJson(meter),
      units: 'calls/second',
      duration_units: 'seconds',
      rate_units: 'calls/second',
    })),
  };
}

function meterToJson(meter: Meter) {
  const { m1, m5, m15, mean } = meter.rates();
  return {
    count: meter.count,
    m1_rate: m1,
    m5_rate: m5,
    m15_rate: m15,
    mean_rate: mean,
    units: 'events/second',
  };
}

function histogramToJson(histogram: Histogram) {
  return { count: histogram.count, ...histogram.distribution() };
}

function mapNames<T, R>(items: ReadonlyMap<string, T>, toJson: (item: T) => R): Record<string, R> {
  return Object.fromEntries(
    [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, item]) => [name, toJson(item)]),
  );
}

import type { Histogram } from './histogram.ts';
import type { Metrics } from './metrics.ts';

export const PROMETHEUS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * All measurements in Prometheus' text form. Counters and meters are counters there, histograms and timers
 * summaries; a name `http.requests` becomes `headrace_http_requests`.
 */
export function prometheusText(metrics: Metrics): string {
  const lines: string[] = [];
  const family = (name: string, type: string, samples: readonly string[]) => {
    lines.push(`# TYPE ${name} ${type}`, ...samples);
  };
  for (const [name, read] of metrics.gauges) family(snake(name), 'gauge', [`${snake(name)} ${number(read())}`]);
  for (const [name, { count }] of [...metrics.counters, ...metrics.meters]) {
    family(`${snake(name)}_total`, 'counter', [`${snake(name)}_total ${number(count)}`]);
  }
  for (const [name, histogram] of metrics.histograms) family(snake(name), 'summary', summary(snake(name), histogram));
  for (const [name, { histogram }] of metrics.timers) {
    family(`${snake(name)}_seconds`, 'summary', summary(`${snake(name)}_seconds`, histogram));
  }
  return `${lines.join('\n')}\n`;
}

function summary(name: string, histogram: Histogram): string[] {
  const { p50, p75, p95, p98, p99, p999 } = histogram.distribution();
  const quantiles = { '0.5': p50, '0.75': p75, '0.95': p95, '0.98': p98, '0.99': p99, '0.999': p999 };
  return [
    ...Object.entries(quantiles).map(([quantile, value]) => `${name}{quantile="${quantile}"} ${number(value)}`),
    `${name}_sum ${number(histogram.sum)}`,
    `${name}_count ${number(histogram.count)}`,
  ];
}

function snake(name: string): string {
  return `headrace_${name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/\W+/g, '_')
    .toLowerCase()}`;
}

function number(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return String(value);
}

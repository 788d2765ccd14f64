import { readdirSync } from 'node:fs';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import type { EventLoop } from './event-loop.ts';
import { HistogramFamily, type MetricFamily, readFamily, type Sample } from './families.ts';
import type { Metrics } from './metrics.ts';

const MICROS = 1e6;
const GC_SECONDS = [0.001, 0.01, 0.1, 1];
const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/**
 * The metrics of the process. Memory and processor time include the threads of runs. The names are those of the
 * Prometheus client libraries, so that existing dashboards work.
 */
export class ProcessMetrics {
  readonly families: readonly MetricFamily[];
  readonly #collections: PerformanceObserver;

  constructor(dropwizard: Metrics, loop: EventLoop) {
    const pauses = new HistogramFamily<'kind'>(
      'nodejs_gc_duration_seconds',
      'Garbage collections of the main thread, by kind.',
      GC_SECONDS,
    );
    this.#collections = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { kind } = (entry as PerformanceEntry & { detail: { kind: number } }).detail;
        pauses.observe({ kind: GC_KINDS[kind] ?? 'other' }, entry.duration / 1000);
      }
    });
    this.#collections.observe({ entryTypes: ['gc'] });
    this.families = [...processFamilies(loop), pauses];
    addGauges(dropwizard, loop);
  }

  close(): void {
    this.#collections.disconnect();
  }
}

function processFamilies(loop: EventLoop): MetricFamily[] {
  const gauge = (name: string, help: string, read: () => number | Iterable<Sample>) =>
    readFamily('gauge', name, help, read);
  const started = performance.timeOrigin / 1000;
  return [
    readFamily('counter', 'process_cpu_seconds_total', 'Processor time, user and system.', cpuSeconds),
    gauge('process_start_time_seconds', 'When the process started, since the epoch.', () => started),
    gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss()),
    gauge('process_open_fds', 'Open file descriptors; only on systems with /proc.', openFiles),
    gauge('nodejs_heap_size_total_bytes', 'Heap of the main thread.', () => process.memoryUsage().heapTotal),
    gauge('nodejs_heap_size_used_bytes', 'Used heap of the main thread.', () => process.memoryUsage().heapUsed),
    gauge(
      'nodejs_external_memory_bytes',
      'Memory outside the heap that JavaScript objects use.',
      () => process.memoryUsage().external,
    ),
    gauge('nodejs_eventloop_lag_mean_seconds', 'Recent delay of the event loop, mean.', () => loop.delay.mean),
    gauge('nodejs_eventloop_lag_p50_seconds', 'Recent delay of the event loop, median.', () => loop.delay.p50),
    gauge('nodejs_eventloop_lag_p99_seconds', 'Recent delay of the event loop, 99th percentile.', () => loop.delay.p99),
    gauge('nodejs_eventloop_lag_max_seconds', 'Recent delay of the event loop, maximum.', () => loop.delay.max),
    gauge('nodejs_active_resources', 'Resources that keep the event loop alive, by type.', activeResources),
    gauge('nodejs_version_info', 'The runtime; always 1.', () => [{ labels: { version: process.version }, value: 1 }]),
  ];
}

function addGauges(metrics: Metrics, loop: EventLoop): void {
  const started = performance.eventLoopUtilization();
  metrics.gauge('eventLoop.delay.meanSeconds', () => loop.delay.mean);
  metrics.gauge('eventLoop.delay.p99Seconds', () => loop.delay.p99);
  metrics.gauge('eventLoop.delay.maxSeconds', () => loop.delay.max);
  metrics.gauge('eventLoop.utilization', () => performance.eventLoopUtilization(started).utilization);
  metrics.gauge('process.residentBytes', () => process.memoryUsage.rss());
  metrics.gauge('process.heapUsedBytes', () => process.memoryUsage().heapUsed);
  metrics.gauge('process.cpuSeconds', cpuSeconds);
  metrics.gauge('process.uptimeSeconds', () => process.uptime());
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / MICROS;
}

function openFiles(): Sample[] {
  try {
    return [{ labels: {}, value: readdirSync('/proc/self/fd').length }];
  } catch {
    // Systems without /proc report no number.
    return [];
  }
}

function activeResources(): Sample[] {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, value]) => ({ labels: { type }, value }));
}

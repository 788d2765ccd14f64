import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metrics } from './metrics.ts';

const RESOLUTION_MILLIS = 20;
const NANOS = 1e9;
const MICROS = 1e6;

/** Adds what the process is doing to the measurements: event loop, memory, processor. Gives the function that ends it. */
export function measureProcess(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MILLIS });
  delay.enable();
  const started = performance.eventLoopUtilization();
  metrics.gauge('eventLoop.delay.meanSeconds', () => (delay.count === 0 ? 0 : delay.mean / NANOS));
  metrics.gauge('eventLoop.delay.p99Seconds', () => delay.percentile(99) / NANOS);
  metrics.gauge('eventLoop.delay.maxSeconds', () => delay.max / NANOS);
  metrics.gauge('eventLoop.utilization', () => performance.eventLoopUtilization(started).utilization);
  metrics.gauge('process.residentBytes', () => process.memoryUsage.rss());
  metrics.gauge('process.heapUsedBytes', () => process.memoryUsage().heapUsed);
  metrics.gauge('process.cpuSeconds', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / MICROS;
  });
  metrics.gauge('process.uptimeSeconds', () => process.uptime());
  return () => delay.disable();
}

import { EventLoop } from './event-loop.ts';
import { Metrics } from './metrics.ts';
import { ProcessMetrics } from './process-metrics.ts';
import { prometheusText } from './prometheus-text.ts';
import { RunMetrics } from './run-metrics.ts';
import { ScheduleMetrics } from './schedule-metrics.ts';
import { ServiceMetrics } from './service-metrics.ts';

/**
 * All measurements of a service. Each event is counted once, in one of the parts, which provide the values in
 * both formats: Prometheus families with labels, and names and averages of Dropwizard Metrics.
 */
export class Measurements {
  readonly dropwizard = new Metrics();
  readonly loop = new EventLoop();
  readonly runs = new RunMetrics(this.dropwizard);
  readonly schedules = new ScheduleMetrics();
  readonly service: ServiceMetrics;
  readonly #process = new ProcessMetrics(this.dropwizard, this.loop);

  constructor(version: string) {
    this.service = new ServiceMetrics(this.dropwizard, version);
  }

  /** Returns all measurements in the Prometheus text format. */
  prometheus(): string {
    return prometheusText([
      ...this.runs.families,
      ...this.schedules.families,
      ...this.service.families,
      ...this.#process.families,
    ]);
  }

  close(): void {
    this.loop.close();
    this.#process.close();
  }
}

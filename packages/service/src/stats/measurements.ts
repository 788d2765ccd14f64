import { EventLoop } from './event-loop.ts';
import { Metrics } from './metrics.ts';
import { ProcessMetrics } from './process-metrics.ts';
import { prometheusText } from './prometheus-text.ts';
import { RunMetrics } from './run-metrics.ts';
import { ServiceMetrics } from './service-metrics.ts';

/**
 * Everything that a service measures. Who counts an event does it once, in one of the three; from there it goes into
 * both forms: Prometheus' families with their labels, and the names and averages of Dropwizard Metrics.
 */
export class Measurements {
  readonly dropwizard = new Metrics();
  readonly loop = new EventLoop();
  readonly runs = new RunMetrics(this.dropwizard);
  readonly service: ServiceMetrics;
  readonly #process = new ProcessMetrics(this.dropwizard, this.loop);

  constructor(version: string) {
    this.service = new ServiceMetrics(this.dropwizard, version);
  }

  /** All of it in Prometheus' text form. */
  prometheus(): string {
    return prometheusText([...this.runs.families, ...this.service.families, ...this.#process.families]);
  }

  close(): void {
    this.loop.close();
    this.#process.close();
  }
}

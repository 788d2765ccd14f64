import { CounterFamily, HistogramFamily, type MetricFamily, readFamily } from './families.ts';
import type { Metrics } from './metrics.ts';

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const GROUPS = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** The metrics of HTTP and the store. Each event is counted once here, for both formats. */
export class ServiceMetrics {
  readonly families: readonly MetricFamily[];
  /** Returns the number of open connections. The code that opens the listeners sets it. */
  connections: () => number = () => 0;
  /** Returns the size of the files of the store in bytes. */
  storeBytes: () => number = () => 0;
  /** The presets. The code that reads them sets it. */
  presets: { readonly count: number; readonly problems: number } = { count: 0, problems: 0 };
  readonly #dropwizard: Metrics;
  #inFlight = 0;
  readonly #requests = new HistogramFamily<'method' | 'route' | 'status'>(
    'headrace_http_request_duration_seconds',
    'Duration of requests, by method, route and status class; without event streams.',
    REQUEST_SECONDS,
  );
  readonly #refusedConnections = new CounterFamily(
    'headrace_http_connections_refused_total',
    'Connections that were closed because limits.maxConnections was reached.',
    [{}],
  );
  readonly #loginFailures = new CounterFamily<'reason'>(
    'headrace_login_failures_total',
    'Failed logins: wrong, or throttled (status 429 after too many failures).',
    [{ reason: 'wrong' }, { reason: 'throttled' }],
  );
  readonly #commits = new HistogramFamily(
    'headrace_store_commit_duration_seconds',
    'Duration of the groups of writes of the store.',
    COMMIT_SECONDS,
    [{}],
  );
  readonly #storeFailures = new CounterFamily(
    'headrace_store_failures_total',
    'Groups of writes that failed in the store.',
    [{}],
  );

  /** @param version the version of Headrace */
  constructor(dropwizard: Metrics, version: string) {
    this.#dropwizard = dropwizard;
    this.families = [
      readFamily('gauge', 'headrace_build_info', 'The version of Headrace; always 1.', () => [
        { labels: { version }, value: 1 },
      ]),
      this.#requests,
      readFamily('gauge', 'headrace_http_requests_in_flight', 'Requests being answered.', () => this.#inFlight),
      readFamily('gauge', 'headrace_http_connections', 'Open client connections.', () => this.connections()),
      this.#refusedConnections,
      this.#loginFailures,
      this.#commits,
      this.#storeFailures,
      readFamily('gauge', 'headrace_presets', 'Presets in use.', () => this.presets.count),
      readFamily(
        'gauge',
        'headrace_preset_problems',
        'Files of presets that are not in use as they are, because they have errors.',
        () => this.presets.problems,
      ),
      readFamily('gauge', 'headrace_store_size_bytes', 'Size of the files of the store; 0 for a store in memory.', () =>
        this.storeBytes(),
      ),
    ];
  }

  requestBegan(): void {
    this.#inFlight++;
  }

  /** Counts down the requests in flight, after the answer or when the client disconnects. */
  requestGone(): void {
    this.#inFlight--;
  }

  /** Records an answered request. */
  requestAnswered(labels: { method: string; route: string; statusCode: number; seconds: number }): void {
    const { method, route, statusCode, seconds } = labels;
    const status = GROUPS[Math.floor(statusCode / 100) - 1] ?? '5xx';
    this.#requests.observe({ method, route, status }, seconds);
    this.#dropwizard.timer('http.requests').update(seconds);
    this.#dropwizard.meter(`http.responses.${status}`).mark();
  }

  connectionRefused(): void {
    this.#refusedConnections.add({});
  }

  loginFailed(reason: 'wrong' | 'throttled'): void {
    this.#loginFailures.add({ reason });
  }

  committed(seconds: number): void {
    this.#commits.observe({}, seconds);
    this.#dropwizard.timer('store.commits').update(seconds);
  }

  storeFailed(): void {
    this.#storeFailures.add({});
  }
}

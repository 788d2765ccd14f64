import { CounterFamily, type Family, HistogramFamily, readFamily } from './families.ts';
import type { Metrics } from './metrics.ts';

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const GROUPS = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** What the HTTP side of a service and its store amount to. Each event is counted once here, in both forms. */
export class ServiceMetrics {
  readonly families: readonly Family[];
  /** Connections that are open, and those that were refused because there were too many; set by who listens. */
  connections: () => number = () => 0;
  /** Bytes of the store's files. */
  storeBytes: () => number = () => 0;
  readonly #dropwizard: Metrics;
  #inFlight = 0;
  readonly #requests = new HistogramFamily<'method' | 'route' | 'status'>(
    'headrace_http_request_duration_seconds',
    'Requests, by method, route and class of the status; a stream counts until its end.',
    REQUEST_SECONDS,
  );
  readonly #refusedConnections = new CounterFamily(
    'headrace_http_connections_refused_total',
    'Connections that were closed because there were limits.maxConnections.',
    [{}],
  );
  readonly #loginFailures = new CounterFamily<'reason'>(
    'headrace_login_failures_total',
    'Failed logins: wrong, or throttled, which is answered with 429 after too many failures.',
    [{ reason: 'wrong' }, { reason: 'throttled' }],
  );
  readonly #commits = new HistogramFamily(
    'headrace_store_commit_duration_seconds',
    'Groups of writes of the store.',
    COMMIT_SECONDS,
    [{}],
  );
  readonly #storeFailures = new CounterFamily(
    'headrace_store_failures_total',
    'Groups of writes that the store could not do.',
    [{}],
  );

  /** @param version of Headrace */
  constructor(dropwizard: Metrics, version: string) {
    this.#dropwizard = dropwizard;
    this.families = [
      readFamily('gauge', 'headrace_build_info', 'The version of Headrace; always 1.', () => [
        { labels: { version }, value: 1 },
      ]),
      this.#requests,
      readFamily('gauge', 'headrace_http_requests_in_flight', 'Requests being answered.', () => this.#inFlight),
      readFamily('gauge', 'headrace_http_connections', 'Open connections of clients.', () => this.connections()),
      this.#refusedConnections,
      this.#loginFailures,
      this.#commits,
      this.#storeFailures,
      readFamily('gauge', 'headrace_store_size_bytes', 'Files of the store; 0 when it is in memory.', () =>
        this.storeBytes(),
      ),
    ];
  }

  requestBegan(): void {
    this.#inFlight++;
  }

  /** It has been answered, or the client has gone away. */
  requestGone(): void {
    this.#inFlight--;
  }

  /** It has been answered. */
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

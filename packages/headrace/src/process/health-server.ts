import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RoleRunner } from '@headrace/distributed';
import { PROMETHEUS_CONTENT_TYPE, prometheusText, readFamily } from '@headrace/service/metrics';

/** The health endpoint of a process. */
export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

const COUNTS = ['published', 'created', 'succeeded', 'failed', 'dropped'] as const;

/**
 * Serves `/livez` (the process answers), `/readyz` (503 while a role restarts) and `/metrics` (Prometheus).
 * @param port 0 for any free port
 */
export async function startHealthServer(port: number, runners: readonly RoleRunner[]): Promise<HealthServer> {
  const finished = new FinishedRuns(runners);
  const server = createServer((request, response) => {
    const { url = '' } = request;
    const answer = (status: number, body: string, type = 'text/plain; charset=utf-8') =>
      response.writeHead(status, { 'content-type': type }).end(body);
    if (request.method !== 'GET' && request.method !== 'HEAD') answer(405, 'Use GET.\n');
    else if (url === '/livez') answer(200, 'ok\n');
    else if (url === '/readyz') {
      const notReady = runners.filter(({ state }) => state !== 'running');
      const lines = notReady.map(({ name, state, lastFailure = '' }) => `${name}: ${state} ${lastFailure}`.trimEnd());
      answer(notReady.length === 0 ? 200 : 503, `${lines.join('\n') || 'ready'}\n`);
    } else if (url === '/metrics') answer(200, metrics(runners, finished), PROMETHEUS_CONTENT_TYPE);
    else answer(404, 'Paths: /livez, /readyz, /metrics.\n');
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, resolve));
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Adds up the documents of a role over all its runs, because a counter must not decrease when a role restarts. */
class FinishedRuns {
  readonly #runners: readonly RoleRunner[];
  readonly #before = new Map<RoleRunner, { handle: RoleRunner['handle']; counts: number[] }>();

  constructor(runners: readonly RoleRunner[]) {
    this.#runners = runners;
  }

  total(field: (typeof COUNTS)[number]): number {
    const at = COUNTS.indexOf(field);
    let total = 0;
    for (const runner of this.#runners) {
      const { handle } = runner;
      const known = this.#before.getOrInsertComputed(runner, () => ({ handle, counts: COUNTS.map(() => 0) }));
      if (known.handle !== handle) {
        const last = known.handle?.progress().counts;
        known.counts = known.counts.map((count, i) => count + (last?.[COUNTS[i] as 'failed'] ?? 0));
        known.handle = handle;
      }
      total += (known.counts[at] as number) + (handle?.progress().counts[field] ?? 0);
    }
    return total;
  }
}

function metrics(runners: readonly RoleRunner[], finished: FinishedRuns): string {
  const restarts = () => runners.reduce((sum, runner) => sum + runner.restarts, 0);
  const running = () => runners.filter(({ state }) => state === 'running').length;
  return prometheusText([
    ...COUNTS.map((field) =>
      readFamily('counter', `headrace_role_documents_${field}_total`, `Documents ${field} by this process.`, () =>
        finished.total(field),
      ),
    ),
    readFamily('counter', 'headrace_role_restarts_total', 'How often a role has started again.', restarts),
    readFamily('gauge', 'headrace_role_running', 'How many roles of this process run.', running),
    readFamily('gauge', 'process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage().rss),
  ]);
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RoleRunner } from '@headrace/distributed';
import { messageOf } from '@headrace/engine';
import { PROMETHEUS_CONTENT_TYPE, prometheusText, readFamily } from '@headrace/service/metrics';

/** The health endpoint of a process. */
export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

const COUNTS = ['published', 'created', 'succeeded', 'failed', 'dropped'] as const;

/**
 * Serves `/livez` (the process answers), `/readyz` (503 while a role starts again) and `/metrics` (Prometheus).
 * @param port 0 for any free port
 */
export async function startHealthServer(port: number, runners: readonly RoleRunner[]): Promise<HealthServer> {
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
    } else if (url === '/metrics') {
      metrics(runners).then(
        (text) => answer(200, text, PROMETHEUS_CONTENT_TYPE),
        (error: unknown) => answer(500, `${messageOf(error)}\n`),
      );
    } else answer(404, 'Paths: /livez, /readyz, /metrics.\n');
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, resolve));
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function metrics(runners: readonly RoleRunner[]): Promise<string> {
  const restarts = () => runners.reduce((sum, runner) => sum + runner.restarts, 0);
  const running = () => runners.filter(({ state }) => state === 'running').length;
  const lags = (await Promise.all(runners.map((runner) => runner.lag()))).flat();
  return prometheusText([
    ...COUNTS.map((field) =>
      readFamily('counter', `headrace_role_documents_${field}_total`, `Documents ${field} by this process.`, () =>
        runners.reduce((sum, { counts }) => sum + counts[field], 0),
      ),
    ),
    readFamily('counter', 'headrace_role_restarts_total', 'How often a role has started again.', restarts),
    readFamily('gauge', 'headrace_role_running', 'How many roles of this process run.', running),
    readFamily('gauge', 'headrace_queue_lag_messages', 'Messages that wait for the consumer group.', () =>
      lags.map(({ topic, partition, messages }) => ({
        labels: { topic, partition: String(partition) },
        value: messages,
      })),
    ),
    readFamily('gauge', 'process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage().rss),
  ]);
}

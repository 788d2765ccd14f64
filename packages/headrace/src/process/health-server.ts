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
 * Serves `/livez` (the process answers), `/readyz` (503 with the reason while a role cannot read) and `/metrics` (Prometheus).
 * @param port 0 for any free port
 */
export async function startHealthServer(port: number, runners: readonly RoleRunner[]): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const { url = '' } = request;
    const answer = (status: number, body: string, type = 'text/plain; charset=utf-8') =>
      response.writeHead(status, { 'content-type': type }).end(body);
    if (request.method !== 'GET' && request.method !== 'HEAD') answer(405, 'Use GET.\n');
    else if (url === '/livez') answer(200, 'ok\n');
    else if (url === '/readyz' || url === '/metrics') {
      const answering = url === '/readyz' ? readiness(runners) : metrics(runners);
      answering.then(
        ({ status, body, type }) => answer(status, body, type),
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

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
}

/** Whether all roles run, and the brokers answer. */
async function readiness(runners: readonly RoleRunner[]): Promise<Answer> {
  const lines = await Promise.all(
    runners.map(async (runner) => {
      const { name, state, lastFailure } = runner;
      if (state !== 'running') return [`${name}: ${state}${lastFailure === undefined ? '' : `: ${lastFailure}`}`];
      const { problem } = await runner.queue();
      return problem === undefined ? [] : [`${name}: ${problem}`];
    }),
  );
  const problems = lines.flat();
  return { status: problems.length === 0 ? 200 : 503, body: `${problems.join('\n') || 'ready'}\n` };
}

async function metrics(runners: readonly RoleRunner[]): Promise<Answer> {
  const restarts = () => runners.reduce((sum, runner) => sum + runner.restarts, 0);
  const running = () => runners.filter(({ state }) => state === 'running').length;
  const queues = await Promise.all(runners.map((runner) => runner.queue()));
  const reachable = () => (queues.every(({ problem }) => problem === undefined) ? 1 : 0);
  const body = prometheusText([
    ...COUNTS.map((field) =>
      readFamily('counter', `headrace_role_documents_${field}_total`, `Documents ${field} by this process.`, () =>
        runners.reduce((sum, { counts }) => sum + counts[field], 0),
      ),
    ),
    readFamily('counter', 'headrace_role_restarts_total', 'How often a role has started again.', restarts),
    readFamily('gauge', 'headrace_role_running', 'How many roles of this process run.', running),
    readFamily('gauge', 'headrace_queue_up', 'Whether the brokers answer: 1 or 0.', reachable),
    readFamily('gauge', 'headrace_queue_lag_messages', 'Messages that wait for the consumer group.', () =>
      queues
        .flatMap(({ lags }) => lags)
        .map(({ topic, partition, messages }) => ({
          labels: { topic, partition: String(partition) },
          value: messages,
        })),
    ),
    readFamily('gauge', 'process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage().rss),
  ]);
  return { status: 200, body, type: PROMETHEUS_CONTENT_TYPE };
}

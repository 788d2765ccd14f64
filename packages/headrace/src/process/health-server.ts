import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RoleHealth } from '@headrace/distributed';
import { messageOf, namesOf, RUN_COUNTERS } from '@headrace/engine';
import { escapeControls } from '@headrace/engine/plain-text';
import {
  familiesOfStages,
  type MetricFamily,
  NoticeTotals,
  PROMETHEUS_CONTENT_TYPE,
  prometheusText,
  readFamily,
} from '@headrace/service/metrics';

/** The health endpoint of a process. */
export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves `/livez` (the process answers), `/readyz` (503 with the reason while a role cannot read) and `/metrics` (Prometheus).
 * @param port 0 for any free port
 * @param counting the role whose documents are the documents of the process
 * @param others the other roles of the process
 */
export async function startHealthServer(
  port: number,
  counting: RoleHealth,
  others: readonly RoleHealth[] = [],
): Promise<HealthServer> {
  const roles = [counting, ...others];
  const stages = familiesOfStages(() => roles.flatMap((role) => role.stages));
  const server = createServer((request, response) => {
    const { url = '' } = request;
    const answer = (status: number, body: string, type = 'text/plain; charset=utf-8') =>
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    if (request.method !== 'GET' && request.method !== 'HEAD') answer(405, 'Use GET.\n');
    else if (url === '/livez') answer(200, 'ok\n');
    else if (url === '/readyz' || url === '/metrics') {
      const answering = url === '/readyz' ? readiness(roles) : metrics(counting, roles, stages);
      answering.then(
        ({ status, body, type }) => answer(status, body, type),
        (error: unknown) => answer(500, `${escapeControls(messageOf(error))}\n`),
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

/** Whether all roles run, the brokers answer, and documents finish. */
async function readiness(roles: readonly RoleHealth[]): Promise<Answer> {
  const answers = await Promise.all(
    roles.map(async (role) => {
      const { name, state, lastFailure } = role;
      const stopped = `${name}: ${state}${lastFailure === undefined ? '' : `: ${lastFailure}`}`;
      if (state !== 'running') return { isReady: false, line: stopped };
      const { problem, work } = await role.health();
      return { isReady: problem === undefined, line: `${name}: ${problem ?? `ready: ${work}`}` };
    }),
  );
  const status = answers.every(({ isReady }) => isReady) ? 200 : 503;
  return { status, body: answers.map(({ line }) => `${escapeControls(line)}\n`).join('') };
}

async function metrics(
  counting: RoleHealth,
  roles: readonly RoleHealth[],
  stages: readonly MetricFamily[],
): Promise<Answer> {
  const restarts = () => roles.reduce((sum, role) => sum + role.restarts, 0);
  const running = () => roles.filter(({ state }) => state === 'running').length;
  const queues = await Promise.all(roles.map((role) => role.health()));
  const reachable = () => (queues.every(({ isConnected }) => isConnected) ? 1 : 0);
  // In a process with all roles, the publisher and the worker report the same topic.
  const lags = new Map(queues.flatMap((queue) => queue.lags.map((lag) => [`${lag.topic}/${lag.partition}`, lag])));
  const body = prometheusText([
    ...namesOf(RUN_COUNTERS).map((field) =>
      readFamily(
        'counter',
        `headrace_role_documents_${field}_total`,
        `Documents ${field} by this process.`,
        () => counting.counts[field],
      ),
    ),
    ...stages,
    readFamily(
      'counter',
      'headrace_role_notices_total',
      'Notices of components of this process, by code and class.',
      () => new NoticeTotals().with(roles),
    ),
    readFamily('counter', 'headrace_role_restarts_total', 'How often a role has started again.', restarts),
    readFamily('gauge', 'headrace_role_running', 'How many roles of this process run.', running),
    readFamily('gauge', 'headrace_queue_up', 'Whether the brokers answer: 1 or 0.', reachable),
    readFamily('gauge', 'headrace_queue_lag_messages', 'Messages that wait for the consumer group.', () =>
      Array.from(lags.values(), ({ topic, partition, messages }) => ({
        labels: { topic, partition: String(partition) },
        value: messages,
      })),
    ),
    readFamily('gauge', 'process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage().rss),
  ]);
  return { status: 200, body, type: PROMETHEUS_CONTENT_TYPE };
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuditLog } from '../audit/audit-log.ts';
import { ThrottledLogins } from '../audit/throttled-logins.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { ServiceMetrics } from '../stats/service-metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether requests to the route are recorded. Default: all methods that change something. */
    audited?: boolean;
  }
  interface FastifyRequest {
    /** The id of the config or run that the request created. */
    made: string | null;
  }
}

/** Matches the start of an answer, which is the id of the config or run. */
const MADE = /^\{"(?:runId|configId)":"([^"\\]+)"/;

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Records failed logins and all requests that change something, whether they succeed or are refused. */
export function auditRequests(
  app: FastifyInstance,
  audit: AuditLog | undefined,
  authenticator: Authenticator | undefined,
  metrics: ServiceMetrics,
): void {
  const throttled = new ThrottledLogins();
  app.decorateRequest('made', null);
  app.addHook('onSend', (request, { statusCode }, payload, done) => {
    if (statusCode < 300 && changes(request) && typeof payload === 'string') {
      request.made = MADE.exec(payload)?.[1] ?? null;
    }
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { failedLogin, ip } = request;
    if (failedLogin !== null) metrics.loginFailed(failedLogin);
    const tries = failedLogin === 'throttled' ? throttled.add(ip) : undefined;
    const recorded = failedLogin === 'throttled' ? tries !== undefined : failedLogin !== null || changes(request);
    if (recorded) audit?.add({ ...recordOf(request, reply, authenticator), ...(tries === undefined ? {} : { tries }) });
    done();
  });
}

function changes({ method, routeOptions: { url, config } }: FastifyRequest): boolean {
  return config.audited ?? (url !== undefined && !READING.has(method));
}

function recordOf(
  request: FastifyRequest,
  { statusCode: status }: FastifyReply,
  authenticator: Authenticator | undefined,
) {
  const { id: requestId, method, user, role, ip: address, headers, params, made, routeOptions, failedLogin } = request;
  const { id, name } = (params ?? {}) as { id?: string; name?: string };
  const named = id ?? name;
  return {
    requestId,
    user: failedLogin === null ? user : (authenticator?.nameIn(headers.authorization) ?? null),
    role,
    address,
    action: failedLogin === null ? `${method} ${routeOptions.url}` : 'login',
    target: named ?? made,
    ...(named === undefined || made === null || made === named ? {} : { made }),
    outcome: status < 400 ? 'done' : status < 500 ? 'refused' : 'failed',
    status,
  };
}

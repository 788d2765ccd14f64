import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { ServiceMetrics } from '../stats/service-metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether requests to the route are recorded. By default all but GET and the like. */
    audited?: boolean;
  }
  interface FastifyRequest {
    /** The id of what the request has made. */
    made: string | null;
  }
}

/** Answers begin with the id of what they tell of. */
const MADE = /^\{"(?:runId|configId)":"([^"\\]+)"/;

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Records every request that changes something, done or refused, and every failed login. */
export function auditRequests(
  app: FastifyInstance,
  audit: AuditLog | undefined,
  authenticator: Authenticator | undefined,
  metrics: ServiceMetrics,
): void {
  app.decorateRequest('made', null);
  app.addHook('onSend', (request, { statusCode }, payload, done) => {
    if (statusCode < 300 && changes(request) && typeof payload === 'string') {
      request.made = MADE.exec(payload)?.[1] ?? null;
    }
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const failedLogin = reply.statusCode === 401 && request.headers.authorization !== undefined;
    if (failedLogin) metrics.loginFailed();
    if (failedLogin || changes(request)) audit?.add(recordOf(request, reply, failedLogin, authenticator));
    done();
  });
}

function changes({ method, routeOptions: { url, config } }: FastifyRequest): boolean {
  return config.audited ?? (url !== undefined && !READING.has(method));
}

function recordOf(
  request: FastifyRequest,
  { statusCode: status }: FastifyReply,
  failedLogin: boolean,
  authenticator: Authenticator | undefined,
) {
  const { id: requestId, method, user, role, ip: address, headers, params, made, routeOptions } = request;
  const named = (params as { id?: string } | undefined)?.id;
  return {
    requestId,
    user: failedLogin ? (authenticator?.nameIn(headers.authorization) ?? null) : user,
    role,
    address,
    action: failedLogin ? 'login' : `${method} ${routeOptions.url}`,
    target: named ?? made,
    ...(named === undefined || made === null || made === named ? {} : { made }),
    outcome: status < 400 ? 'done' : status < 500 ? 'refused' : 'failed',
    status,
  };
}

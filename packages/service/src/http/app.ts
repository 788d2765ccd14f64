import { type FastifyInstance, fastify, LogController, type RouteOptions } from 'fastify';
import { MAX_ID_LENGTH } from '../configs/config-name.ts';
import { ApiError } from '../errors/api-error.ts';
import { notJson } from '../requests/json-body.ts';
import { compilers } from '../requests/request-validation.ts';
import { guardRoutes } from './access.ts';
import { logRequests } from './access-log.ts';
import { auditRequests } from './audit-requests.ts';
import { boundBodies } from './body-budget.ts';
import { configInfoRoutes } from './config-info-routes.ts';
import { configRoutes } from './config-routes.ts';
import { configVersionRoutes } from './config-version-routes.ts';
import { refuseEncodedBodies } from './content-encoding.ts';
import { docsRoutes } from './docs-routes.ts';
import { answerError } from './error-answers.ts';
import { fileRoutes } from './file-routes.ts';
import { refuseForeignRequests } from './foreign-requests.ts';
import { limitHeaders } from './header-limit.ts';
import { healthRoutes } from './health-routes.ts';
import { requireHost } from './host-header.ts';
import { refuseAmbiguous } from './message-framing.ts';
import { waitForPresets } from './presets-guard.ts';
import { previewRoutes } from './preview-routes.ts';
import { refuseQueries } from './query-guard.ts';
import { answerRequestIds, REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';
import { measureRequests } from './request-metrics.ts';
import { runFailureRoutes } from './run-failure-routes.ts';
import { runRollbackRoutes } from './run-rollback-routes.ts';
import { runRoutes } from './run-routes.ts';
import { runWatchRoutes } from './run-watch-routes.ts';
import { scheduleRoutes } from './schedule-routes.ts';
import { ANSWER_HEADERS, protectAnswers } from './security-headers.ts';
import type { ServiceParts } from './service-parts.ts';
import { statsRoutes } from './stats-routes.ts';
import { answerUnknownRoutes } from './unknown-routes.ts';
import { warnOfUntrustedProxies } from './untrusted-proxy.ts';
import { userRoutes } from './user-routes.ts';
import { versionRoutes } from './version-routes.ts';
import { webRoutes } from './web-routes.ts';

/** The maximum size of a body that is not a config. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Builds the HTTP application with all routes. It does not listen on a port. */
export async function buildApp(parts: ServiceParts): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: parts.logger,
    // Log no requests by default, to keep the log short. Metrics count the requests.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestIdOf,
    trustProxy: parts.settings.trustedProxies.length > 0 && [...parts.settings.trustedProxies],
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_ID_LENGTH, ignoreTrailingSlash: true },
    // Errors before any hook runs.
    frameworkErrors: (error, request, reply) => {
      reply.headers(ANSWER_HEADERS).header(REQUEST_ID_HEADER, request.id);
      answerError(error, request, reply);
    },
    schemaController: { compilersFactory: compilers },
  });
  app.setErrorHandler(answerError);
  takeJsonBodies(app);
  const routes = collectRoutes(app);
  protectAnswers(app);
  answerRequestIds(app);
  measureRequests(app, parts.measurements.service);
  if (parts.settings.log.requests) logRequests(app);
  auditRequests(app, parts.audit, parts.authenticator, parts.measurements.service);
  warnOfUntrustedProxies(app, parts.logger);
  limitHeaders(app, parts.settings.limits.maxHeaders);
  requireHost(app);
  refuseAmbiguous(app);
  refuseForeignRequests(app, parts.settings, parts.authenticator !== undefined);
  guardRoutes(app, parts.authenticator);
  waitForPresets(app, parts.readiness);
  answerUnknownRoutes(app);
  refuseQueries(app);
  refuseEncodedBodies(app);
  boundBodies(app, Math.max(MAX_BODY_BYTES, parts.maxConfigBytes));
  for (const plugin of [
    configRoutes,
    configVersionRoutes,
    runRoutes,
    runWatchRoutes,
    runFailureRoutes,
    runRollbackRoutes,
    scheduleRoutes,
    previewRoutes,
    fileRoutes,
    configInfoRoutes,
    healthRoutes,
    statsRoutes,
    versionRoutes,
    userRoutes,
  ]) {
    await app.register(plugin, parts);
  }
  await app.register(docsRoutes, { routes, secured: parts.authenticator !== undefined });
  await app.register(webRoutes);
  await app.ready();
  return app;
}

function takeJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    // A client may send this content type with every request, also with requests that have no body.
    if (body === '') {
      done(null, undefined);
      return;
    }
    parse(request, body, (error, value) => {
      if (error === null) done(null, value);
      else done(refuseJson(body));
    });
  });
}

/** Finds out why fastify refused a body: it reports a syntax error and a `__proto__` property in the same way. */
function refuseJson(body: string): ApiError {
  try {
    JSON.parse(body);
  } catch (error) {
    return notJson(body, error);
  }
  return new ApiError('HR_REQUEST_INVALID', 'The body has a property __proto__ or constructor.prototype', {
    hint: 'Remove the property: no request needs it.',
  });
}

/** Returns the routes for the OpenAPI document, in the order of their registration. */
function collectRoutes(app: FastifyInstance): RouteOptions[] {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD' && route.schema?.hide !== true) routes.push(route);
  });
  return routes;
}

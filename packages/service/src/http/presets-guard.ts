import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import type { Readiness } from './readiness.ts';

const RETRY_AFTER_SECONDS = 1;

/** The tags of endpoints that do not depend on the presets: probes, measurements, components, documentation. */
const WITHOUT_PRESETS: ReadonlySet<string> = new Set(['health', 'stats', 'config-info', 'docs']);

/**
 * Refuses requests about configs and runs until the presets are loaded. Otherwise a request for a preset would get 404,
 * and its run 400, and clients would believe these answers. A route without a known tag is refused too. Call this after
 * `guardRoutes`, so that only users get this answer.
 */
export function waitForPresets(app: FastifyInstance, readiness: Readiness): void {
  app.addHook('onRequest', ({ is404, routeOptions: { config, schema } }, _reply, done) => {
    const open = readiness.presetsLoaded || is404 || config.access === 'open';
    if (open || schema?.tags?.some((tag) => WITHOUT_PRESETS.has(tag))) done();
    else {
      done(
        new ApiError('HR_NOT_READY', 'The service is starting: its presets are being loaded', {
          hint: 'Send the request again in a second; GET /v1/readyz says when the service is ready.',
          headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
        }),
      );
    }
  });
}

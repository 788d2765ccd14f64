import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether unknown parameters are ignored. Health checks may add parameters to avoid caches. */
    anyQuery?: boolean;
  }
}

/**
 * Refuses the query of a request if its route has no parameters. Otherwise a wrong parameter would silently be ignored.
 */
export function refuseQueries(app: FastifyInstance): void {
  app.addHook('onRequest', ({ query, is404, routeOptions: { config, schema } }, _reply, done) => {
    const [name] = Object.keys(query as object);
    if (name === undefined || is404 || config.anyQuery === true || schema?.querystring !== undefined) done();
    else {
      done(
        new ApiError('HR_REQUEST_INVALID', `The query: there is no parameter ${name}`, {
          hint: 'This endpoint has no parameters.',
        }),
      );
    }
  });
}

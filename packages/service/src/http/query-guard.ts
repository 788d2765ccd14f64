import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Parameters that the route does not have are ignored: health checks may add one against caches. */
    anyQuery?: boolean;
  }
}

/** Refuses the query of a request whose route takes none: what somebody meant by it would silently be left out. */
export function refuseQueries(app: FastifyInstance): void {
  app.addHook('onRequest', ({ query, is404, routeOptions: { config, schema } }, _reply, done) => {
    const [name] = Object.keys(query as object);
    if (name === undefined || is404 || config.anyQuery === true || schema?.querystring !== undefined) done();
    else {
      done(
        new ApiError('HR_REQUEST_INVALID', `The query: there is no parameter ${name}`, {
          hint: 'This endpoint takes none.',
        }),
      );
    }
  });
}

import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

/** Refuses requests with too many headers. Node itself would silently drop the headers beyond the limit. */
export function limitHeaders(app: FastifyInstance, max: number): void {
  app.addHook('onRequest', ({ raw: { rawHeaders } }, _reply, done) => {
    // The list contains names and values alternately.
    const count = rawHeaders.length / 2;
    if (count <= max) done();
    else {
      done(
        new ApiError('HR_REQUEST_HEADERS_TOO_LARGE', `The request has ${count} headers; the limit is ${max}`, {
          hint: 'limits.maxHeaders in the service file sets this limit.',
        }),
      );
    }
  });
}

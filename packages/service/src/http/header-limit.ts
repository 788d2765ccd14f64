import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

/** Refuses requests with more headers than that. Node itself would leave out what is too much, and say nothing. */
export function limitHeaders(app: FastifyInstance, max: number): void {
  app.addHook('onRequest', ({ raw: { rawHeaders } }, _reply, done) => {
    // Names and values in turn.
    const count = rawHeaders.length / 2;
    if (count <= max) done();
    else {
      done(
        new ApiError('HR_REQUEST_HEADERS_TOO_LARGE', `The request has ${count} headers; ${max} are possible`, {
          hint: 'limits.maxHeaders in the service file sets this limit.',
        }),
      );
    }
  });
}

import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

/** Refuses compressed bodies. Otherwise they would be reported as invalid text. */
export function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    const encoding = headers['content-encoding']?.trim() ?? '';
    const none = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
    if (none || encoding === '' || encoding.toLowerCase() === 'identity') done();
    else {
      done(
        new ApiError('HR_REQUEST_MEDIA_TYPE', `The body must not be compressed (Content-Encoding: ${encoding})`, {
          hint: 'Send it uncompressed, without the header Content-Encoding.',
          headers: { 'accept-encoding': 'identity' },
        }),
      );
    }
  });
}

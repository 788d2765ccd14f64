import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

/**
 * Refuses HTTP/1.1 requests without `Host`, as the standard requires, and closes the connection. Later requests on this
 * connection are refused too: they may be part of a request smuggling attack.
 */
export function requireHost(app: FastifyInstance): void {
  const refused = new WeakSet<Socket>();
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (!refused.has(raw.socket) && (raw.headers.host !== undefined || raw.httpVersion !== '1.1')) {
      done();
      return;
    }
    refused.add(raw.socket);
    done(
      new ApiError('HR_REQUEST_INVALID', 'The request has no Host header', {
        hint: 'HTTP/1.1 requires it: Host: <the name of this service>.',
        headers: { connection: 'close' },
      }),
    );
  });
}

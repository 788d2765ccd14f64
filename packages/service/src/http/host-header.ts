import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

/**
 * Refuses requests of HTTP/1.1 without `Host`, as the standard wants, and closes the connection. What was sent after
 * such a request over the same connection may be meant for somebody else: it is refused, too, and never done.
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
        hint: 'HTTP/1.1 wants one: Host: <the name of this service>.',
        headers: { connection: 'close' },
      }),
    );
  });
}

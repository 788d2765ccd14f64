import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

/**
 * Refuses requests that a proxy may understand differently: with two `Host` headers, or with a `Transfer-Encoding`
 * other than `chunked`. Closes the connection and refuses all later requests on it, because they may be part of the
 * same attack.
 */
export function refuseAmbiguous(app: FastifyInstance): void {
  const refused = new WeakMap<Socket, string>();
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const reason = refused.get(raw.socket) ?? ambiguity(raw);
    if (reason === undefined) {
      done();
      return;
    }
    refused.set(raw.socket, reason);
    done(new ApiError('HR_REQUEST_INVALID', reason, { headers: { connection: 'close' } }));
  });
}

function ambiguity({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    return `The Transfer-Encoding ${encoding} is not supported: send chunked, or a Content-Length`;
  }
  let hosts = 0;
  // The list contains names and values alternately.
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') hosts++;
  return hosts > 1 ? 'The request has more than one Host header' : undefined;
}

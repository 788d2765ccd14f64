import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route writes its body to the disk while it arrives, so that it needs no memory. */
    streamsBody?: boolean;
  }
}

/** The maximum total size of the bodies in memory. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Limits the total bytes of the bodies of all requests. A body counts from its first byte until its answer is sent.
 * Requests beyond the limit get 503. Announced bytes that have not arrived do not count.
 * @param largest the maximum size of a single body, for which there is always enough space
 */
export function boundBodies(app: FastifyInstance, largest: number): void {
  const maxBytes = Math.max(MAX_BYTES, largest);
  let held = 0;
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { 'content-length': announced, 'transfer-encoding': chunked } = request.headers;
    if ((announced === undefined && chunked === undefined) || request.routeOptions.config.streamsBody === true) {
      done(null, payload);
      return;
    }
    const refuse = () => {
      // Close the connection, because the rest of the body still arrives and is not read.
      reply.header('connection', 'close');
      return new ApiError('HR_SERVER_BUSY', `The bodies of all requests would have more than ${maxBytes} bytes`, {
        headers: { 'retry-after': '5' },
      });
    };
    // A body that is too large by itself is refused later, with its own error code.
    const length = Number(announced ?? 0);
    if (length <= largest && held + length > maxBytes) {
      done(refuse());
      return;
    }
    let received = 0;
    const count = (chunk: Buffer) => {
      received += chunk.length;
      held += chunk.length;
      // If nothing listens for errors any more, the request was already refused.
      if (held <= maxBytes || payload.listenerCount('error') === 0) return;
      payload.off('data', count);
      payload.emit('error', refuse());
    };
    payload.on('data', count);
    reply.raw.once('close', () => {
      payload.off('data', count);
      held -= received;
    });
    done(null, payload);
  });
}

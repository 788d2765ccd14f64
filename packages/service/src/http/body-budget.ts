import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

/** Bytes of bodies that may be in memory at one time. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Limits the total bytes of the bodies of all requests, from their first byte until their answer is sent; beyond that
 * 503. A body that is only announced uses no capacity of others.
 * @param largest bytes that a single one may have: there is always capacity for that
 */
export function boundBodies(app: FastifyInstance, largest: number): void {
  const maxBytes = Math.max(MAX_BYTES, largest);
  let held = 0;
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { 'content-length': announced, 'transfer-encoding': chunked } = request.headers;
    if (announced === undefined && chunked === undefined) {
      done(null, payload);
      return;
    }
    const refuse = () => {
      // The rest of the body still arrives, and is not read.
      reply.header('connection', 'close');
      return new ApiError('HR_SERVER_BUSY', `The bodies of all requests would have more than ${maxBytes} bytes`, {
        headers: { 'retry-after': '5' },
      });
    };
    // One that is too large by itself is refused for that.
    const length = Number(announced ?? 0);
    if (length <= largest && held + length > maxBytes) {
      done(refuse());
      return;
    }
    let received = 0;
    const count = (chunk: Buffer) => {
      received += chunk.length;
      held += chunk.length;
      // Without a listener somebody else has refused the request already.
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

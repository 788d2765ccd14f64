import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { type Clock, monotonic } from '../time/clock.ts';

/** The minimum time between warnings. Any client can send these headers and must not be able to fill the log. */
const QUIET_SECONDS = 3600;

/**
 * Warns if an untrusted proxy sends the address of its client. The address of the proxy then counts as the address of
 * all its clients, in logs and for delayed logins.
 */
export function warnOfUntrustedProxies(
  app: FastifyInstance,
  logger: FastifyBaseLogger,
  clock: Clock = monotonic,
): void {
  let warned: number | undefined;
  app.addHook('onRequest', ({ raw: { headers, socket }, ips }, _reply, done) => {
    const forwarded = headers['x-forwarded-for'] ?? headers['forwarded'];
    // If fastify trusts the proxy, it has read more than one address.
    const isBelieved = forwarded === undefined || (ips?.length ?? 0) > 1;
    if (!isBelieved && (warned === undefined || clock() - warned > QUIET_SECONDS)) {
      warned = clock();
      logger.warn(
        `A proxy at ${socket.remoteAddress} sends X-Forwarded-For or Forwarded but is not trusted: all its clients ` +
          'count as one address. If it is yours, name it in server.trustedProxies of the service file, and let it send ' +
          'X-Forwarded-For (Forwarded is not read)',
      );
    }
    done();
  });
}

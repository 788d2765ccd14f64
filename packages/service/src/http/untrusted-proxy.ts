import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { type Clock, monotonic } from '../time/clock.ts';

/** Anybody may send the headers: that must not fill the log. */
const QUIET_SECONDS = 3600;

/**
 * Warns when a proxy says for whom it asks and is not believed. Its address then counts as the address of all clients,
 * in the records and where failed logins wait.
 */
export function warnOfUntrustedProxies(
  app: FastifyInstance,
  logger: FastifyBaseLogger,
  clock: Clock = monotonic,
): void {
  let warned: number | undefined;
  app.addHook('onRequest', ({ raw: { headers, socket }, ips }, _reply, done) => {
    const forwarded = headers['x-forwarded-for'] ?? headers['forwarded'];
    // Fastify has read more than one address if it believes the peer.
    const isBelieved = forwarded === undefined || (ips?.length ?? 0) > 1;
    if (!isBelieved && (warned === undefined || clock() - warned > QUIET_SECONDS)) {
      warned = clock();
      logger.warn(
        `A proxy at ${socket.remoteAddress} sends X-Forwarded-For or Forwarded and is not believed: all its clients ` +
          'count as one address. If it is yours, name it in server.trustedProxies of the service file, and let it send ' +
          'X-Forwarded-For (Forwarded is not read)',
      );
    }
    done();
  });
}

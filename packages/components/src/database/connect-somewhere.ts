import type { HostPort } from '@headrace/languages/java/sql';

/**
 * Connects to the first server of a list that answers, with the first security mode that works. Rejects with the most
 * specific reason.
 * @param ways the security modes in order of preference; false means no TLS
 * @param hasNoTls returns whether an error means that the server has no TLS, so that the next mode may work
 */
export async function connectSomewhere<T, Tls>(
  addresses: readonly HostPort[],
  ways: readonly (Tls | false)[],
  open: (address: HostPort, tls: Tls | false) => Promise<T>,
  hasNoTls: (error: unknown) => boolean,
): Promise<T> {
  let reason: unknown;
  for (const address of addresses) {
    for (const tls of ways) {
      try {
        return await open(address, tls);
      } catch (error) {
        const withoutTls = hasNoTls(error);
        // Missing TLS is reported only if there is no other reason.
        if (reason === undefined || !withoutTls) reason = error;
        if (tls !== false && !withoutTls) break;
      }
    }
  }
  throw reason;
}

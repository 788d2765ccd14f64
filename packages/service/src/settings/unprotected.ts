import { isLoopback } from './loopback.ts';
import type { ServiceSettings } from './service-settings.ts';

/**
 * Returns why the service must not listen on a host, or undefined if it may. Clients of the API can make the service
 * read files, start runs and connect to other machines. So if other machines can reach the service, it needs users, or
 * the explicit setting `auth: none`.
 */
export function unprotected(
  host: string,
  auth: ServiceSettings['auth'],
): { message: string; hint: string } | undefined {
  if (auth !== undefined || isLoopback(host)) return undefined;
  return {
    message: `HR_SERVICE_UNPROTECTED: the service would listen on ${host} without authentication`,
    hint:
      'Add users to the service file (auth: { type: basicAuth, password: … }), or listen on this machine only ' +
      '(server.host: 127.0.0.1). If everyone who reaches the service may use it, write auth: none.',
  };
}

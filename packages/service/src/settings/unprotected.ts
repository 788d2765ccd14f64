import { isLoopback } from './loopback.ts';
import type { ServiceSettings } from './service-settings.ts';

/**
 * Why the service must not listen on a host; undefined if it may. Through its API a service reads files, starts
 * runs and connects to other machines, so one that other machines reach needs users, or an operator who says
 * that it needs none.
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

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { isLoopback } from '../settings/loopback.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);
const WILDCARDS = new Set(['0.0.0.0', '::']);

type Settings = Pick<ServiceSettings, 'listeners' | 'allowedHosts'>;

/**
 * Refuses requests that a web page of another origin makes a browser send. The browser of an operator can reach
 * services that the author of the page cannot, and it sends the credentials that it knows.
 *
 * Without authentication, every request is checked:
 * - `Host` must be a name of this service. In DNS rebinding, an attacker points the name of a page at 127.0.0.1. The
 *   browser then treats page and service as the same origin, but still sends the name of the page.
 * - `Sec-Fetch-Site` and `Origin` must not name another origin. No page can change these headers. Another port is
 *   another origin. Programs do not send these headers.
 *
 * With authentication, DNS rebinding is harmless: a browser has no credentials for the name of the page. But browsers
 * send the credentials of basic authentication with requests across sites, so requests that change something must pass
 * the second check.
 *
 * No answer has a CORS header, so browsers never let a page of another origin read one.
 */
export function refuseForeignRequests(app: FastifyInstance, settings: Settings, secured: boolean): void {
  const { listeners, allowedHosts } = settings;
  const ownHosts = new Set(listeners.map(({ host }) => host.toLowerCase()).filter((host) => !WILDCARDS.has(host)));
  for (const host of allowedHosts) ownHosts.add(hostnameOf(host) ?? host);
  app.addHook('onRequest', (request, _reply, done) => {
    if (secured) done(READING.has(request.method) ? undefined : foreignOrigin(request, allowedHosts, true));
    else done(foreignHost(request, ownHosts) ?? foreignOrigin(request, allowedHosts, false));
  });
}

function foreignHost({ raw }: FastifyRequest, ownHosts: ReadonlySet<string>): ApiError | undefined {
  const { host } = raw.headers;
  // Only HTTP/1.0 has no `Host`, and browsers do not use it.
  if (host === undefined) return undefined;
  const name = hostnameOf(host);
  if (name !== undefined && (isLoopback(name) || ownHosts.has(name))) return undefined;
  // The address that the client connected to belongs to this machine, and an address cannot be rebound.
  if (name !== undefined && name === raw.socket.localAddress?.replace(/^::ffff:/, '')) return undefined;
  return new ApiError('HR_FOREIGN_HOST', `The request names the host ${host}, which is not a name of this service`, {
    hint: 'Without authentication, list the names of the service in its service file: server.allowedHosts: [ … ].',
  });
}

/** @param trustsBrowser whether `Sec-Fetch-Site` wins if it contradicts `Origin`, because a proxy may rewrite `Host` */
function foreignOrigin(
  request: FastifyRequest,
  allowedHosts: readonly string[],
  trustsBrowser: boolean,
): ApiError | undefined {
  const { origin, host = '', 'sec-fetch-site': site } = request.raw.headers;
  const named = origin === undefined ? undefined : URL.parse(origin);
  if (named !== null && named !== undefined && allowedHosts.includes(named.host)) return undefined;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    return opensPage(request) ? undefined : refusal('Another website sent this request');
  }
  if (origin === undefined || (trustsBrowser && site === 'same-origin')) return undefined;
  if (named !== null && named?.host === URL.parse(`${named?.protocol}//${host}`)?.host) return undefined;
  return refusal(`The website ${origin} sent this request`);
}

function refusal(what: string): ApiError {
  return new ApiError('HR_FOREIGN_ORIGIN', `${what}, and other websites may not use the service`, {
    hint: 'If this is the address of the service at a proxy, list it in the service file: server.allowedHosts: [ … ].',
  });
}

/** Returns whether the request follows a link to a public page, such as /swagger. The page itself contains no data. */
function opensPage({ method, raw, routeOptions }: FastifyRequest): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = raw.headers;
  const isNavigation = mode === 'navigate' && destination === 'document';
  return isNavigation && READING.has(method) && routeOptions.config.access === 'open';
}

/**
 * Returns the host name or address of a `Host` header, without port and brackets. Returns undefined if it is malformed.
 */
function hostnameOf(host: string): string | undefined {
  if (!/^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i.test(host)) return undefined;
  return URL.parse(`http://${host}`)
    ?.hostname.replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

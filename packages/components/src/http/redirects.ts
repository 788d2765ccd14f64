import { type HttpClient, type HttpRequest, type HttpResponse, headerText } from './http-client.ts';
import { HttpError } from './http-error.ts';
import { safeUrl } from './safe-url.ts';

/** Headers with credentials, which are not sent to another server after a redirect. */
const CREDENTIALS = new Set(['authorization', 'cookie', 'proxy-authorization']);

export interface RedirectOptions {
  readonly limit: number;
  /** Whether to follow this status. Called for 301, 302, 303, 307 and 308. */
  readonly follow: (status: number) => boolean;
}

/**
 * Sends a GET and follows redirects; the `url` of the response is the last one. Headers with credentials are sent only
 * to the original server. Throws an `HttpError` (`redirect`) for loops, for more redirects than the limit, and for a
 * redirect to a URL that is not http or https.
 */
export async function getFollowing(
  client: HttpClient,
  request: HttpRequest & { readonly url: string },
  { limit, follow }: RedirectOptions,
): Promise<HttpResponse> {
  const seen = new Set<string>();
  let { url, headers = {} } = request;
  const before = request.memory?.bytes ?? 0;
  for (;;) {
    request.memory?.keep(before);
    const response = await client.request({ ...request, url, headers });
    const location = headerText(response.headers, 'location');
    if (location === undefined || !isRedirect(response.status) || !follow(response.status)) return response;
    seen.add(url);
    const next = URL.parse(location, url);
    const failed = `GET ${safeUrl(request.url)} failed:`;
    if (next === null || (next.protocol !== 'http:' && next.protocol !== 'https:')) {
      throw new HttpError(
        'redirect',
        `${failed} it redirects to ${safeUrl(location)}, which is not an http or https URL`,
      );
    }
    if (seen.has(next.href))
      throw new HttpError('redirect', `${failed} its redirects lead back to ${safeUrl(next.href)}`);
    if (seen.size > limit) throw new HttpError('redirect', `${failed} it redirects more than ${limit} times`);
    const from = new URL(url);
    if (next.origin !== from.origin) headers = withoutCredentials(headers);
    else if (next.username === '') Object.assign(next, { username: from.username, password: from.password });
    url = next.href;
  }
}

function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIALS.has(name.toLowerCase())));
}

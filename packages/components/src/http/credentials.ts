import { unescape as percentDecoded } from 'node:querystring';

/** Returns the value of an `Authorization` header for basic authentication (RFC 7617), in UTF-8. */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/**
 * Returns the basic authorization for the user and password in a URL, percent-decoded; undefined if the URL has none.
 */
export function urlAuthorization(url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  return basicAuthorization(percentDecoded(url.username), percentDecoded(url.password));
}

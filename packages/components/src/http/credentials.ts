import { unescape as percentDecoded } from 'node:querystring';

/** The value of an `Authorization` header for basic authentication (RFC 7617), in UTF-8. */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** The basic authorization that the user and password in a URL ask for, percent-decoded; undefined if there are none. */
export function urlAuthorization(url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  return basicAuthorization(percentDecoded(url.username), percentDecoded(url.password));
}

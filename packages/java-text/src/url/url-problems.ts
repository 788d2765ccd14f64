import { javaTrim } from '../text/text.ts';

/** The schemes that Java's `URL` knows; others are no URL to it. */
const KNOWN = new Set(['http', 'https', 'file', 'ftp', 'jar', 'jmod', 'jrt', 'mailto']);

const UNRESERVED = "A-Za-z0-9\\-_.!~*'()";
const PATH = new RegExp(`[${UNRESERVED}:@&=+$,;/]`);
const URIC = new RegExp(`[${UNRESERVED};/?:@&=+$,[\\]]`);
const AUTHORITY = new RegExp(`[${UNRESERVED}$,;:@&=+[\\]]`);

/**
 * What Java says of a text that is to be a URL with a host of http, in the form `exception message`; undefined if it says
 * nothing. Documents keep such texts, and conditions test them. It is stricter than browsers: a blank, for one, must be
 * encoded. (The checks are those of the classes `URL` and `URI` and of the client that the reference uses.)
 */
export function javaUrlProblem(text: string): string | undefined {
  const scheme = /^([\p{L}][\p{L}\p{Nd}.+-]*):/u.exec(javaTrim(text))?.[1]?.toLowerCase();
  if (scheme === undefined) return `java.net.MalformedURLException no protocol: ${text}`;
  if (!KNOWN.has(scheme)) return `java.net.MalformedURLException unknown protocol: ${scheme}`;
  const url = `${scheme}${javaTrim(text).slice(scheme.length)}`;
  const problem = uriProblem(url, scheme.length + 1);
  if (problem !== undefined) return `java.net.URISyntaxException ${problem}: ${url}`;
  const authority = /^\w+:\/\/([^/?#]*)/.exec(url)?.[1] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (host === '' || host.startsWith(':')) {
    return `org.apache.http.client.ClientProtocolException URI does not specify a valid host name: ${url}`;
  }
  if (scheme !== 'http' && scheme !== 'https') {
    // The reference says no more than "null".
    return `org.apache.http.client.ClientProtocolException null: ${scheme} is neither http nor https`;
  }
  const port = /^(?:\[.*\]|[^[:]*):(.+)$/.exec(host)?.[1];
  if (port !== undefined && !/^\d+$/.test(port)) {
    return `java.net.MalformedURLException Error at index ${/^\d*/.exec(port)?.[0].length} in: "${port}"`;
  }
  return undefined;
}

/** The first mistake in a URI after its scheme, without the URI itself. */
function uriProblem(uri: string, at: number): string | undefined {
  const hash = uri.indexOf('#');
  const end = hash < 0 ? uri.length : hash;
  const fragment = () => (hash < 0 ? undefined : illegal(uri, hash + 1, uri.length, URIC, 'fragment'));
  if (uri[at] !== '/') {
    if (at >= end) return `Expected scheme-specific part at index ${at}`;
    return illegal(uri, at, end, URIC, 'opaque part') ?? fragment();
  }
  let path = at;
  if (uri[at + 1] === '/') {
    path = at + 2;
    while (path < end && uri[path] !== '/' && uri[path] !== '?') path++;
    if (path === at + 2 && path === uri.length) return `Expected authority at index ${path}`;
    const inAuthority = illegal(uri, at + 2, path, AUTHORITY, 'authority');
    // Java points at the start of the authority, wherever the character is.
    if (inAuthority?.startsWith('Illegal') === true) return `Illegal character in authority at index ${at + 2}`;
    if (inAuthority !== undefined) return inAuthority;
  }
  const mark = uri.indexOf('?', path);
  const query = mark < 0 || mark > end ? end : mark;
  return (
    illegal(uri, path, query, PATH, 'path') ??
    (query < end ? illegal(uri, query + 1, end, URIC, 'query') : undefined) ??
    fragment()
  );
}

function illegal(uri: string, from: number, to: number, legal: RegExp, part: string): string | undefined {
  for (let at = from; at < to; at++) {
    const character = uri[at] as string;
    if (character === '%') {
      if (!/^%[0-9A-Fa-f]{2}$/.test(uri.slice(at, Math.min(at + 3, to)))) return `Malformed escape pair at index ${at}`;
      at += 2;
    } else if (character >= '\u0080' ? /[\p{Z}\p{Cc}]/u.test(character) : !legal.test(character)) {
      return `Illegal character in ${part} at index ${at}`;
    }
  }
  return undefined;
}

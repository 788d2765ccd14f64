import { javaTrim } from '../text/text.ts';

/** The schemes that Java's class `URL` accepts. */
const KNOWN = new Set(['http', 'https', 'file', 'ftp', 'jar', 'jmod', 'jrt', 'mailto']);

const UNRESERVED = "A-Za-z0-9\\-_.!~*'()";
const PATH = new RegExp(`[${UNRESERVED}:@&=+$,;/]`);
const URIC = new RegExp(`[${UNRESERVED};/?:@&=+$,[\\]]`);
const AUTHORITY = new RegExp(`[${UNRESERVED}$,;:@&=+[\\]]`);

/**
 * Returns the exception of Java for a text that must be a URL with a host, in the form `exception message`. Returns
 * undefined for a valid URL. Documents store such texts, and conditions test them. The checks are those of the classes
 * `URL` and `URI` and of the reference's HTTP client. They are stricter than browsers: a blank must be encoded.
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
    // The message of the reference is only "null".
    return `org.apache.http.client.ClientProtocolException null: ${scheme} is neither http nor https`;
  }
  const port = /^(?:\[.*\]|[^[:]*):(.+)$/.exec(host)?.[1];
  if (port !== undefined && !/^\d+$/.test(port)) {
    return `java.net.MalformedURLException Error at index ${/^\d*/.exec(port)?.[0].length} in: "${port}"`;
  }
  return undefined;
}

/** Returns the first mistake in a URI after its scheme, without the URI. */
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
    // Java reports the start of the authority for any invalid character in it.
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

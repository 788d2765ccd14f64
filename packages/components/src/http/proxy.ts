import { HttpError } from './http-error.ts';

/** The environment variables that name proxies, in lower or upper case. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the proxy for a URL according to `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` (lower-case names take
 * precedence); undefined if there is none. `NO_PROXY` lists hosts, separated by commas or blanks: `example.org` and
 * `.example.org` mean the host and its subdomains, `host:port` only that port, `*` everything. Throws an `HttpError` if
 * the address of the proxy is not an http or https URL.
 */
export function proxyFor(url: URL, environment: ProxyEnvironment): URL | undefined {
  const variable = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const address = read(environment, variable);
  if (address === '' || isExcepted(url, read(environment, 'no_proxy'))) return undefined;
  const proxy = URL.parse(address.includes('://') ? address : `http://${address}`);
  if (proxy === null || (proxy.protocol !== 'http:' && proxy.protocol !== 'https:')) {
    throw new HttpError('url', `The proxy in ${variable.toUpperCase()} must be an http or https URL`);
  }
  return proxy;
}

/**
 * Converts the proxy settings for Node's agents, which have other rules: they accept no blanks between exceptions, no
 * domain without a leading dot, and no proxy without a scheme. A domain with a port means only that host.
 */
export function proxiesForNode(environment: ProxyEnvironment): Record<string, string> {
  const everywhere = { ...environment, no_proxy: '' };
  const [plain, secure] = ['http:', 'https:'].map((scheme) => proxyFor(new URL(`${scheme}//host`), everywhere));
  const exceptions = exceptionsIn(read(environment, 'no_proxy')).flatMap(({ name, port }) => {
    const domain = name.replace(/^\*?\./, '');
    return name === '*' ? ['*'] : port === undefined ? [domain, `.${domain}`] : [`${domain}:${port}`];
  });
  return {
    ...(plain === undefined ? {} : { http_proxy: plain.href }),
    ...(secure === undefined ? {} : { https_proxy: secure.href }),
    no_proxy: exceptions.join(),
  };
}

/** Returns the name of a proxy for messages: host and port without the user, and its variable. */
export function proxyName(proxy: URL, { protocol }: URL, environment: ProxyEnvironment): string {
  const variable = protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const port = proxy.port === '' ? (proxy.protocol === 'https:' ? '443' : '80') : proxy.port;
  const named = environment[variable] === undefined ? variable.toUpperCase() : variable;
  return `${proxy.hostname}:${port}, which ${named} names`;
}

function read(environment: ProxyEnvironment, name: string): string {
  return (environment[name] ?? environment[name.toUpperCase()] ?? '').trim();
}

function isExcepted(url: URL, exceptions: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return exceptionsIn(exceptions).some(({ name, port: only }) => {
    if (name === '*') return true;
    if (only !== undefined && only !== port) return false;
    const domain = name.replace(/^\*?\./, '');
    return host === domain || host.endsWith(`.${domain}`);
  });
}

/** Parses the exceptions: names in lower case, addresses without brackets, and ports if present. */
function exceptionsIn(text: string): { readonly name: string; readonly port: string | undefined }[] {
  return text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((exception) => exception !== '')
    .map((exception) => {
      const written = isAddressV6(exception) ? `[${exception}]` : exception;
      const [, name = written, port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(written) ?? [];
      return { name, port };
    });
}

/** Returns whether a text is an IPv6 address without brackets: its colons do not separate a port. */
function isAddressV6(text: string): boolean {
  return !text.startsWith('[') && text.indexOf(':') !== text.lastIndexOf(':');
}

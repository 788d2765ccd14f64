import { HttpError } from './http-error.ts';

/** The variables of the environment that name proxies, in lower or upper case. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL, as `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` (or their lower-case forms, which win) say; undefined
 * for none. `NO_PROXY` lists hosts with commas or blanks: `example.org` and `.example.org` mean the host and what is below
 * it, `host:port` that port alone, `*` everything. Throws an `HttpError` if the
 * proxy's address is not an http or https URL.
 */
export function proxyFor(url: URL, environment: ProxyEnvironment): URL | undefined {
  const variable = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const address = read(environment, variable);
  if (address === '' || isExcepted(url, read(environment, 'no_proxy'))) return undefined;
  const proxy = URL.parse(address.includes('://') ? address : `http://${address}`);
  if (proxy === null || (proxy.protocol !== 'http:' && proxy.protocol !== 'https:')) {
    throw new HttpError('url', `The proxy in ${variable.toUpperCase()} must be a URL of http or https`);
  }
  return proxy;
}

/**
 * The proxies for the agents of Node, whose words are others: they know no blanks between exceptions, no domain without
 * a dot, and no proxy without its scheme. A domain with a port is the host of that name alone to them.
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

/** The proxy for a URL in messages: host and port, no user, and its variable. */
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

/** Names in lower case, addresses without brackets, ports where there are some. */
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

/** An address without brackets, whose colons are no port. */
function isAddressV6(text: string): boolean {
  return !text.startsWith('[') && text.indexOf(':') !== text.lastIndexOf(':');
}

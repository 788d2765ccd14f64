import { requireAllowedHost } from '@headrace/engine';
import type { Agent, Dispatcher, Pool, ProxyAgent } from 'undici';
import { urlAuthorization } from './credentials.ts';
import { type ProxyEnvironment, proxyFor, proxyName } from './proxy.ts';

/** The route of a request: the pool of connections, and the form of the URL for it. */
export interface Route {
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The name of the proxy, if the request uses one. */
  readonly proxy?: string;
}

export interface RouteOptions {
  /** The maximum number of connections per server. */
  readonly connections: number;
  /** The maximum time to open a connection, with TLS, in milliseconds. */
  readonly connectTimeout: number;
  /** Options for `tls.connect`. */
  readonly tls: Readonly<Record<string, unknown>>;
  readonly environment: ProxyEnvironment;
}

/** The classes of the network library for routes. The library is loaded when a client opens. */
export interface Network {
  readonly Agent: typeof Agent;
  readonly Pool: typeof Pool;
  readonly ProxyAgent: typeof ProxyAgent;
}

/**
 * The connection pools of a client: direct ones, those to forwarding proxies (http), and tunnels (https). We use the
 * library's proxy agent only for tunnels. For http it turns the status 407 into an exception without the response text,
 * rejects a `Proxy-Authorization` header of the request, and sets no limit of connections.
 */
export class Routes {
  readonly #network: Network;
  readonly #options: RouteOptions;
  readonly #direct: Dispatcher;
  /** The pools by the address of the proxy. */
  readonly #forwarding = new Map<string, Dispatcher>();
  readonly #tunnels = new Map<string, Dispatcher>();

  constructor(network: Network, options: RouteOptions) {
    this.#network = network;
    this.#options = options;
    this.#direct = new network.Agent(this.#poolOptions(options.tls));
  }

  to(url: URL): Route {
    const { origin, search } = url;
    const path = `${url.pathname}${search}`;
    const proxy = proxyFor(url, this.#options.environment);
    if (proxy === undefined) return { dispatcher: this.#direct, origin, path, headers: {} };
    requireAllowedHost(url.hostname, Number(url.port) || (url.protocol === 'https:' ? 443 : 80));
    const name = proxyName(proxy, url, this.#options.environment);
    if (url.protocol === 'https:') return { dispatcher: this.#tunnel(proxy), origin, path, headers: {}, proxy: name };
    const authorization = urlAuthorization(proxy);
    return {
      dispatcher: this.#forward(proxy),
      origin: proxy.origin,
      path: `${origin}${path}`,
      headers: { host: url.host, ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }) },
      proxy: name,
    };
  }

  /** Closes all connections; waiting requests fail. */
  async destroy(): Promise<void> {
    const all = [this.#direct, ...this.#forwarding.values(), ...this.#tunnels.values()];
    await Promise.all(all.map((dispatcher) => dispatcher.destroy()));
  }

  #forward({ origin }: URL): Dispatcher {
    let pool = this.#forwarding.get(origin);
    if (pool === undefined) {
      pool = new this.#network.Pool(origin, this.#poolOptions({}));
      this.#forwarding.set(origin, pool);
    }
    return pool;
  }

  #tunnel({ href }: URL): Dispatcher {
    let agent = this.#tunnels.get(href);
    if (agent === undefined) {
      const { connections, connectTimeout, tls } = this.#options;
      const requestTls = { ...tls, timeout: connectTimeout };
      agent = new this.#network.ProxyAgent({ uri: href, connections, connectTimeout, requestTls, allowH2: false });
      this.#tunnels.set(href, agent);
    }
    return agent;
  }

  #poolOptions(tls: RouteOptions['tls']): Pool.Options {
    const { connections, connectTimeout } = this.#options;
    return { connections, allowH2: false, connect: { ...tls, timeout: connectTimeout } };
  }
}

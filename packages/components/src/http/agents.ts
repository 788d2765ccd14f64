import { Agent, type AgentOptions } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { requireAllowedHost } from '@headrace/engine';
import { type ProxyEnvironment, proxiesForNode, proxyFor, proxyName } from './proxy.ts';
import { type Trust, tlsOf } from './tls/tls-parameter.ts';
import { tlsOptions } from './tls-settings.ts';

/** Agents for libraries that send their requests through Node. */
export interface Agents {
  readonly http: Agent;
  readonly https: SecureAgent;
  /** Closes all connections. */
  destroy(): void;
}

/** The maximum number of connections to a server. */
const CONNECTIONS = 50;

type Connected = (error: Error | null, stream: Duplex) => void;
/** The options of a connection, as Node's agents pass them: those of the server, even if a proxy is used. */
type Target = { readonly host?: string | null | undefined; readonly port?: string | number | null | undefined };

/**
 * Opens agents with these TLS settings. They use the proxies of the environment, connect through them only to hosts
 * that the policy allows, and name a proxy that does not answer. Throws if a file of the settings cannot be used.
 */
export async function openAgents(trust: Trust): Promise<Agents> {
  const environment = { ...process.env };
  const proxyEnv = proxiesForNode(environment);
  const options = { keepAlive: true, maxSockets: CONNECTIONS, proxyEnv } satisfies AgentOptions;
  const http = watched(new Agent(options), 'http:', environment);
  const https = watched(new SecureAgent({ ...options, ...(await tlsOptions(tlsOf(trust))) }), 'https:', environment);
  return {
    http,
    https,
    destroy() {
      http.destroy();
      https.destroy();
    },
  };
}

/**
 * Checks the policy for connections through a proxy, because the connection check sees only the proxy. Adds the name of
 * the proxy to its errors.
 */
function watched<T extends Agent>(agent: T, protocol: 'http:' | 'https:', environment: ProxyEnvironment): T {
  const everywhere = { ...environment, no_proxy: '' };
  const exceptions = proxiesForNode(environment).no_proxy?.split(',') ?? [];
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback?: Connected) => {
    const { host, port } = options as Target;
    const name = host ?? 'localhost';
    const number = Number(port ?? (protocol === 'https:' ? 443 : 80));
    const url = new URL(`${protocol}//${name.includes(':') ? `[${name}]` : name}:${number}`);
    const proxy = proxyFor(url, everywhere);
    // Node's agents have the same rule.
    const isDirect = exceptions.some(
      (one) => one === '*' || one === name || one === `${name}:${number}` || (one[0] === '.' && name.endsWith(one)),
    );
    if (proxy === undefined || isDirect) return connect(options, callback);
    requireAllowedHost(name, number);
    const blame = (error: Error) => blamed(error, proxyName(proxy, url, environment));
    const named: Connected = (error, stream) => callback?.(error instanceof Error ? blame(error) : error, stream);
    return connect(options, callback === undefined ? undefined : named)?.prependListener('error', blame);
  };
  return agent;
}

const NO_CONNECTION = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ERR_PROXY_TUNNEL',
  'ETIMEDOUT',
]);

/** Adds the name of the proxy to the message of an error. Keeps the error, because libraries check its code. */
function blamed(error: Error & { readonly code?: string; readonly statusCode?: number }, proxy: string): Error {
  const { code = '', message, statusCode } = error;
  if (!NO_CONNECTION.has(code) || message.includes(proxy)) return error;
  const reason = statusCode === undefined ? message || code : `it answered ${statusCode}`;
  error.message = `No connection through the proxy ${proxy}: ${reason}`;
  return error;
}

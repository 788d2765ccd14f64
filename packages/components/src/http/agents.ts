import { Agent, type AgentOptions } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { requireAllowedHost } from '@headrace/engine';
import { type ProxyEnvironment, proxiesForNode, proxyFor, proxyName } from './proxy.ts';
import { type Trust, tlsOf } from './tls/tls-parameter.ts';
import { tlsOptions } from './tls-settings.ts';

/** For libraries that make their requests with the agents of Node. */
export interface Agents {
  readonly http: Agent;
  readonly https: SecureAgent;
  /** Closes all connections. */
  destroy(): void;
}

/** How many connections to a server there are at most. */
const CONNECTIONS = 50;

type Connected = (error: Error | null, stream: Duplex) => void;
/** The options of a connection, as agents of Node give them: those of the server, also when a proxy is asked. */
type Target = { readonly host?: string | null | undefined; readonly port?: string | number | null | undefined };

/**
 * Agents with the TLS settings of a trust. They use the proxies that the environment names, through which they reach
 * hosts that the policy allows, and name a proxy that does not answer. Throws if a file of the settings cannot be used.
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

/** A proxy hides the host from what watches over connections, and its errors do not say that they are its own. */
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
    // As the agent decides it.
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

/** The error itself, which libraries know by its code, with a message that names the proxy. */
function blamed(error: Error & { readonly code?: string; readonly statusCode?: number }, proxy: string): Error {
  const { code = '', message, statusCode } = error;
  if (!NO_CONNECTION.has(code) || message.includes(proxy)) return error;
  const reason = statusCode === undefined ? message || code : `it answered ${statusCode}`;
  error.message = `No connection through the proxy ${proxy}: ${reason}`;
  return error;
}

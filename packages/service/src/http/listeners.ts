import { readFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { SERVICE_ERROR_CODES, type ServiceErrorCode } from '../errors/service-error-codes.ts';
import { isLoopback } from '../settings/loopback.ts';
import type { Limits, ListenerSettings } from '../settings/service-settings.ts';
import { errorJson } from './error-answers.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';
import { ANSWER_HEADERS } from './security-headers.ts';

/** How often the server checks for connections that exceed a timeout. Shorter timeouts are checked more often. */
const TIMEOUT_CHECK_MILLIS = 1000;

/** How often a closing server checks for connections that have become idle. */
const IDLE_CHECK_MILLIS = 50;

const JKS_MAGIC = 0xfeedfeed;

type ConnectionLimits = Pick<
  Limits,
  'maxConnections' | 'maxHeaderBytes' | 'headersTimeoutSeconds' | 'requestTimeoutSeconds' | 'keepAliveSeconds'
>;

/** An open port. */
export interface Listener {
  url: string;
  /** The address that it is bound to, with an explanation, for the log. */
  bound: string;
  /** Returns the number of open connections. */
  connections(): number;
  /** Stops accepting connections, and waits at most the given time for the running requests. */
  close(graceMillis: number): Promise<void>;
}

/**
 * Opens a port. If that fails, throws an error with the port and the reason.
 * @param onDrop called for each connection that was closed because there were too many
 */
export async function listen(
  settings: ListenerSettings,
  limits: ConnectionLimits,
  handle: RequestListener,
  onDrop: () => void,
): Promise<Listener> {
  const options = serverOptions(limits);
  const server =
    settings.tls === undefined ? createHttpServer(options, handle) : secureServer(settings.tls, options, handle);
  // No limit in Node, which would silently drop headers. header-limit.ts refuses such requests.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.maxConnections;
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('drop', onDrop);
  const latest = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();
  server.on('request', (request, response) => latest.set(request.socket, { request, response }));
  server.on('clientError', (error: ParseError, socket: Socket) => {
    const { request, response } = latest.get(socket) ?? {};
    // The request was already answered and its body is malformed: the client would not read another answer.
    if (request?.complete === false && response?.headersSent === true) socket.end();
    else answerClientError(error, socket);
  });
  server.on('connect', (_request, socket: Socket) => answerRaw(socket, 'HR_METHOD_NOT_ALLOWED', NO_SUCH_METHOD));
  const { host, port } = settings;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, settings)));
    server.listen({ host, port }, resolve);
  });
  const scheme = settings.tls === undefined ? 'http' : 'https';
  const address = server.address() as AddressInfo;
  return {
    url: `${scheme}://${urlHost(host)}:${address.port}`,
    bound: `${scheme}://${inUrl(address.address)}:${address.port}${checkAccess(address.address)}`,
    connections: () => connections.size,
    close: (grace) => closeServer(server, grace),
  };
}

/** Returns the limits that prevent a slow or hostile client from keeping a connection forever. */
function serverOptions(limits: ConnectionLimits): ServerOptions {
  const { maxHeaderBytes, headersTimeoutSeconds, requestTimeoutSeconds, keepAliveSeconds } = limits;
  // Node requires that headersTimeout is not longer than requestTimeout.
  const headersTimeout = Math.min(headersTimeoutSeconds, requestTimeoutSeconds) * 1000;
  return {
    maxHeaderSize: maxHeaderBytes,
    // Node answers without a body, so `host-header.ts` refuses these requests instead.
    requireHostHeader: false,
    headersTimeout,
    requestTimeout: requestTimeoutSeconds * 1000,
    keepAliveTimeout: keepAliveSeconds * 1000,
    connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MILLIS, headersTimeout),
  };
}

function secureServer(
  tls: NonNullable<ListenerSettings['tls']>,
  options: ServerOptions,
  handle: RequestListener,
): Server {
  try {
    const material =
      'keyStore' in tls
        ? { pfx: readKeyStore(tls.keyStore), passphrase: tls.password }
        : { cert: readFileSync(tls.cert), key: readFileSync(tls.key) };
    return createHttpsServer({ ...options, ...material }, handle);
  } catch (error) {
    const files = 'keyStore' in tls ? `the key store ${tls.keyStore}` : `${tls.cert} and ${tls.key}`;
    throw new Error(`HTTPS cannot be set up with ${files}: ${(error as Error).message}`, { cause: error });
  }
}

function readKeyStore(path: string): Buffer {
  const bytes = readFileSync(path);
  if (bytes.length >= 4 && bytes.readUInt32BE() === JKS_MAGIC) {
    throw new Error(
      'it is a Java key store (JKS), which only Java reads. Convert it to PKCS12: keytool -importkeystore ' +
        `-srckeystore ${path} -destkeystore keystore.p12 -deststoretype PKCS12`,
    );
  }
  return bytes;
}

function listenError(error: NodeJS.ErrnoException, { host, port }: ListenerSettings): Error {
  const where = `port ${port} of ${host}`;
  const why =
    error.code === 'EADDRINUSE'
      ? 'another program listens there. Stop it, or choose another port in the service file (server.port)'
      : error.code === 'EACCES'
        ? 'the user of the service may not open this port. Choose a port above 1023'
        : error.message;
  return new Error(`The service cannot listen on ${where}: ${why}`, { cause: error });
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return inUrl(host);
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function checkAccess(address: string): string {
  if (address === '::') return ', all addresses of this machine';
  if (address === '0.0.0.0') return ', all IPv4 addresses of this machine';
  return isLoopback(address) ? ', for this machine only' : '';
}

/**
 * The error codes of the HTTP parser of Node, with the matching codes of the service. All other errors mean malformed
 * HTTP.
 */
const CLIENT_ERRORS: Readonly<Record<string, ServiceErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HR_REQUEST_HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'HR_REQUEST_TIMEOUT',
};

/** An error of the HTTP parser of Node, with the bytes that caused it. */
type ParseError = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** Answers bytes that are not valid HTTP, in the error format. */
function answerClientError(error: ParseError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (error.code === 'HPE_INVALID_METHOD' && beginsWithRequestLine(error.rawPacket)) {
    answerRaw(socket, 'HR_METHOD_NOT_ALLOWED', NO_SUCH_METHOD);
    return;
  }
  const code = CLIENT_ERRORS[error.code ?? ''] ?? 'HR_REQUEST_INVALID';
  answerRaw(
    socket,
    code,
    code === 'HR_REQUEST_INVALID' ? 'The request is not valid HTTP' : SERVICE_ERROR_CODES[code].meaning,
  );
}

const NO_SUCH_METHOD = 'No endpoint supports this method';

/** Returns whether the bytes begin with an HTTP request line with any method. Other protocols begin differently. */
function beginsWithRequestLine(bytes: Buffer | undefined): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+ \S+ HTTP\/1\.[01]\r?\n/.test(bytes?.toString('latin1') ?? '');
}

/** Answers a message that is not a request to an endpoint, and closes the connection. */
function answerRaw(socket: Socket, code: ServiceErrorCode, message: string): void {
  const { status } = SERVICE_ERROR_CODES[code];
  // The headers could not be read, so the request gets a new id.
  const requestId = requestIdOf({ headers: {} });
  const body = errorJson({ status, code, message }, requestId);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    // All methods of the API, because the endpoint is unknown.
    ...(status === 405 ? { Allow: 'DELETE, GET, HEAD, POST, PUT' } : {}),
    ...ANSWER_HEADERS,
    [REQUEST_ID_HEADER]: requestId,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

async function closeServer(server: Server, graceMillis: number): Promise<void> {
  const force = setTimeout(() => server.closeAllConnections(), graceMillis);
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MILLIS);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearTimeout(force);
  clearInterval(idle);
}

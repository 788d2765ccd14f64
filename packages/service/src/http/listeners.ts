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

/** How often connections are looked at that take too long. */
const TIMEOUT_CHECK_MILLIS = 1000;

/** How often a closing server looks for connections that have become idle. */
const IDLE_CHECK_MILLIS = 50;

const JKS_MAGIC = 0xfeedfeed;

type ConnectionLimits = Pick<
  Limits,
  'maxConnections' | 'maxHeaderBytes' | 'headersTimeoutSeconds' | 'requestTimeoutSeconds' | 'keepAliveSeconds'
>;

/** A port that is open. */
export interface Listener {
  url: string;
  /** Where it listens, for people: the address as it is bound, and what that means. */
  bound: string;
  /** How many connections are open. */
  connections(): number;
  /** Takes no new connections; waits for the requests that are being answered, but not longer than the given time. */
  close(graceMillis: number): Promise<void>;
}

/**
 * Opens a port. Throws if it cannot, with the port and the reason.
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
  // Too many are refused (header-limit.ts) and not left out.
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
    // The request is answered already and its body is malformed: another answer would not be read.
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
    bound: `${scheme}://${inUrl(address.address)}:${address.port}${reach(address.address)}`,
    connections: () => connections.size,
    close: (grace) => closeServer(server, grace),
  };
}

/** Bounds that keep a slow or hostile client from holding a connection forever. */
function serverOptions(limits: ConnectionLimits): ServerOptions {
  const { maxHeaderBytes, headersTimeoutSeconds, requestTimeoutSeconds, keepAliveSeconds } = limits;
  return {
    maxHeaderSize: maxHeaderBytes,
    // Node's own answer has no body: `host-header.ts` refuses in its place.
    requireHostHeader: false,
    // Node wants the first not to be above the second.
    headersTimeout: Math.min(headersTimeoutSeconds, requestTimeoutSeconds) * 1000,
    requestTimeout: requestTimeoutSeconds * 1000,
    keepAliveTimeout: keepAliveSeconds * 1000,
    connectionsCheckingInterval: TIMEOUT_CHECK_MILLIS,
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
        ? 'it needs more rights. Choose a port above 1023'
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

function reach(address: string): string {
  if (address === '::') return ', all addresses of this machine';
  if (address === '0.0.0.0') return ', all IPv4 addresses of this machine';
  return isLoopback(address) ? ', for this machine only' : '';
}

/** Codes of Node's HTTP parser, and the refusals that they are. Everything else is malformed. */
const CLIENT_ERRORS: Readonly<Record<string, ServiceErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HR_REQUEST_HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'HR_REQUEST_TIMEOUT',
};

/** An error of Node's HTTP parser, with the bytes that it failed on. */
type ParseError = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** Answers bytes that are no request, in the error shape. */
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

const NO_SUCH_METHOD = 'No endpoint takes this method';

/** A method of any name, and a target: HTTP, as opposed to the first bytes of another protocol. */
function beginsWithRequestLine(bytes: Buffer | undefined): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+ \S+ HTTP\/1\.[01]\r?\n/.test(bytes?.toString('latin1') ?? '');
}

/** Answers what is no request to any endpoint, and closes the connection. */
function answerRaw(socket: Socket, code: ServiceErrorCode, message: string): void {
  const { status } = SERVICE_ERROR_CODES[code];
  // The request is unknown: not even its headers could be read.
  const requestId = requestIdOf({ headers: {} });
  const body = errorJson({ status, code, message }, requestId);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    // Those of all endpoints: which one is meant cannot be said.
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

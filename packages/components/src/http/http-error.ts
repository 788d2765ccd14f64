import { STATUS_CODES } from 'node:http';
import { excerpt } from './excerpt.ts';
import { safeUrl } from './safe-url.ts';

/**
 * What went wrong with a request:
 * - `url`: the URL, or the URL of the proxy, is not an http or https URL; nothing was sent
 * - `unknown-host`, `refused`, `connect-timeout`: there was no connection
 * - `forbidden`: the policy of the config, or the proxy, does not allow the connection
 * - `certificate`: the server's certificate is not trusted, or does not name it
 * - `answer-timeout`, `closed`: there was no answer, or not all of it
 * - `protocol`: the answer is not HTTP or not TLS, or not in the encoding that it says
 * - `size`: the answer is longer than allowed
 * - `status`: the response has an error status
 * - `redirect`: the redirects do not end
 * - `aborted`: the caller or the end of the run gave the request up
 */
export type HttpFailure =
  | 'url'
  | 'unknown-host'
  | 'refused'
  | 'connect-timeout'
  | 'forbidden'
  | 'certificate'
  | 'answer-timeout'
  | 'closed'
  | 'protocol'
  | 'size'
  | 'status'
  | 'redirect'
  | 'aborted'
  | 'other';

/** A failed request. The message names the method, the URL without secrets, and the reason or the start of the answer. */
export class HttpError extends Error {
  readonly failure: HttpFailure;
  /** What was asked, without secrets; of redirects the last. Undefined where that is not a URL. */
  readonly url: string | undefined;
  /** The status of the answer, for `status`. */
  readonly status: number | undefined;

  constructor(failure: HttpFailure, message: string, known: { url?: string; status?: number; cause?: unknown } = {}) {
    super(message, known.cause === undefined ? undefined : { cause: known.cause });
    this.name = 'HttpError';
    this.failure = failure;
    this.url = known.url === undefined ? undefined : safeUrl(known.url);
    this.status = known.status;
  }

  /** Whether the same request may succeed later, as far as the connection is concerned; statuses are up to the retry policy. */
  get isConnectionFailure(): boolean {
    switch (this.failure) {
      case 'unknown-host':
      case 'refused':
      case 'connect-timeout':
      case 'answer-timeout':
      case 'closed':
      case 'other':
        return true;
      default:
        return false;
    }
  }
}

/** How much of an answer a message shows. */
const MAX_EXCERPT = 500;

/** The error of a response with an error status. */
export function statusError(method: string, url: string, status: number, body: Uint8Array): HttpError {
  const said = excerpt(body, MAX_EXCERPT);
  const name = STATUS_CODES[status];
  const answered = `${method} ${safeUrl(url)} answered ${status}${name === undefined ? '' : ` ${name}`}`;
  return new HttpError('status', said === '' ? answered : `${answered}: ${said}`, { url, status });
}

/** The time-outs that a request ran under, in milliseconds. */
export interface Timeouts {
  readonly connect: number;
  readonly answer: number;
  readonly idle: number;
}

/**
 * The error of a request that got no complete answer, from what the network library threw.
 * @param proxy the name of the proxy that was asked for the connection
 */
export function connectionError(
  method: string,
  url: string,
  cause: unknown,
  timeouts: Timeouts,
  proxy?: string,
): HttpError {
  if (cause instanceof HttpError) return cause;
  const [failure, reason] = explain(cause, timeouts);
  const refusal = proxy === undefined ? undefined : tunnelRefusal(cause);
  const said = refusal?.[1] ?? reason;
  const blamed = proxy !== undefined && (refusal !== undefined || NO_CONNECTION.has(failure));
  const text = blamed ? `no connection through the proxy ${proxy}: ${said}` : said;
  return new HttpError(refusal?.[0] ?? failure, `${method} ${safeUrl(url)} failed: ${text}`, { url, cause });
}

const NO_CONNECTION: ReadonlySet<HttpFailure> = new Set(['unknown-host', 'refused', 'connect-timeout']);

/** What a proxy says that makes no tunnel: that it cannot just now, or that it will not. */
function tunnelRefusal(cause: unknown): [HttpFailure, string] | undefined {
  const status = /^Proxy response \((\d+)\)/.exec((cause as Cause).message ?? '')?.[1];
  if (status === undefined) return undefined;
  return [
    Number(status) >= 500 ? 'refused' : 'forbidden',
    `it answered ${status} ${STATUS_CODES[status] ?? ''}`.trim(),
  ];
}

const CERTIFICATE_CODES = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UND_ERR_PRX_TLS',
]);

/** What a failed connection throws. */
interface Cause {
  readonly code?: string;
  readonly message?: string;
  readonly name?: string;
  /** What OpenSSL says is wrong, in words. */
  readonly reason?: string;
}

function explain(cause: unknown, timeouts: Timeouts): [HttpFailure, string] {
  const { code = '', message = String(cause), name, reason } = cause as Cause;
  switch (code) {
    case 'ECONNREFUSED':
      return ['refused', 'connection refused'];
    case 'HR_POLICY_REFUSED':
      return ['forbidden', message];
    case 'ENOTFOUND':
      return ['unknown-host', 'unknown host'];
    case 'EAI_AGAIN':
      return ['unknown-host', 'the name of the host cannot be looked up at the moment'];
    case 'UND_ERR_CONNECT_TIMEOUT':
      return ['connect-timeout', `no connection within ${seconds(timeouts.connect)}`];
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return ['connect-timeout', `no connection (${code})`];
    case 'UND_ERR_HEADERS_TIMEOUT':
      return ['answer-timeout', `no answer within ${seconds(timeouts.answer)}`];
    case 'UND_ERR_BODY_TIMEOUT':
      return ['answer-timeout', `the answer stopped for ${seconds(timeouts.idle)}`];
    case 'UND_ERR_SOCKET':
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
    case 'ECONNRESET':
    case 'EPIPE':
      return ['closed', 'the connection was closed before the answer was complete'];
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_CLOSED':
    case 'UND_ERR_ABORTED':
      return ['aborted', 'given up'];
  }
  if (name === 'AbortError' || name === 'TimeoutError') return ['aborted', 'given up'];
  if (CERTIFICATE_CODES.has(code)) return ['certificate', `the certificate of the server is not trusted (${message})`];
  if (/^(Z_|ERR__ERROR_FORMAT|ZSTD_)/.test(code)) return ['protocol', `the compressed answer is broken (${message})`];
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    // What OpenSSL says of an answer in plain HTTP is for its own developers.
    if (/wrong.version.number|packet.length.too.long|http.request/i.test(`${code} ${reason ?? message}`)) {
      return ['protocol', 'the server does not speak TLS here: is its URL one of http://?'];
    }
    return ['protocol', `no TLS connection (${reason ?? message.trim()})`];
  }
  if (name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return ['protocol', `the answer is not HTTP (${message})`];
  }
  return ['other', message];
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}

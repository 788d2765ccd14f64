import { STATUS_CODES } from 'node:http';
import { type HeadraceError, isMemoryError } from '@headrace/engine';
import { excerpt } from './excerpt.ts';
import { safeUrl } from './safe-url.ts';

/**
 * The kind of failure of a request:
 *
 * - `url`: the URL, or the URL of the proxy, is not an http or https URL; nothing was sent
 * - `unknown-host`, `refused`, `connect-timeout`: no connection was opened
 * - `forbidden`: the policy of the config, or the proxy, does not allow the connection
 * - `certificate`: the server's certificate is not trusted, or is for another host
 * - `answer-timeout`, `closed`: no response, or no complete response was received
 * - `protocol`: the response is not HTTP or TLS, or does not have the encoding in its headers
 * - `size`: the response is longer than the limit
 * - `status`: the response has an error status
 * - `redirect`: the redirects do not end
 * - `aborted`: the caller or the end of the run cancelled the request
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

/**
 * A failed request. The message names the method, the URL without secrets, and the reason or the start of the response.
 */
export class HttpError extends Error {
  readonly failure: HttpFailure;
  /** The requested URL without secrets; the last one after redirects. Undefined if it is not a URL. */
  readonly url: string | undefined;
  /** The status of the response, for `status`. */
  readonly status: number | undefined;

  constructor(failure: HttpFailure, message: string, known: { url?: string; status?: number; cause?: unknown } = {}) {
    super(message, known.cause === undefined ? undefined : { cause: known.cause });
    this.name = 'HttpError';
    this.failure = failure;
    this.url = known.url === undefined ? undefined : safeUrl(known.url);
    this.status = known.status;
  }

  /** Whether a later attempt may succeed after this connection failure. For statuses, the retry policy decides. */
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

/** The maximum length of a response in a message. */
const MAX_EXCERPT = 500;

/** Returns the error of a response with an error status. */
export function statusError(method: string, url: string, status: number, body: Uint8Array): HttpError {
  const said = excerpt(body, MAX_EXCERPT);
  const name = STATUS_CODES[status];
  const answered = `${method} ${safeUrl(url)} answered ${status}${name === undefined ? '' : ` ${name}`}`;
  return new HttpError('status', said === '' ? answered : `${answered}: ${said}`, { url, status });
}

/** The time-outs of a request, in milliseconds. */
export interface Timeouts {
  readonly connect: number;
  readonly answer: number;
  readonly idle: number;
}

/**
 * Converts an error of the network library to the error of a request without a complete response. Errors about the
 * memory for the response stay.
 * @param proxy the name of the proxy that the connection uses
 */
export function connectionError(
  method: string,
  url: string,
  cause: unknown,
  timeouts: Timeouts,
  proxy?: string,
): HttpError | HeadraceError {
  if (cause instanceof HttpError) return cause;
  if (isMemoryError(cause)) return cause;
  const [failure, reason] = explain(cause, timeouts);
  const refusal = proxy === undefined ? undefined : tunnelRefusal(cause);
  const said = refusal?.[1] ?? reason;
  const blamed = proxy !== undefined && (refusal !== undefined || NO_CONNECTION.has(failure));
  const text = blamed ? `no connection through the proxy ${proxy}: ${said}` : said;
  return new HttpError(refusal?.[0] ?? failure, `${method} ${safeUrl(url)} failed: ${text}`, { url, cause });
}

const NO_CONNECTION: ReadonlySet<HttpFailure> = new Set(['unknown-host', 'refused', 'connect-timeout']);

/** Returns the failure of a proxy that refuses a tunnel: temporary for 5xx, otherwise forbidden. */
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

/** The error of a failed connection. */
interface Cause {
  readonly code?: string;
  readonly message?: string;
  readonly name?: string;
  /** The reason in the words of OpenSSL. */
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
      return ['answer-timeout', `no data was received for ${seconds(timeouts.idle)}`];
    case 'UND_ERR_SOCKET':
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
    case 'ECONNRESET':
    case 'EPIPE':
      return ['closed', 'the connection was closed before the answer was complete'];
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_CLOSED':
    case 'UND_ERR_ABORTED':
      return ['aborted', 'cancelled'];
  }
  if (name === 'AbortError' || name === 'TimeoutError') return ['aborted', 'cancelled'];
  if (CERTIFICATE_CODES.has(code)) return ['certificate', `the certificate of the server is not trusted (${message})`];
  if (/^(Z_|ERR__ERROR_FORMAT|ZSTD_)/.test(code)) return ['protocol', `the compressed answer is broken (${message})`];
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    // OpenSSL's message about a response in plain HTTP does not help users.
    if (/wrong.version.number|packet.length.too.long|http.request/i.test(`${code} ${reason ?? message}`)) {
      return ['protocol', 'the server does not use TLS here: its URL probably begins with http://'];
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

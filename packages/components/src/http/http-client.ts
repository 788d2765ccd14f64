import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ACCEPTED_ENCODINGS, type BodyLimit, decoded, readBody } from './answer-body.ts';
import { urlAuthorization } from './credentials.ts';
import { connectionError, HttpError, statusError, type Timeouts } from './http-error.ts';
import { DEFAULT_RETRY, type RetryPolicy, readRetryAfter, retryDelay } from './retry.ts';
import { Routes } from './routes.ts';
import { safeUrl } from './safe-url.ts';
import { type TlsSettings, tlsOptions } from './tls-settings.ts';

export interface HttpClientOptions {
  /** Connections per server, at most; further requests wait for one. Defaults to 64. */
  readonly connections?: number;
  /** Milliseconds for making a connection, TLS included. Defaults to 10,000. */
  readonly connectTimeout?: number;
  /** Milliseconds until an answer begins. Defaults to 60,000. */
  readonly answerTimeout?: number;
  /** Milliseconds between two pieces of an answer. Defaults to 60,000. */
  readonly idleTimeout?: number;
  /** Bytes of an answer, without its encoding, that are held. Defaults to 100 MiB. */
  readonly maxBodyBytes?: number;
  /** Whether servers may compress their answers. Defaults to true; next to the server it only costs time. */
  readonly acceptCompressed?: boolean;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For requests that do not say their own. Defaults to `DEFAULT_RETRY`. */
  readonly retry?: RetryPolicy;
  readonly tls?: TlsSettings;
}

export interface HttpRequest {
  /** Defaults to GET. */
  readonly method?: string;
  /**
   * Of http or https. A user and password in it are sent as basic authentication, unless the headers have another.
   * Several: the same resource on several servers, of which every attempt asks the next.
   */
  readonly url: string | readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Whether the body is sent compressed. */
  readonly gzip?: boolean;
  /** Instead of the client's. */
  readonly maxBodyBytes?: number;
  /** What happens with a longer answer: it fails the request (the default), or the rest is not downloaded. */
  readonly oversize?: BodyLimit['oversize'];
  /** Instead of the client's. Give `NO_RETRY` for what must not be sent twice. */
  readonly retry?: RetryPolicy;
  readonly signal?: AbortSignal;
}

/** By name in lower case; a header that is sent several times is a list. */
export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

interface Answer<Body> {
  readonly method: string;
  /** That answered, as it was given. */
  readonly url: string;
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: Body;
}

/** A whole answer, of whatever status. */
export interface HttpResponse extends Answer<Buffer> {
  /** Whether the answer was longer than allowed and the rest was left. */
  readonly cut: boolean;
}

/** An answer that is read as it comes. Read it to its end, or destroy it: it holds its connection. */
export type HttpStream = Answer<Readable>;

/**
 * The client of everything that talks HTTP: connections are kept and bounded, time-outs are set, what fails in passing
 * is tried again with jittered exponential back-off, proxies of the environment are used. The network library is
 * loaded when a client opens.
 *
 * Answers of every status are results; `requireSuccess` makes errors of them. Without an answer an `HttpError` is thrown.
 */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #routes: Routes;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeouts: Timeouts;
  readonly #closing = new AbortController();

  private constructor(options: HttpClientOptions, routes: Routes, timeouts: Timeouts) {
    this.#options = options;
    this.#routes = routes;
    this.#timeouts = timeouts;
    this.#headers = lowerCased({
      'user-agent': 'Headrace',
      ...(options.acceptCompressed === false ? {} : { 'accept-encoding': ACCEPTED_ENCODINGS }),
      ...lowerCased(options.headers ?? {}),
    });
  }

  /** Throws if a file of the TLS settings cannot be read. */
  static async open(options: HttpClientOptions = {}): Promise<HttpClient> {
    const { connections = 64, connectTimeout = 10_000, answerTimeout = 60_000, idleTimeout = 60_000 } = options;
    const [{ Agent, Pool, ProxyAgent }, tls] = await Promise.all([import('undici'), tlsOptions(options.tls ?? {})]);
    const routes = new Routes(
      { Agent, Pool, ProxyAgent },
      { connections, connectTimeout, tls, environment: process.env },
    );
    return new HttpClient(options, routes, { connect: connectTimeout, answer: answerTimeout, idle: idleTimeout });
  }

  /** Sends a request and reads the answer to its end. */
  async request(request: HttpRequest): Promise<HttpResponse> {
    const limit: BodyLimit = {
      bytes: request.maxBodyBytes ?? this.#options.maxBodyBytes ?? 100 * 1024 * 1024,
      oversize: request.oversize ?? 'fail',
    };
    return this.#repeat(request, async (url, body) => {
      const answer = await this.#send(url, request, body);
      try {
        return { ...answer, ...(await readBody(answer.body, limit, url)) };
      } catch (error) {
        throw connectionError(answer.method, url, error, this.#timeouts);
      }
    });
  }

  /** Sends a request and hands over the answer as it comes. Only what fails before it begins is tried again. */
  async stream(request: HttpRequest): Promise<HttpStream> {
    const { body, ...answer } = await this.#repeat(request, (url, content) => this.#send(url, request, content));
    const explained = Readable.from(this.#explained(body, answer), { objectMode: false });
    explained.once('close', () => discard(body));
    return { ...answer, body: explained };
  }

  /** Closes all connections; requests that wait fail as aborted. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#routes.destroy();
  }

  /** A body whose errors say what was asked. */
  async *#explained(body: Readable, { method, url }: Omit<HttpStream, 'body'>): AsyncGenerator<Buffer> {
    try {
      yield* body;
    } catch (error) {
      throw connectionError(method, url, error, this.#timeouts);
    }
  }

  async #repeat<T extends Answer<Buffer | Readable>>(
    request: HttpRequest,
    attempt: (url: string, body: HttpRequest['body']) => Promise<T>,
  ): Promise<T> {
    const policy = request.retry ?? this.#options.retry ?? DEFAULT_RETRY;
    const urls = typeof request.url === 'string' ? [request.url] : request.url;
    const { body: plain } = request;
    const body = request.gzip === true && plain !== undefined ? await promisify(gzip)(plain) : plain;
    for (let retry = 1; ; retry++) {
      const url = urls[(retry - 1) % urls.length] as string;
      let retryAfter: number | undefined;
      try {
        const answer = await attempt(url, body);
        if (retry > policy.retries || !policy.statuses(answer.status)) return answer;
        if (!Buffer.isBuffer(answer.body)) discard(answer.body);
        retryAfter = readRetryAfter(headerText(answer.headers, 'retry-after'));
      } catch (error) {
        if (retry > policy.retries || !(error instanceof HttpError && error.isConnectionFailure)) throw error;
      }
      await this.#pause(retryDelay(policy, retry, retryAfter), url, request);
    }
  }

  async #send(url: string, request: HttpRequest, body: HttpRequest['body']): Promise<HttpStream> {
    const { method = 'GET', signal } = request;
    const target = readUrl(url);
    const route = this.#routes.to(target);
    const authorization = urlAuthorization(target);
    const headers = {
      ...this.#headers,
      ...(authorization === undefined ? {} : { authorization }),
      ...(request.gzip === true && body !== undefined ? { 'content-encoding': 'gzip' } : {}),
      ...lowerCased(request.headers ?? {}),
      ...route.headers,
    };
    const { answer: headersTimeout, idle: bodyTimeout } = this.#timeouts;
    const { dispatcher, origin, path } = route;
    for (let stale = false; ; stale = true) {
      try {
        const {
          statusCode,
          headers: answered,
          body: raw,
        } = await dispatcher.request({
          origin,
          path,
          method: method as 'GET',
          headers,
          headersTimeout,
          bodyTimeout,
          ...(body === undefined ? {} : { body }),
          ...(signal === undefined ? {} : { signal }),
        });
        const bodiless = method === 'HEAD' || statusCode === 204 || statusCode === 304;
        const encoding = bodiless ? undefined : headerText(answered, 'content-encoding');
        return { method, url, status: statusCode, headers: answered, body: decoded(raw, encoding) };
      } catch (error) {
        if (!stale && isIdempotent(method) && wasKeptConnection(error)) continue;
        throw connectionError(method, url, error, this.#timeouts, route.proxy);
      }
    }
  }

  async #pause(milliseconds: number, url: string, { method = 'GET', signal }: HttpRequest): Promise<void> {
    const signals = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    try {
      await sleep(milliseconds, undefined, { signal: signals });
    } catch (error) {
      throw connectionError(method, url, error, this.#timeouts);
    }
  }
}

/** As `requireSuccess`, of a stream; that of a failure is ended. */
export async function requireStreamSuccess(stream: HttpStream): Promise<HttpStream> {
  const { method, url, status, body } = stream;
  if (status >= 200 && status < 300) return stream;
  throw statusError(method, url, status, (await readBody(body, { bytes: 4096, oversize: 'cut' }, url)).body);
}

/** The answer itself when its status is 2xx; otherwise throws the `HttpError` with the status and the start of the answer. */
export function requireSuccess(response: HttpResponse): HttpResponse {
  const { method, url, status, body } = response;
  if (status >= 200 && status < 300) return response;
  throw statusError(method, url, status, body);
}

/** The text of a header; of several the first. */
export function headerText(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Ends an unread body. Nothing reports that it was ended. */
function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

function readUrl(url: string): URL {
  const target = URL.parse(url);
  if (target === null) throw new HttpError('url', `${safeUrl(url)} is not a URL`);
  if (target.protocol !== 'http:' && target.protocol !== 'https:') {
    throw new HttpError('url', `${safeUrl(url)} is not a URL of http or https`);
  }
  return target;
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function isIdempotent(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Whether a request failed because the server had just closed the connection, which was kept from an earlier request:
 * nothing is wrong then, and asking again over a new one is what browsers do.
 */
function wasKeptConnection(error: unknown): boolean {
  const { code, socket } = error as { code?: string; socket?: { bytesRead?: number } | null };
  return code === 'UND_ERR_SOCKET' && (socket?.bytesRead ?? 0) > 0;
}

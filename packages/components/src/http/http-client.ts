import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { contractError, holdMemory, kindOf, type MemoryHold } from '@headrace/engine';
import type { Dispatcher } from 'undici';
import { ACCEPTED_ENCODINGS, type BodyLimit, decoded, readBody, tooLong } from './answer-body.ts';
import { urlAuthorization } from './credentials.ts';
import { connectionError, HttpError, statusError, type Timeouts } from './http-error.ts';
import { DEFAULT_RETRY, type RetryPolicy, type RetryWait, readRetryAfter, retryDelay } from './retry.ts';
import { Routes } from './routes.ts';
import { safeUrl } from './safe-url.ts';
import { type TlsSettings, tlsOptions } from './tls-settings.ts';
import { wholeAnswer } from './whole-answer.ts';

export interface HttpClientOptions {
  /** The maximum number of connections per server; further requests wait. Defaults to 64. */
  readonly connections?: number;
  /** The maximum time to open a connection, with TLS, in milliseconds. Defaults to 10,000. */
  readonly connectTimeout?: number;
  /** The maximum time until a response begins, in milliseconds. Defaults to 60,000. */
  readonly answerTimeout?: number;
  /** The maximum time between two chunks of a response, in milliseconds. Defaults to 60,000. */
  readonly idleTimeout?: number;
  /** The maximum size of a decoded response, in bytes. Defaults to 100 MiB. */
  readonly maxBodyBytes?: number;
  /** Whether servers may compress their responses. Defaults to true. In a fast network, compression only costs time. */
  readonly acceptCompressed?: boolean;
  /** The headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The retries of requests without their own policy. Defaults to `DEFAULT_RETRY`. */
  readonly retry?: RetryPolicy;
  /** Called before each wait for a retry. */
  readonly onWait?: (wait: RetryWait) => void;
  readonly tls?: TlsSettings;
}

export interface HttpRequest {
  /** The HTTP method. Defaults to GET. */
  readonly method?: string;
  /**
   * An http or https URL. A user and password in it are sent as basic authentication, unless the headers contain
   * another authorization. A list contains the same resource on several servers: every attempt uses the next one.
   */
  readonly url: string | readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** True if the body is sent compressed. */
  readonly gzip?: boolean;
  /** Replaces the limit of the client. */
  readonly maxBodyBytes?: number;
  /** Whether a longer response fails the request (the default) or is cut off. */
  readonly oversize?: BodyLimit['oversize'];
  /** Replaces the policy of the client. Use `NO_RETRY` for a request that must not be sent twice. */
  readonly retry?: RetryPolicy;
  readonly signal?: AbortSignal;
  /**
   * Counts the response, which is read only as fast as there is memory for it. The caller releases it: use it if the
   * document keeps the response, or texts of it. By default, the response counts until it is complete.
   */
  readonly memory?: MemoryHold;
}

/** The headers by name in lower case; a header that was sent several times is a list. */
export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

interface Answer<Body> {
  readonly method: string;
  /** The URL of the server that answered, as in the request. */
  readonly url: string;
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: Body;
}

/** A complete response with any status. */
export interface HttpResponse extends Answer<Buffer> {
  /** Whether the response was longer than the limit and was cut off. */
  readonly cut: boolean;
}

/** A response that is read while it arrives. Read it to its end or destroy it: it occupies a connection. */
export type HttpStream = Answer<Readable>;

/** Names a response in messages about memory. */
const ANSWER = 'the answer of a server';
const NO_BYTES = new Uint8Array();

/**
 * The HTTP client of all components. It keeps and limits connections, sets time-outs, retries temporary failures with
 * jittered exponential back-off, and uses the proxies of the environment. The network library is loaded when a client
 * opens.
 *
 * A response of any status is a result; `requireSuccess` turns error statuses into errors. A request without a response
 * throws an `HttpError`.
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

  /** Opens a client. Throws if a file of the TLS settings cannot be read. */
  static async open(options: HttpClientOptions = {}): Promise<HttpClient> {
    const { connections = 64, connectTimeout = 10_000, answerTimeout = 60_000, idleTimeout = 60_000 } = options;
    const [{ Agent, Pool, ProxyAgent }, tls] = await Promise.all([import('undici'), tlsOptions(options.tls ?? {})]);
    const routes = new Routes(
      { Agent, Pool, ProxyAgent },
      { connections, connectTimeout, tls, environment: process.env },
    );
    return new HttpClient(options, routes, { connect: connectTimeout, answer: answerTimeout, idle: idleTimeout });
  }

  /** Sends a request and reads the complete response. */
  async request(request: HttpRequest): Promise<HttpResponse> {
    const limit: BodyLimit = {
      bytes: request.maxBodyBytes ?? this.#options.maxBodyBytes ?? 100 * 1024 * 1024,
      oversize: request.oversize ?? 'fail',
    };
    // No document must leave before this request ends, so it may use the reserve: documents may wait for the request.
    const memory = request.memory ?? holdMemory(ANSWER, request);
    const before = memory.bytes;
    try {
      return await this.#repeat(request, async (url, body) => {
        // The response of an earlier attempt is not needed any more.
        memory.keep(before);
        // A signal may end a request at any time, and a stream knows what to do then.
        if (limit.oversize === 'fail' && request.signal === undefined) {
          const counted = { ...request, memory };
          return this.#sendOnce(url, request, body, (...route) => this.#readWhole(url, counted, limit, ...route));
        }
        const answer = await this.#send(url, request, body);
        try {
          return { ...answer, ...(await readBody(answer.body, limit, url, memory)) };
        } catch (error) {
          throw connectionError(answer.method, url, error, this.#timeouts);
        }
      });
    } finally {
      if (request.memory === undefined) memory.release();
    }
  }

  /** Sends a request and returns the response as a stream. Only failures before the response begins are retried. */
  async stream(request: HttpRequest): Promise<HttpStream> {
    const { body, ...answer } = await this.#repeat(request, (url, content) => this.#send(url, request, content));
    const explained = Readable.from(this.#explained(body, answer), { objectMode: false });
    explained.once('close', () => discard(body));
    return { ...answer, body: explained };
  }

  /** Closes all connections; waiting requests fail as aborted. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#routes.destroy();
  }

  /** Yields a body and names the request in its errors. */
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
      let reason: string;
      try {
        const answer = await attempt(url, body);
        if (retry > policy.retries || !policy.statuses(answer.status)) return answer;
        retryAfter = readRetryAfter(headerText(answer.headers, 'retry-after'));
        if (retryAfter !== undefined && policy.longestWait !== undefined && retryAfter > policy.longestWait)
          return answer;
        if (Buffer.isBuffer(answer.body)) {
          if (policy.isFinal?.(answer.status, answer.body) === true) return answer;
          reason = statusError(answer.method, url, answer.status, answer.body).message;
        } else {
          discard(answer.body);
          reason = statusError(answer.method, url, answer.status, NO_BYTES).message;
        }
      } catch (error) {
        if (retry > policy.retries || !(error instanceof HttpError && error.isConnectionFailure)) throw error;
        if (error.failure === 'answer-timeout' && policy.timeouts === false) throw error;
        reason = error.message;
      }
      const milliseconds = retryDelay(policy, retry, retryAfter);
      this.#options.onWait?.({ milliseconds, reason });
      await this.#pause(milliseconds, url, request);
    }
  }

  async #send(url: string, request: HttpRequest, body: HttpRequest['body']): Promise<HttpStream> {
    const { method = 'GET', signal } = request;
    return this.#sendOnce(url, request, body, async (dispatcher, options) => {
      const {
        statusCode,
        headers,
        body: raw,
      } = await dispatcher.request(signal === undefined ? options : { ...options, signal });
      const encoding = encodingOf(method, statusCode, headers);
      return { method, url, status: statusCode, headers, body: decoded(raw, encoding) };
    });
  }

  /** Reads a complete response without a stream. */
  async #readWhole(
    url: string,
    { method = 'GET', memory }: HttpRequest,
    limit: BodyLimit,
    dispatcher: Dispatcher,
    options: Dispatcher.RequestOptions,
  ): Promise<HttpResponse> {
    const broken = (error: unknown) => connectionError(method, url, error, this.#timeouts);
    const { status, headers, body } = await wholeAnswer(
      dispatcher,
      options,
      limit.bytes,
      memory,
      () => tooLong(limit, url),
      broken,
    );
    const encoding = encodingOf(method, status, headers);
    if (encoding === undefined) return { method, url, status, headers, body, cut: false };
    try {
      return {
        method,
        url,
        status,
        headers,
        ...(await readBody(decoded(Readable.from([body]), encoding), limit, url, memory)),
      };
    } catch (error) {
      throw broken(error);
    }
  }

  /** Sends a request, again if the server has closed a kept connection at the same moment. */
  async #sendOnce<T>(
    url: string,
    request: HttpRequest,
    body: HttpRequest['body'],
    send: (dispatcher: Dispatcher, options: Dispatcher.RequestOptions) => Promise<T>,
  ): Promise<T> {
    const { method = 'GET' } = request;
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
    const options = {
      origin,
      path,
      method: method as 'GET',
      headers,
      headersTimeout,
      bodyTimeout,
      ...(body === undefined ? {} : { body }),
    };
    for (let stale = false; ; stale = true) {
      try {
        return await send(dispatcher, options);
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

/** Returns a stream with a 2xx status; otherwise ends it and throws the `HttpError`, like `requireSuccess`. */
export async function requireStreamSuccess(stream: HttpStream): Promise<HttpStream> {
  const { method, url, status, body } = stream;
  if (status >= 200 && status < 300) return stream;
  throw statusError(method, url, status, (await readBody(body, { bytes: 4096, oversize: 'cut' }, url)).body);
}

/**
 * Returns a response with a 2xx status; otherwise throws the `HttpError` with the status and the start of the response.
 */
export function requireSuccess(response: HttpResponse): HttpResponse {
  const { method, url, status, body } = (response ?? {}) as HttpResponse;
  if (status >= 200 && status < 300) return response;
  if (typeof status !== 'number') {
    throw contractError(`requireSuccess() received ${kindOf(response)}, not a response`, 'Await the request.');
  }
  throw statusError(method, url, status, body);
}

/** Returns the text of a header; the first one if there are several. */
export function headerText(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Returns the content encoding of an answer with a body. */
function encodingOf(method: string, status: number, headers: HttpHeaders): string | undefined {
  const isBodiless = method === 'HEAD' || status === 204 || status === 304;
  return isBodiless ? undefined : headerText(headers, 'content-encoding');
}

/** Destroys an unread body without an error. */
function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

function readUrl(url: string): URL {
  const target = URL.parse(url);
  if (target === null) throw new HttpError('url', `${safeUrl(url)} is not a URL`);
  if (target.protocol !== 'http:' && target.protocol !== 'https:') {
    throw new HttpError('url', `${safeUrl(url)} is not an http or https URL`);
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
 * Returns whether a request failed because the server closed a keep-alive connection at the same moment. This is
 * normal: like browsers, we send the request again on a new connection.
 */
function wasKeptConnection(error: unknown): boolean {
  const { code, socket } = error as { code?: string; socket?: { bytesRead?: number } | null };
  return code === 'UND_ERR_SOCKET' && (socket?.bytesRead ?? 0) > 0;
}

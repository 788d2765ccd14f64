import type { Operations, Schemas } from './api.generated.ts';
import { ApiError } from './api-error.ts';
import { type RunEvent, type WatchOptions, watch } from './watch-run.ts';

/** The name of an operation, such as `GET /v1/run/{id}`. */
export type OperationName = keyof Operations;

/** The input of an operation. */
export type Input<N extends OperationName> = Operations[N]['input'];

/** The answer of an operation. */
export type Output<N extends OperationName> = Operations[N]['output'];

/** The arguments after the operation. The input is optional if it has no required fields. */
type Arguments<I> = Record<never, never> extends I ? [input?: I & CallOptions] : [input: I & CallOptions];

interface CallOptions {
  readonly signal?: AbortSignal;
  /** The format of a text body: HOCON by default. */
  readonly headers?: { readonly 'content-type'?: string };
}

export interface ClientOptions {
  /** The base URL of the service, such as `http://localhost:8080`. */
  readonly url: string;
  /** A user, or an API token. Absent if the service has no authentication. */
  readonly auth?: { readonly user: string; readonly password: string } | { readonly token: string };
  /** A replacement for the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** An answer with its status and headers. */
export interface Reply<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
  /** The body as it was received: a parsed one has neither its layout nor the digits of integers beyond 2^53. */
  readonly text: string;
}

interface RawInput {
  readonly signal?: AbortSignal;
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** A client of the Headrace service. */
export class HeadraceClient {
  readonly #url: string;
  readonly #authorization: string | undefined;
  readonly #fetch: typeof fetch;

  constructor({ url, auth, fetch: given = fetch }: ClientOptions) {
    this.#url = url.replace(/\/+$/, '');
    this.#authorization = auth === undefined ? undefined : authorizationOf(auth);
    this.#fetch = given;
  }

  /** Calls an operation. Returns the body of its answer. Throws an `ApiError` if the service refuses the request. */
  async call<N extends OperationName>(operation: N, ...[input]: Arguments<Input<N>>): Promise<Output<N>> {
    return (await this.#reply(operation, input)).body;
  }

  /** Calls an operation. Returns its answer with status and headers, for example to read an `ETag`. */
  async request<N extends OperationName>(operation: N, ...[input]: Arguments<Input<N>>): Promise<Reply<Output<N>>> {
    return this.#reply(operation, input);
  }

  /** Returns the events of a run until it is done. Continues after lost connections and restarts of the service. */
  watchRun(runId: string, options: WatchOptions = {}): AsyncGenerator<RunEvent> {
    const { signal } = options;
    const open = (lastEventId: string | undefined) =>
      this.#send('GET /v1/run/{id}/events', {
        path: { id: runId },
        headers: { 'last-event-id': lastEventId },
        ...(signal === undefined ? {} : { signal }),
      });
    return watch(open, options);
  }

  /** Waits until the run is done, successfully or not. Returns its details. */
  async waitForRun(
    runId: string,
    options: WatchOptions & { readonly onEvent?: (event: RunEvent) => void } = {},
  ): Promise<Schemas['RunDetails']> {
    for await (const event of this.watchRun(runId, options)) options.onEvent?.(event);
    const { signal } = options;
    return this.call('GET /v1/run/{id}', { path: { id: runId }, ...(signal === undefined ? {} : { signal }) });
  }

  async #reply<N extends OperationName>(operation: N, input?: RawInput): Promise<Reply<Output<N>>> {
    const response = await this.#send(operation, input);
    const text = await response.text();
    const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '');
    const body = (text === '' ? undefined : isJson ? JSON.parse(text) : text) as Output<N>;
    return { status: response.status, headers: response.headers, body, text };
  }

  async #send(operation: string, { path, query, headers, body, signal }: RawInput = {}): Promise<Response> {
    const [method = '', template = ''] = operation.split(' ');
    const target = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(path?.[name])));
    const response = await this.#fetch.call(undefined, `${this.#url}${target}${queryText(query)}`, {
      method,
      headers: this.#headersOf(headers, body),
      ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.ok || response.status === 304) return response;
    throw new ApiError(response, await response.text());
  }

  #headersOf(given: RawInput['headers'], body: unknown): Headers {
    const headers = new Headers();
    for (const [name, value] of Object.entries(given ?? {})) {
      if (value !== undefined) headers.set(name, String(value));
    }
    if (this.#authorization !== undefined) headers.set('authorization', this.#authorization);
    // The service accepts only configs as text bodies. They are HOCON, which includes JSON.
    if (body !== undefined && !headers.has('content-type')) {
      const type = body instanceof Blob ? 'octet-stream' : typeof body === 'string' ? 'hocon' : 'json';
      headers.set('content-type', `application/${type}`);
    }
    return headers;
  }
}

/** Returns whether a body is sent as it is. */
function isRaw(body: unknown): body is string | Blob {
  return typeof body === 'string' || body instanceof Blob;
}

function authorizationOf(auth: NonNullable<ClientOptions['auth']>): string {
  if ('token' in auth) return `Bearer ${auth.token}`;
  const bytes = new TextEncoder().encode(`${auth.user}:${auth.password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** Returns the query as text. A list becomes a repeated parameter. */
function queryText(query: RawInput['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) parameters.append(name, String(one));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

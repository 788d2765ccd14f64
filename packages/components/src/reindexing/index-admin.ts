import { parseJson } from '@headrace/engine';
import { type ErrorCause, reasonOf } from './error-cause.ts';
import { ReindexError } from './reindex-error.ts';
import type { Json } from './types.ts';

/** A request to a search engine. */
export interface IndexRequest {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

export interface IndexResponse {
  readonly status: number;
  readonly body: Uint8Array;
}

/** An HTTP client for a search engine. */
export interface IndexClient {
  readonly address: string;
  request(request: IndexRequest): Promise<IndexResponse>;
  close(): Promise<void>;
}

/** The maximum length of a response without a reason in a message. */
const MAX_EXCERPT = 500;

/** Sends requests about indices to a search engine. All of them may be sent twice. */
export class IndexAdmin {
  /** The address, for messages. */
  readonly address: string;
  readonly #send: (request: IndexRequest) => Promise<IndexResponse>;
  readonly #close: () => Promise<void>;

  /** @param client sends the requests, and is closed with this object */
  constructor(client: IndexClient) {
    this.address = client.address;
    this.#send = (request) => client.request(request);
    this.#close = () => client.close();
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** Returns the response. Throws a `ReindexError` with the reason of the search engine. */
  async ask<T = Json>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const answer = await this.find<T>(method, path, body, signal);
    if (answer === undefined) {
      throw new ReindexError(
        `${method} ${path} answered 404 at ${this.address}`,
        'It does not exist (any more): check whether another program has deleted it.',
      );
    }
    return answer;
  }

  /** Like `ask`, but returns undefined if the index or the alias does not exist. */
  async find<T = Json>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T | undefined> {
    const response = await this.#send({
      method,
      path,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    return response.status === 404 ? undefined : read<T>(response, `${method} ${path}`);
  }

  /** Sends the lines of a bulk request. */
  async bulk<T>(body: string, signal: AbortSignal): Promise<T> {
    const request = { method: 'POST', path: '/_bulk', contentType: 'application/x-ndjson' };
    return read<T>(await this.#send({ ...request, body, signal }), 'POST /_bulk');
  }
}

function read<T>({ status, body }: IndexResponse, what: string): T {
  const text = new TextDecoder().decode(body);
  let json: { error?: ErrorCause | string } | undefined;
  try {
    json = text === '' ? {} : (parseJson(text) as typeof json);
  } catch {
    // A proxy answers with a page. The message shows its beginning.
  }
  if (json !== undefined && status >= 200 && status < 300) return json as T;
  // Solr has a message instead of a reason.
  const { msg } = (typeof json?.error === 'object' ? json.error : {}) as { msg?: string };
  const reason = msg ?? reasonOf(json?.error) ?? text.slice(0, MAX_EXCERPT);
  throw new ReindexError(`${what} answered ${status}: ${reason}`, undefined, undefined, status);
}

/** Returns a name for the path of a request. */
export function inPath(name: string): string {
  return encodeURIComponent(name);
}

import { type HttpResponse, requireSuccess } from '../../http/http-client.ts';
import { HttpError } from '../../http/http-error.ts';
import { DEFAULT_RETRY } from '../../http/retry.ts';
import { type ErrorCause, parse, reasonOf } from '../bulk-reply.ts';
import { SearchEngine, type SearchEngineSettings } from '../search-engine.ts';

/** The time limit of a request: a refresh of a large index takes minutes. */
const ANSWER_MS = 10 * 60_000;

/** A JSON object of a request or a response. */
export type Json = Readonly<Record<string, unknown>>;

/** Sends requests about indices to a search engine. All of them may be sent twice. */
export class IndexAdmin {
  readonly #engine: SearchEngine;

  private constructor(engine: SearchEngine) {
    this.#engine = engine;
  }

  static async open(settings: SearchEngineSettings): Promise<IndexAdmin> {
    const options = { connections: 2, answerTimeout: ANSWER_MS, retry: DEFAULT_RETRY };
    return new IndexAdmin(await SearchEngine.open({ ...settings, ...options }));
  }

  get address(): string {
    return this.#engine.address;
  }

  /** Returns the response. Throws an `HttpError` with the reason of the search engine. */
  async ask<T = Json>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const answer = await this.find<T>(method, path, body, signal);
    if (answer === undefined) throw new HttpError('status', `${method} ${this.address}${path} answered 404`);
    return answer;
  }

  /** Like `ask`, but returns undefined if the index or the alias does not exist. */
  async find<T = Json>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T | undefined> {
    const response = await this.#engine.request({
      method,
      path,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    return response.status === 404 ? undefined : this.#read<T>(response, method, path);
  }

  /** Sends the lines of a bulk request. */
  async bulk<T>(body: string, signal: AbortSignal): Promise<T> {
    const request = { method: 'POST', path: '/_bulk', contentType: 'application/x-ndjson' };
    return this.#read<T>(await this.#engine.request({ ...request, body, signal }), 'POST', '/_bulk');
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  #read<T>(response: HttpResponse, method: string, path: string): T {
    const { status, url } = response;
    const reason = status >= 400 ? reasonOf((parse(response) as { error?: ErrorCause } | undefined)?.error) : undefined;
    if (reason !== undefined) {
      throw new HttpError('status', `${method} ${path} answered ${status}: ${reason}`, { url, status });
    }
    return (method === 'HEAD' ? {} : parse(requireSuccess(response))) as T;
  }
}

/** Returns a name for the path of a request. */
export function inPath(name: string): string {
  return encodeURIComponent(name);
}
